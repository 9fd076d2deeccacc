#!/usr/bin/env python3
"""Causal consistency by answer-set programming: a baseline of our own, in the manner of CausalC+ (plume.txt section 5.5).

    ./asp.py cc HISTORY.jsonl

The history becomes facts, the definition (awdit.txt definition 2.8) becomes rules, gringo grounds them and clasp solves them. It prints
what skeleton.py prints, whose reader and test of read consistency it takes. Debian has both programs in the packages gringo and clasp.
"""
import shutil
import subprocess
import sys

from skeleton import INIT, Unsupported, Violated, load, reads_of, writers_of

# edge: session order and reads-from. If t3 reads x from t1, and t2 also writes x and happened before t3, then t2 is committed before t1.
RULES = """
before(A,B) :- edge(A,B).
before(A,C) :- before(A,B), edge(B,C).
co(A,B) :- edge(A,B).
co(T2,T1) :- reads(T3,X,T1), writes(T2,X), T1 != T2, before(T2,T3).
path(A,B) :- co(A,B).
path(A,C) :- path(A,B), co(B,C).
:- path(A,A).
"""


def facts(txns):
    writer, keys = writers_of(txns)
    committed = [txn.get("status", "committed") != "aborted" for txn in txns]
    number, last = {}, {}
    for t, txn in enumerate(txns):
        if not committed[t]:
            continue
        session = txn["session"]
        yield f"edge({last[session] if session in last else 'init'},{t})."
        last[session] = t
        for key in keys[t]:
            yield f"writes({t},{number.setdefault(key, len(number))})."
        for key, source in reads_of(t, txn, writer, committed):
            source = "init" if source == INIT else source
            yield f"edge({source},{t}). reads({t},{number.setdefault(key, len(number))},{source})."


def check_cc(txns):
    program = RULES + "\n".join(facts(txns)) + "\n"
    missing = [name for name in ("gringo", "clasp") if shutil.which(name) is None]
    if missing:
        raise Unsupported(f"{missing[0]} is not installed")
    ground = subprocess.run(["gringo"], input=program.encode(), capture_output=True, check=False)
    if ground.returncode != 0:
        raise Unsupported(f"gringo: {ground.stderr.decode(errors='replace').strip()[:200]}")
    solved = subprocess.run(["clasp", "--verbose=0"], input=ground.stdout, capture_output=True, check=False)
    if solved.returncode == 20:
        raise Violated("the program has no answer set")
    if solved.returncode not in (10, 30):
        raise Unsupported(f"clasp: status {solved.returncode}")


def main(level, paths):
    for path in paths:
        try:
            if level != "cc":
                raise Unsupported(f"level {level}")
            check_cc(load(path))
            print(f"{path}: satisfied")
        except Violated as why:
            print(f"{path}: violated: {why}")
        except Unsupported as why:
            print(f"{path}: unknown: {why}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
