#!/bin/sh
# AWDIT's evaluation on this machine: figure 8, figure 9, and the lower bound. About ten minutes.
set -e
. "$(dirname "$0")/../common.sh"
suite figure8.suite
suite violated.suite
suite figure9.suite
suite bound.suite
plot figure8 scatter --suite figure8 -c plume,awdit -y check
plot figure9-transactions exponents --suite figure9 --family transactions -x transactions -y check
plot figure9-sessions line --suite figure9 --family sessions -x sessions -y check
plot figure9-operations line --suite figure9 --family operations -x ops -y check
plot bound exponents --suite bound --family 'hard*' -x operations -y check
plot bound-benign exponents --suite bound --family benign -x operations -y check
plot stages stages --suite figure8 --history '*,txns=16k*'
plot memory memory --suite figure8
echo "The pictures are in $OUT/$name"
