"""Recomputes balances from an exported statement: prints the sum of each account and currency, exactly."""

import json
import sys
from decimal import Decimal

import pandas

rows = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
for column in ("amount", "balance"):
    rows[column] = rows[column].map(Decimal)
keys = ["group", "account", "currency"]
sums = {}
for key, own in rows.groupby(keys, sort=False):
    running = own["amount"].cumsum()
    if not (running == own["balance"]).all():
        sys.exit(f"a balance of {key} does not follow from the amounts")
    sums["/".join(key)] = str(running.iloc[-1])
print(json.dumps(sums))
