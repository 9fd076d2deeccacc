#!/usr/bin/env python3
"""A checker for `isolab referee`, as a program that stays: histories in, the verdict of each a line out.

    isolab referee --checkers naive,ext:example --adapters examples/checker.adapters -l g1 --random --count 1000

It answers level g1 of docs/levels.md, for histories of registers whose values are unique. Put your own rule into violation().

A question is a line with a number and as many bytes, which are the history (`told = text` in checker.adapters), or a line with
the path of a file (`told = path`).
"""
import json
import sys


def question(line):
    """The text of the history that is asked about."""
    if line.strip().isdigit():
        return sys.stdin.buffer.read(int(line)).decode()
    with open(line.rstrip(b"\n")) as history:
        return history.read()


def transactions_of(text):
    """The lines of a .jsonl file: {"session":0,"status":"committed","ops":[["r","x",null],["w","x",1]]}, in session order."""
    return [json.loads(line) for line in text.splitlines() if line.strip() and "ops" in line]


def writers_of(transactions):
    """By key and value: the number of the transaction, and whether it overwrote the value itself."""
    writers = {}
    for number, txn in enumerate(transactions):
        last = {op[1]: op[2] for op in txn["ops"] if op[0] == "w"}
        for kind, key, value in txn["ops"]:
            if kind == "w":
                writers[key, value] = (number, last[key] != value)
    return writers


def violation(transactions):
    """Why a history violates g1, in words; None: it does not."""
    writers = writers_of(transactions)
    before = {number: set() for number in range(len(transactions))}  # the ones read from, and the one before in the session
    latest = {}
    for number, txn in enumerate(transactions):
        if txn["status"] == "aborted":
            continue
        before[number].update(latest.get(txn["session"], ()))
        latest[txn["session"]] = {number}
        own = {}
        for kind, key, value in txn["ops"]:
            if kind == "w":
                own[key] = value
            elif key in own:
                if own[key] != value:
                    return "not its own write"
            elif value is not None:
                writer, overwritten = writers.get((key, value), (None, False))
                if writer is None or transactions[writer]["status"] == "aborted":
                    return "a value that was not committed"
                if writer == number or overwritten:
                    return "a value that other transactions must not see"
                before[number].add(writer)
    return None if is_acyclic(before) else "a cycle of reads and sessions"


def is_acyclic(before):
    """Takes away what comes after nothing, until nothing is left."""
    left = dict(before)
    while left:
        first = [number for number, others in left.items() if not any(other in left for other in others)]
        if not first:
            return False
        for number in first:
            del left[number]
    return True


while line := sys.stdin.buffer.readline():
    reason = violation(transactions_of(question(line)))
    print("satisfied" if reason is None else "violated: " + reason, flush=True)  # at once: the referee waits for it
