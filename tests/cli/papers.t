#!/bin/sh
# The artifacts: suites that can be read, claims that are understood, verdicts on claims.
. "$(dirname "$0")/tap.sh"

for s in "$root"/experiments/suites/*.suite "$root"/paper-artifacts/*/*.suite; do
    t 0 "${s#"$root"/} can be read" "$isolab" bench --plan "$s"
    out_like '[1-9][0-9]* histories, [1-9][0-9]* questions, [1-9][0-9]* runs$'
done
for a in "$root"/paper-artifacts/*/; do
    a=${a%/}
    for file in run.sh claims.md; do
        [ -e "$a/$file" ]
        ok $? "$(basename "$a") has $file"
    done
    claims=$(grep -c "^| $(basename "$a")-[0-9]" "$a/claims.md")
    BUILD=$BUILD OUT=$tmp/none "$root/paper-artifacts/claims.sh" "$(basename "$a")" >"$tmp/out"
    ok $? "$(basename "$a"): nothing measured is no failure"
    out_like "^$claims claims: 0 PASS, 0 FAIL, $claims SKIPPED" "all $claims claims are understood"
done

# Claims whose numbers are known.
mkdir -p "$tmp/art/x"
cp "$root/paper-artifacts/claims.sh" "$tmp/art/"
cat >"$tmp/art/x/claims.md" <<'END'
| id | claim | expected | command | minutes | memory |
|---|---|---|---|---|---|
| x-1 | inside | 1..2 | `echo 1.5` | 1 | 1 GB |
| x-2 | the bounds belong to it | 1.5..1.5 | `echo 1.50` | 1 | 1 GB |
| x-3 | open above | 1.. | `echo 1e3` | 1 | 1 GB |
| x-4 | negative | -0.5..0.5 | `echo -0.25` | 1 | 1 GB |
| x-5 | too small | 1.. | `echo 0.99` | 1 | 1 GB |
| x-6 | too large | ..1 | `echo 1.01` | 1 | 1 GB |
| x-7 | not a number | ..1 | `echo NaN` | 1 | 1 GB |
| x-8 | nothing there | ..1 | `isolab plot table none.sqlite` | 1 | 1 GB |
END
OUT=$tmp/out.d t 1 "claims that fail" "$tmp/art/claims.sh" x
out_like '^8 claims: 4 PASS, 3 FAIL, 1 SKIPPED$'
same "PASS PASS PASS PASS FAIL FAIL FAIL SKIPPED" "$(awk 'NF > 3 && !/claims:/ { printf "%s%s", sep, $1; sep = " " }' "$tmp/out")" "one by one"
out_like '^SKIPPED +x-8 .*No such file'
finish
