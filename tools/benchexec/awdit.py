# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): AWDIT.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    AWDIT: an optimal weak database isolation tester
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("awdit", subdir="target/release")

    def name(self):
        return "AWDIT"

    def project_url(self):
        return "https://github.com/lassemoldrup/AWDIT"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "check"] + options + [task.single_input_file]

    def determine_result(self, run):
        """
        It prints one line, and its exit status is 0 in both cases.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"^Inconsistent", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"^Consistent", line):
                return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR
