#!/bin/sh
# MTC's evaluation on this machine: figures 17 to 19, theorems 9 to 11.
set -e
. "$(dirname "$0")/../common.sh"
# Databases and Java programs start many times.
SECONDS_EACH=$((3 * SECONDS_EACH)) suite figure17.suite
SECONDS_EACH=$((2 * SECONDS_EACH)) suite figure18.suite
suite figure19.suite
suite theorems.suite
published=mtc,veristrong,ext:mtc,ext:polysi,ext:dbcop-2019
plot figure17-objects line --suite figure17 --family objects -x keys -l si -y net
plot figure17-sessions line --suite figure17 --family sessions -x sessions -l si -y net
plot figure17-few-objects line --suite figure17 --family few-objects -x keys -l si -y net
plot figure17-few-sessions line --suite figure17 --family few-sessions -x sessions -l si -y net
plot figure17-transactions exponents --suite figure17 --family transactions -y check
for database in sqlite postgres mariadb; do
    plot figure17-$database-objects line --suite figure17 --family $database-objects -x keys -y net
    plot figure17-$database-sessions line --suite figure17 --family $database-sessions -x sessions -y net
done
plot figure17-aborted mean --suite figure17 --family '*-*' -c mtc -y aborted
plot figure17-process mean --suite figure17 -y wall -c $published
plot figure17-memory mean --suite figure17 -y peak -c $published
plot figure17-verdicts verdicts --suite figure17
plot figure18 line --suite figure18 --family '[mg][ie]n*' -y total
plot figure18-checking line --suite figure18 --family '[mg][ie]n*' -y net
plot figure18-databases mean --suite figure18 --family '*-*' -y served
plot figure18-aborted mean --suite figure18 --family '*-*' -c mtc,veristrong -y aborted
plot figure18-process mean --suite figure18 --family '[mg][ie]n*' -y wall -c $published
plot figure18-memory mean --suite figure18 --family '[mg][ie]n*' -y peak -c $published
plot figure19 verdicts --suite figure19
plot figure19-bugs matrix --suite figure19
plot theorems-traces line --suite theorems --family 'theorem-[19]*' -l ser,sser -x processes -y check
plot theorems-formulas line --suite theorems --family theorem-11 -x vars -y check
plot theorems-unique line --suite theorems --family unique -x operations -y check
finish
