# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): Viper.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    Viper: snapshot isolation by BC-polygraphs
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("viper")

    def name(self):
        return "Viper"

    def project_url(self):
        return "https://github.com/Khoury-srg/Viper"

    def cmdline(self, executable, options, task, rlimits):
        return [executable] + options + [task.single_input_file]

    def determine_result(self, run):
        """
        It prints accept or reject.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r"(^|[^A-Za-z])([Rr]eject|REJECT)|: False$", line):
                return result.RESULT_FALSE_PROP
            if re.search(r"(^|[^A-Za-z])([Aa]ccept|ACCEPT)|: True$", line):
                return result.RESULT_TRUE_PROP
        return result.RESULT_ERROR
