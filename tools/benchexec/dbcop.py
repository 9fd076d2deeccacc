# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): dbcop.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    dbcop: transactional consistency by the algorithms of Biswas and Enea
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("dbcop", subdir="target/release")

    def name(self):
        return "dbcop"

    def project_url(self):
        return "https://github.com/rnbguy/dbcop"

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "verify"] + options + ["--input-dir", task.single_input_file]

    def determine_result(self, run):
        """
        It prints a line `NAME: PASS` or `NAME: FAIL` for the history of the folder.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(r": FAIL", line):
                return result.RESULT_FALSE_PROP
            if re.search(r": PASS", line):
                return result.RESULT_TRUE_PROP
            if re.search(r"Failed to (parse|open)", line):
                return result.RESULT_UNKNOWN
        return result.RESULT_ERROR
