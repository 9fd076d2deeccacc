#!/bin/sh
# isolab benchexec: results as BenchExec's XML and back; XML from outside; tool-info modules. With the DTD of BenchExec (its file is
# named by BENCHEXEC_DTD) the XML is validated, with its source (BENCHEXEC) its own table-generator reads it.
. "$(dirname "$0")/tap.sh"
cd "$tmp" || exit 1
cat >s.suite <<'END'
suite: small
levels: ra cc
checkers: awdit naive
repeat: 2
history: h-{n}
    generate: random --txns {n} --sessions 3 --seed 1 --level ra
    vary: n 20 40
    expect: ra satisfied
history: "a<b>&'c
    generate: random --txns 30 --sessions 3 --seed 1 --level ser --bug aborted-read --bug-rate 0.5
    expect: all violated
END
t 0 "bench writes results to exchange" "$isolab" bench -o r.sqlite s.suite
t 0 "the results are written as XML" "$isolab" benchexec write -o xml r.sqlite
same 4 "$(ls xml | wc -l)" "a file for each checker and repetition"
matches 'name="&quot;a&lt;b&gt;&amp;.*c" files=' xml/s.awdit.1.results.xml "names are escaped"
t 0 "the XML is read back" "$isolab" benchexec read -o again.sqlite xml/*.xml
for figure in verdicts "table -y check" "table -y wall" "table -y peak" "mean -y wall"; do
    "$isolab" plot $figure r.sqlite --to csv >before
    "$isolab" plot $figure again.sqlite --to csv >after
    same "$(sort before)" "$(sort after)" "the same $figure"
done
t 0 "XML that is read twice adds nothing" "$isolab" benchexec read -o again.sqlite xml/*.xml
"$isolab" plot table again.sqlite -y check --to csv >twice
"$isolab" plot table r.sqlite -y check --to csv >before
same "$(cat before)" "$(cat twice)" "the same runs are not added again"
if command -v xmllint >/dev/null 2>&1; then
    for f in xml/*.xml; do
        xmllint --nonet --noout "$f" 2>err
        ok $? "$f is XML"
        [ -z "${BENCHEXEC_DTD:-}" ] || { xmllint --nonet --noout --dtdvalid "$BENCHEXEC_DTD" "$f" 2>err; ok $? "and valid"; }
    done
else
    skip "XML" "xmllint is not installed"
fi

# What BenchExec writes: other verifiers, statuses of all kinds.
cat >other.xml <<'END'
<?xml version="1.0" ?>
<!DOCTYPE result PUBLIC '+//IDN sosy-lab.org//DTD BenchExec result 3.18//EN' 'https://www.sosy-lab.org/benchexec/result-3.18.dtd'>
<!-- a comment with <run> in it -->
<result benchmarkname="bench" name="bench.defaults" tool="Verifier" toolmodule="x" version="1" date="2026-01-01" starttime="now" generator="BenchExec">
  <columns><column title="status"/></columns>
  <systeminfo hostname="there"><os name="Linux"/><cpu cores="8" model="Intel &#x41;&#66;"/><ram size="16 GB"/><environment/></systeminfo>
  <run name="a" files="[a.txt]" properties="cc" expectedVerdict="true"><column title="status" value="true"/><column title="walltime" value="1.5s"/><column title="category" value="correct" hidden="true"/></run>
  <run name="b" files="[b.txt]" properties="cc" expectedVerdict="true"><column title="status" value="false(cc)"/><column title="walltime" value="0.5s"/></run>
  <run name="c" properties="cc"><column title="status" value="TIMEOUT"/><column title="category" value="error"/></run>
  <run name="d" properties="cc"><column title="status" value="SEGMENTATION FAULT"/><column title="category" value="error"/></run>
  <run name="e" properties="cc"><column title="status" value="unknown"/></run>
  <column title="walltime" value="2"/>
</result>
END
t 0 "XML of other tools is read" "$isolab" benchexec read -o other.sqlite other.xml
out_like '^other.xml: 5 runs$'
t 0 "the results of other tools make a table" "$isolab" plot table other.sqlite --to csv
out_like '^a,0,1.50$'
out_like '^b,0,wrong$'
out_like '^c,0,timeout$'
out_like '^d,0,crash$'
out_like '^e,0,refused$'
t 0 "the verdicts of other tools are counted" "$isolab" plot verdicts other.sqlite --to csv
out_like '^cc,5,1,1,0,3,1,1,1,0,0$|^Verifier: defaults,5,1,1,0,3,1,1,1,0,0$|^[^,]*,5,1,1,0,3,1,1,1,0,0$'
wrong() { # NAME LINE WORDS, and the file
    cat >bad.xml
    t 65 "$1" "$isolab" benchexec read -o bad.sqlite bad.xml
    err_like "^isolab: bad.xml: line $2: .*$3|^isolab: bad.xml:$2: .*$3"
    [ ! -e bad.sqlite ] || [ "$("$isolab" plot verdicts bad.sqlite 2>&1 | grep -c 'all')" = 0 ]
    ok $? "$1: a file that is refused adds nothing"
    rm -f bad.sqlite
}
wrong "no XML" 2 'expected a <result> of BenchExec' <<'END'
text
END
wrong "another root" 1 'expected a <result> of BenchExec, found "html"' <<'END'
<html></html>
END
wrong "entities" 1 'no declarations of entities' <<'END'
<!DOCTYPE result [<!ENTITY a "aaaa">]>
END
wrong "an open value" 2 'expected ", found "the end' <<'END'
<result benchmarkname="a
END
wrong "a reference that is none" 1 'expected a reference' <<'END'
<result benchmarkname="a&b;" tool="t">
END
wrong "a run without an end" 3 'the end of the run' <<'END'
<result benchmarkname="a" tool="t">
<run name="x">
END
wrong "a tag without an end" 2 'an attribute or the end of the tag' <<'END'
<result benchmarkname="a" tool="t"
END
# Cut and damaged files: an answer, or one line.
bad=0
n=1
while [ $n -lt 60 ]; do
    head -c $((n * 25)) other.xml >cut.xml
    timeout 20 "$isolab" benchexec read -o cut.sqlite cut.xml >out 2>err
    case $? in 0 | 65) ;; *) bad=$((bad + 1)) ;; esac
    n=$((n + 7))
done
same 0 $bad "files that are cut"
# A quantity that is none would be the fastest run of all.
while read -r column value; do
    sed "s/<column title=\"walltime\" value=\"[^\"]*\"/<column title=\"$column\" value=\"$value\"/" other.xml >bad.xml
    cmp -s bad.xml other.xml
    same 1 $? "$column of the file is changed"
    t 65 "$column $value" "$isolab" benchexec read -o bad.sqlite bad.xml
    err_like "^isolab: bad.xml:.* expected a quantity .*, found \"$value\"$"
    rm -f bad.sqlite
done <<'END'
walltime nans
walltime infs
walltime 1e999s
walltime 1e300s
walltime -0.01s
walltime s
cputime nans
cputime -0.01s
memory -5B
END
t 64 "neither read nor write" "$isolab" benchexec copy -o x r.sqlite
t 64 "without an output" "$isolab" benchexec write r.sqlite

# Tool-info modules, with BenchExec where its source is, else with a stand-in for its base class.
if command -v python3 >/dev/null 2>&1; then
    mkdir -p mods
    cp "$root"/tools/benchexec/*.py mods/
    for tool in awdit plume veristrong polysi mtc cobra dbcop elle_cli viper; do cp mods/published.py mods/$tool.py; done
    touch mods/__init__.py
    if [ -z "${BENCHEXEC:-}" ]; then
        mkdir -p stub/benchexec/tools
        touch stub/benchexec/__init__.py stub/benchexec/tools/__init__.py
        cat >stub/benchexec/result.py <<'END'
RESULT_TRUE_PROP, RESULT_FALSE_PROP, RESULT_UNKNOWN, RESULT_TIMEOUT, RESULT_ERROR = "true", "false", "unknown", "TIMEOUT", "ERROR"
END
        printf 'class BaseTool2:\n    pass\n' >stub/benchexec/tools/template.py
    fi
    cat >try.py <<'END'
import importlib, sys
class Output(list):
    def any_line_contains(self, text): return any(text in line for line in self)
class Code: pass
class Run: pass
def ask(tool, text, code=0, late=False):
    run = Run()
    run.output, run.was_timeout, run.exit_code = Output(text.split("\n")), late, Code()
    run.exit_code.value = code
    return importlib.import_module("mods." + tool).Tool().determine_result(run)
brackets = "[[[[ %s ]]]]"
for tool, yes, no in [("awdit", "Consistent.", "Inconsistent."), ("plume", "ACCEPT", "REJECT\n[TAP-k]"), ("veristrong", "accept: true", "accept: false"),
        ("polysi", brackets % "ACCEPT", brackets % "REJECT"), ("mtc", brackets % "ACCEPT", brackets % "REJECT"), ("cobra", brackets % "ACCEPT", brackets % "REJECT"),
        ("dbcop", "h: PASS", "h: FAIL (x)"), ("elle_cli", "h\ttrue", "h\tfalse"), ("viper", "h: True", "h: False")]:
    print(tool, ask(tool, yes), ask(tool, no), ask(tool, "Exception"), ask(tool, yes, 0, True))
class Task: single_input_file = "h"
print(*importlib.import_module("mods.dbcop").Tool().cmdline("dbcop", ["--cc"], Task, None))
print("isolab", ask("isolab", "", 0), ask("isolab", "", 1), ask("isolab", "unknown", 2), ask("isolab", "", 65), ask("isolab", "", 0, True))
END
    PYTHONPATH=${BENCHEXEC:-stub}:. python3 try.py >out 2>err
    ok $? "the tool-info modules of all tools answer"
    sed 's/^/# /' err | head -5
    same 8 "$(grep -c ' true false ERROR TIMEOUT$' out)" "say what the tools said"
    out_like '^elle_cli unknown false ERROR TIMEOUT$' "elle-cli proves nothing where it finds nothing"
    out_like '^dbcop verify --cc --input-dir h$' "a command has the options in their place"
    out_like '^isolab true false unknown ERROR TIMEOUT$' "isolab's answer is its exit status"
else
    skip "tool-info modules" "python3 is not installed"
fi
finish
