# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): elle-cli.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    Elle through elle-cli; it finds anomalies, and proves nothing where it finds none
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("elle-cli")

    def name(self):
        return "elle-cli"

    def project_url(self):
        return "https://github.com/ligurio/elle-cli"

    def cmdline(self, executable, options, task, rlimits):
        return [executable] + options + [task.single_input_file]

    def determine_result(self, run):
        """
        It prints the file, a tab, and true, false or :unknown.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"[ \t]false$", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"[ \t]true$", line):
                return result.RESULT_UNKNOWN  # it found nothing, which proves nothing
            if re.search(r"[ \t]:?unknown$", line):
                return result.RESULT_UNKNOWN
        return result.RESULT_ERROR
