# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): VeriStrong.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    VeriStrong: fast verification of strong database isolation
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("veristrong")

    def name(self):
        return "VeriStrong"

    def project_url(self):
        return "https://github.com/CzxingcHen/VeriStrong"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, task.single_input_file] + options

    def determine_result(self, run):
        """
        It prints a line `accept: true` or `accept: false`.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"^accept: *false", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"^accept: *true", line):
                return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR
