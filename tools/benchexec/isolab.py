# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): isolab check.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """
    isolab, a laboratory for database isolation: does a history satisfy an isolation level?
    """

    def executable(self, tool_locator):
        return tool_locator.find_executable("isolab", subdir="build")

    def name(self):
        return "isolab"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="isolab")

    def cmdline(self, executable, options, task, rlimits):
        return [executable, "check"] + options + ["--", task.single_input_file]

    def determine_result(self, run):
        """
        The exit status is the verdict: 0 satisfied, 1 violated, 2 unknown.
        """
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        verdicts = {0: result.RESULT_TRUE_PROP, 1: result.RESULT_FALSE_PROP}
        if run.exit_code.value == 2:
            if run.output.any_line_contains("memory limit"):
                return "OUT OF MEMORY"
            if run.output.any_line_contains("time limit"):
                return result.RESULT_TIMEOUT
            return result.RESULT_UNKNOWN
        return verdicts.get(run.exit_code.value, result.RESULT_ERROR)

    def get_value_from_output(self, output, identifier):
        """
        A number of the output of --json: of milliseconds, as seconds, or of counters.
        """
        for line in output:
            found = re.search(
                r'"' + re.escape(identifier) + r'":([0-9.]+(?:[eE][-+]?[0-9]+)?)', line
            )
            if found and '"milliseconds":{' in line:
                inside = re.search(r'"milliseconds":\{([^}]*)\}', line).group(1)
                if found.group(0) in inside:
                    return str(float(found.group(1)) / 1000) + "s"
                return found.group(1)
        return None
