#!/usr/bin/env python3
"""A checker to begin with: read atomic of registers whose values are unique, as a program of its own.

    ./skeleton.py LEVEL HISTORY.jsonl...

prints a line for each history, `PATH: satisfied`, `PATH: violated: why` or `PATH: unknown: why`, and ends with status 0. It takes
several histories at once, since an interpreter starts slowly: {files} in skeleton.adapters. Try it against the definition:

    isolab referee --checkers brute,ext:skeleton --adapters skeleton.adapters -l ra --random

The histories are JSON lines (docs/formats.md), one transaction a line, those of a session in its order. The referee leaves out
transactions that do not take part, except aborted ones; a value null is the initial one.
"""
import json
import sys

INIT = -1  # the initial transaction


class Unsupported(Exception):
    pass


class Violated(Exception):
    pass


def load(path):
    with open(path, encoding="utf-8") as lines:
        parsed = [json.loads(line) for line in lines if line.strip()]
    return [txn for txn in parsed if "isolab" not in txn]  # the first line may tell the version of the format


def writers_of(txns):
    """By key and value: the transaction and whether this is its last write of the key; and by transaction: the keys."""
    writer, keys = {}, []
    for t, txn in enumerate(txns):
        last = {}
        for kind, key, value in txn["ops"]:
            if kind not in ("r", "w"):
                raise Unsupported(f"operation {kind}")
            if kind == "w":
                if (key, value) in writer:
                    raise Unsupported(f"value {value} of key {key} is written twice")
                last[key] = value
                writer[key, value] = (t, False)
        for key, value in last.items():
            writer[key, value] = (t, True)
        keys.append(set(last))
    return writer, keys


def reads_of(t, txn, writer, committed):
    """The reads from other transactions, as (key, transaction); the rules of read consistency hold."""
    own, reads = {}, []
    for kind, key, value in txn["ops"]:
        if kind == "w":
            own[key] = value
        elif key in own:
            if own[key] != value:
                raise Violated(f"{key} = {value} is not the latest own write")
        elif value is None:
            reads.append((key, INIT))
        else:
            source, final = writer.get((key, value), (None, False))
            if source is None:
                raise Violated(f"no transaction wrote {key} = {value}")
            if source == t or not final or not committed[source]:
                raise Violated(f"{key} = {value} was not there to be read")
            reads.append((key, source))
    return reads


def has_cycle(n, edges):
    waits, after = [0] * n, [[] for _ in range(n)]
    for a, b in edges:
        after[a].append(b)
        waits[b] += 1
    free = [t for t in range(n) if waits[t] == 0]
    for t in free:
        for u in after[t]:
            waits[u] -= 1
            if waits[u] == 0:
                free.append(u)
    return len(free) < n


def check_ra(txns):
    writer, keys = writers_of(txns)
    committed = [txn.get("status", "committed") != "aborted" for txn in txns]
    edges, earlier = set(), {}
    for t, txn in enumerate(txns):
        if not committed[t]:
            continue
        reads = reads_of(t, txn, writer, committed)
        before = earlier.setdefault(txn["session"], [])
        sees = set(before) | {source for _, source in reads} - {INIT}
        for key, source in reads:  # all that t sees and that writes the key comes before what t reads from
            for other in sees - {source}:
                if key in keys[other]:
                    if source == INIT:
                        raise Violated(f"the initial value of {key} is read after another one was seen")
                    edges.add((other, source))
        edges |= {(u, t) for u in sees}
        before.append(t)
    if has_cycle(len(txns), edges):
        raise Violated("no order of the transactions is possible")


CHECKS = {"ra": check_ra}


def main(level, paths):
    for path in paths:
        try:
            CHECKS[level](load(path))
            print(f"{path}: satisfied")
        except Violated as why:
            print(f"{path}: violated: {why}")
        except Unsupported as why:
            print(f"{path}: unknown: {why}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
