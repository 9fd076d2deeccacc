#!/bin/sh
# Pictures as TikZ go through a real LaTeX, also with hostile names and characters that it does not have; nothing of a name is run.
. "$(dirname "$0")/tap.sh"
command -v pdflatex >/dev/null && [ -n "$(kpsewhich tikz.sty 2>/dev/null)" ] ||
    skip_all "LaTeX with TikZ is not installed: texlive-latex-base and texlive-pictures"
cd "$tmp" || exit 1

cat >fork.txt <<'H'
session A
t1 commit: w x 1
session B
t2 commit: w y 1
session C
t3 commit: r x 1, r y nil
session D
t4 commit: r x nil, r y 1
H
cat >evil.jsonl <<'H'
{"session":"A_$^&#%~{}\\","id":"t1\\input{/etc/passwd}","ops":[["r","x%y",null],["w","\u00e9\u2192\u65e5\u0001",1]],"start":10,"end":20}
{"session":"B \\end{document}","id":"t2}}\\write18{touch hacked}","ops":[["r","\u00e9\u2192\u65e5\u0001",null],["w","x%y",1]],"start":11,"end":21}
H
{ i=0; while [ $i -lt 12 ]; do i=$((i + 1)); echo "session s$i"; echo "t$i commit: r k$i nil, w k$((i % 12 + 1)) $i"; done; } >ring.txt

for file in fork.txt evil.jsonl ring.txt; do
    "$isolab" check -l ser --picture "$file.tex" "$file" >said 2>err
    printf '\\documentclass{article}\n\\usepackage{tikz}\n\\begin{document}\n\\input{%s.tex}\nLastword.\n\\end{document}\n' "$file" >page.tex
    t 0 "$file: LaTeX takes it" timeout 100 pdflatex -interaction=nonstopmode -halt-on-error page.tex
    ! grep -q '^Overfull' page.log
    ok $? "$file: it is not wider than the line"
    if command -v pdftotext >/dev/null; then
        pdftotext -layout page.pdf text
        case $file in
        fork.txt) words='reads|t3|session C|Lastword' ;;
        evil.jsonl) words='input{/etc/passwd}|write18{touch|end{document}|Lastword' ;;
        *) words='t12|session s7|Lastword' ;;
        esac
        n=0
        old=$IFS; IFS='|'
        for word in $words; do grep -qF -- "$word" text || { n=$((n + 1)); echo "# no $word"; }; done
        IFS=$old
        same 0 $n "$file: names and the text after it are on the page"
    fi
done
[ ! -e hacked ]
ok $? "nothing of a name is run"
! grep -q 'root:' text
ok $? "and no file is read"
finish
