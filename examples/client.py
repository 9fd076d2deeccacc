#!/usr/bin/python3
"""A client for `isolab collect exec`: transactions come in as lines of JSON, their outcomes go out (docs/record.md).

    isolab collect exec --command "python3 examples/client.py /tmp/new.db" -w mini --keys 10 -o history.jsonl
"""
import json, sqlite3, sys

db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=10)
db.execute("PRAGMA synchronous = OFF")
db.execute("CREATE TABLE IF NOT EXISTS t (k INTEGER PRIMARY KEY, v INTEGER)")
for line in sys.stdin:
    transaction, reads, begun = json.loads(line), [], False
    try:
        db.execute("BEGIN IMMEDIATE")
        begun = True
        for op, key, *value in transaction["ops"]:
            if op == "r":
                row = db.execute("SELECT v FROM t WHERE k = ?", (key,)).fetchone()
                reads.append(row and row[0])
            else:
                db.execute("REPLACE INTO t VALUES (?, ?)", (key, *value))
        db.execute("ROLLBACK" if transaction.get("abort") else "COMMIT")
        outcome = {"status": "aborted" if transaction.get("abort") else "committed", "reads": reads}
    except sqlite3.OperationalError as error:  # busy: another transaction writes
        if begun:
            db.execute("ROLLBACK")
        outcome = {"status": "aborted", "error": str(error)}
    print(json.dumps(outcome), flush=True)
