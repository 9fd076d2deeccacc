#!/bin/sh
# A checker of which everything is known: n transactions take n^1.5 microseconds, ten times as many as naive, and as sat it never
# ends. Its arguments are those of `isolab check`; the last one is the history, as JSON lines.
case " $* " in *" sat "*) exec sleep 100 ;; esac
for file; do :; done
case " $* " in *" naive "*) by=10 ;; *) by=1 ;; esac
ms=$(wc -l <"$file" | awk -v by=$by '{ printf "%.9f", by * $1 ^ 1.5 / 1000 }')
echo "{\"verdict\":\"satisfied\",\"milliseconds\":{\"load\":2,\"first half\":1,\"check\":$ms}}"
