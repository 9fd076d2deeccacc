# A tool-info module for BenchExec (https://github.com/sosy-lab/benchexec): the published checkers, a row each. A copy of this
# file, or a link to it, is the tool that its name says: awdit.py is AWDIT.
# docs/benchexec.md says how to use it, and how its tasks and options look.

import re
from collections import namedtuple

import benchexec.result as result
import benchexec.tools.template

# url: of its source; program, subdir: what is run; before, after: arguments around the options, "{}" is the history;
# false, true: patterns of lines that are its verdicts; proves: "true" is a proof
Row = namedtuple("Row", "name url program subdir before after false true proves")
BRACKETS = r"\[\[\[\[ %s \]\]\]\]"


def row(name, url, program, before, after, false, true, subdir="", proves=True):
    return Row(name, "https://github.com/" + url, program, subdir, before, after, false, true, proves)


ROWS = {
    "awdit": row("AWDIT", "lassemoldrup/AWDIT", "awdit", ["check"], ["{}"], r"^Inconsistent", r"^Consistent",
                 subdir="target/release"),
    "plume": row("Plume", "dracoooooo/Plume", "plume", ["-t", "PLUME"], ["{}"],
                 r"(^|[^A-Za-z])REJECT([^A-Za-z]|$)|^\[[A-Z].*\]$", r"(^|[^A-Za-z])ACCEPT([^A-Za-z]|$)|^\[\]$"),
    "veristrong": row("VeriStrong", "CzxingcHen/VeriStrong", "veristrong", ["{}"], [],
                      r"^accept: *false", r"^accept: *true"),
    "polysi": row("PolySI", "amnore/PolySI", "polysi", ["audit"], ["{}"], BRACKETS % "REJECT", BRACKETS % "ACCEPT"),
    "mtc": row("MTC", "anonymous-mts/mtc", "mtc", [], ["{}"], BRACKETS % "REJECT", BRACKETS % "ACCEPT"),
    "cobra": row("Cobra", "DBCobra/CobraVerifier", "cobra", ["mono", "audit"], ["{}"],
                 BRACKETS % "REJECT", BRACKETS % "ACCEPT"),
    "dbcop": row("dbcop", "rnbguy/dbcop", "dbcop", ["verify"], ["--input-dir", "{}"], r": FAIL", r": PASS",
                 subdir="target/release"),
    "elle_cli": row("elle-cli", "ligurio/elle-cli", "elle-cli", [], ["{}"], r"[ \t]false$", r"[ \t]true$",
                    proves=False),
    "viper": row("Viper", "Khoury-srg/Viper", "viper", [], ["{}"],
                 r"(^|[^A-Za-z])([Rr]eject|REJECT)|: False$", r"(^|[^A-Za-z])([Aa]ccept|ACCEPT)|: True$"),
}


class Tool(benchexec.tools.template.BaseTool2):
    """
    A published checker of isolation levels.
    """

    row = ROWS.get(__name__.rsplit(".", 1)[-1])

    def executable(self, tool_locator):
        if self.row is None:
            raise ValueError("copy published.py to the name of a tool: " + ", ".join(name + ".py" for name in ROWS))
        return tool_locator.find_executable(self.row.program, subdir=self.row.subdir)

    def name(self):
        return self.row.name

    def project_url(self):
        return self.row.url

    def cmdline(self, executable, options, task, rlimits):
        def words(of):
            return [task.single_input_file if word == "{}" else word for word in of]

        return [executable] + words(self.row.before) + options + words(self.row.after)

    def determine_result(self, run):
        if run.was_timeout:
            return result.RESULT_TIMEOUT
        for line in run.output:
            if re.search(self.row.false, line):
                return result.RESULT_FALSE_PROP
            if re.search(self.row.true, line):
                return result.RESULT_TRUE_PROP if self.row.proves else result.RESULT_UNKNOWN
            if re.search(r"Failed to (parse|open)|[ \t]:?unknown$", line):
                return result.RESULT_UNKNOWN
        return result.RESULT_ERROR
