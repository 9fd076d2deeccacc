# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): Plume.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    Plume: complete black-box checking of weak isolation levels
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("plume")

    def name(self):
        return "Plume"

    def project_url(self):
        return "https://github.com/dracoooooo/Plume"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "-t", "PLUME"] + options + [task.single_input_file]

    def determine_result(self, run):
        """
        It prints ACCEPT or REJECT, or the list of the anomalies found.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"(^|[^A-Za-z])REJECT([^A-Za-z]|$)|^\[[A-Z].*\]$", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"(^|[^A-Za-z])ACCEPT([^A-Za-z]|$)|^\[\]$", line):
                return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR
