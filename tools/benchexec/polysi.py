# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): PolySI.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    PolySI: snapshot isolation by polygraphs
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("polysi")

    def name(self):
        return "PolySI"

    def project_url(self):
        return "https://github.com/amnore/PolySI"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "audit"] + options + [task.single_input_file]

    def determine_result(self, run):
        """
        It prints its verdict in four brackets.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"\[\[\[\[ REJECT \]\]\]\]", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"\[\[\[\[ ACCEPT \]\]\]\]", line):
                return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR
