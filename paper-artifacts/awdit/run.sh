#!/bin/sh
# AWDIT's evaluation on this machine: figures 7, 8 and 9, table 1, and the lower bound.
set -e
. "$(dirname "$0")/../common.sh"
suite figure7.suite
suite figure8.suite
suite violated.suite
suite figure9.suite
suite table1.suite
suite bound.suite
published=awdit,plume,ext:awdit,ext:plume,ext:dbcop-2019,ext:polysi,ext:viper,ext:asp
plot figure7-twitter line --suite figure7 --family twitter -y net -c awdit,plume,dbcop,sat,like-tcc-mono,ext:asp,ext:awdit,ext:plume,ext:dbcop-2019
plot figure7-rubis line --suite figure7 --family rubis -y net -c awdit,plume,dbcop,sat,like-tcc-mono,ext:asp,ext:awdit,ext:plume,ext:dbcop-2019
plot figure7-tpcc line --suite figure7 --family tpcc -y net -c awdit,plume,dbcop,sat,like-tcc-mono,ext:asp,ext:awdit,ext:plume,ext:dbcop-2019
plot figure7-si line --suite figure7 --family twitter-si -y net
plot figure7-process mean --suite figure7 -y wall -c $published
plot figure7-memory mean --suite figure7 -y peak -c $published
plot figure8 scatter --suite figure8 -c plume,awdit -y check --pool
plot figure8-workloads scatter --suite figure8 -c plume,awdit -y check -l cc
plot figure8-published scatter --suite figure8 --family published -l ra,cc -c ext:plume,ext:awdit -y net
plot figure8-verdicts verdicts --suite figure8
plot figure9-transactions exponents --suite figure9 --family transactions -x transactions -y check
plot figure9-sessions line --suite figure9 --family sessions -x sessions -y check
plot figure9-operations line --suite figure9 --family operations -x ops -y check
plot table1 verdicts --suite table1
plot table1-histories matrix --suite table1 --family '*[do]'
plot bound exponents --suite bound --family 'hard*' -x operations -y check
plot bound-benign exponents --suite bound --family benign -x operations -y check
plot stages stages --suite figure8 --family '[rt][uwp]*'
plot memory memory --suite figure8
finish
