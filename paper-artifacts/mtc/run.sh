#!/bin/sh
# MTC's evaluation on this machine: figures 17 to 19, theorems 9 to 11.
set -e
. "$(dirname "$0")/../common.sh"
suite figure17.suite
suite figure18.suite
suite figure19.suite
suite theorems.suite
plot figure17-objects line --suite figure17 --family objects -x keys -l si
plot figure17-sessions line --suite figure17 --family sessions -x sessions -l si
plot figure17-transactions exponents --suite figure17 --family transactions -y check
plot figure17-verdicts verdicts --suite figure17
plot figure18 line --suite figure18 --family '[mg]*[il]' -y total
plot figure18-checking line --suite figure18 --family '[mg]*[il]' -y check
plot figure18-databases table --suite figure18 --family '*-*' -y total
plot figure19 verdicts --suite figure19
plot figure19-bugs matrix --suite figure19
plot theorems line --suite theorems --family 'theorem-1*' -x operations -y check
plot theorems-unique line --suite theorems --family unique -x operations -y check
finish
