# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): MTC.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    MTC: isolation of mini-transactions
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("mtc")

    def name(self):
        return "MTC"

    def project_url(self):
        return "https://github.com/anonymous-mts/mtc"

    def cmdline(self, executable, options, task, rlimits):
        return [executable] + options + [task.single_input_file]

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
