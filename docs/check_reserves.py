#!/usr/bin/env python3
"""Checks a proof of reserves: that your balance is among what the exchange says it owes.

    curl http://127.0.0.1:8080/v1/reserves > reserves.json
    # POST /v1/reserves/proof with {"currency": "BTC"}, signed, > proof.json
    python3 check_reserves.py --owner GROUP/ACCOUNT reserves.json proof.json

Several proofs may be given; two of them must not show the same leaf. The program needs Python 3.8 or newer and nothing else. It exits
with 0 if everything holds, with 1 if something does not, with 2 if it cannot read its input.

How the hashes are made (SHA-256, in lower-case hex; amounts as they are printed):

    leaf  "buttonwood leaf|NONCE|AMOUNT"
    node  "buttonwood node|HASH|SUM|HASH|SUM", left child first

The nonce begins with the names of your group and account, so the leaf is yours and is shown to no other customer. A node's sum is that of
its children, so the root's sum, the liabilities, contains your amount.
"""

import argparse
import hashlib
import json
import re
import sys

PLAIN = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")
HASH = re.compile(r"[0-9a-f]{64}")
NONCE = re.compile(r"(.*)/([0-9a-f]{64})", re.DOTALL)


class Wrong(Exception):
    """Something does not hold."""


def units(text, what):
    """An amount in units of 10^-19. Only one spelling of an amount is accepted, since the spelling is hashed."""
    if not isinstance(text, str) or not PLAIN.fullmatch(text):
        raise Wrong(f"{what} is no plain decimal: {text!r}")
    whole, _, places = text.partition(".")
    if len(places) > 19:
        raise Wrong(f"{what} has more than 19 decimals: {text!r}")
    return int(whole + places.ljust(19, "0"))


def printed(amount):
    """The spelling of an amount."""
    whole, places = divmod(amount, 10**19)
    places = f"{places:019}".rstrip("0")
    return f"{whole}.{places}" if places else str(whole)


def sha256(text):
    return hashlib.sha256(text.encode()).hexdigest()


def climb(proof):
    """Root and sum that the path of a proof leads to."""
    total = units(proof["amount"], "the amount")
    if total == 0:
        raise Wrong("the amount is 0")
    reached = sha256(f"buttonwood leaf|{proof['nonce']}|{proof['amount']}")
    for number, step in enumerate(proof["path"], 1):
        other = units(step["sum"], f"the sum of step {number}")
        if not isinstance(step["hash"], str) or not HASH.fullmatch(step["hash"]):
            raise Wrong(f"the hash of step {number} is not 64 hex digits")
        own, sibling = (reached, printed(total)), (step["hash"], step["sum"])
        if step["side"] not in ("left", "right"):
            raise Wrong(f"the side of step {number} is neither left nor right")
        children = (sibling, own) if step["side"] == "left" else (own, sibling)
        reached = sha256("|".join(("buttonwood node", *children[0], *children[1])))
        total += other
    return reached, total


def check(reserves, proof, owner):
    """Checks one proof; returns the line to print."""
    nonce = NONCE.fullmatch(proof["nonce"])
    if not nonce:
        raise Wrong(f"the nonce does not end with 64 hex digits: {proof['nonce']!r}")
    if owner is not None and nonce.group(1) != owner:
        raise Wrong(f"the leaf belongs to {nonce.group(1)!r}, not to {owner!r}")
    if proof["time"] != reserves["time"]:
        raise Wrong(f"the proof is of {proof['time']}, the reserves are of {reserves['time']}: fetch both again")
    rows = [row for row in reserves["currencies"] if row["currency"] == proof["currency"]]
    if len(rows) != 1:
        raise Wrong(f"{proof['currency']} has {len(rows)} rows among the reserves")
    root, total = climb(proof)
    if root != rows[0]["root"]:
        raise Wrong(f"the path leads to {root}, the published root is {rows[0]['root']}")
    if total != units(rows[0]["liabilities"], "liabilities"):
        raise Wrong(f"the sums lead to {printed(total)}, the published liabilities are {rows[0]['liabilities']}")
    return f"{proof['currency']}: {proof['amount']} of {nonce.group(1)} is among liabilities of {printed(total)}"


def covered(reserves):
    """Checks that each currency's assets cover its liabilities."""
    for row in reserves["currencies"]:
        name = row["currency"]
        if units(row["assets"], f"assets of {name}") < units(row["liabilities"], f"liabilities of {name}"):
            raise Wrong(f"{name}: assets of {row['assets']} do not cover liabilities of {row['liabilities']}")
    return f"{len(reserves['currencies'])} currencies: assets cover liabilities, as of {reserves['time']}"


def main():
    parser = argparse.ArgumentParser(description="Checks proofs of reserves.")
    parser.add_argument("--owner", help="GROUP/ACCOUNT that every leaf must belong to")
    parser.add_argument("reserves", help="file with the reply of GET /v1/reserves")
    parser.add_argument("proofs", nargs="*", help="files with replies of POST /v1/reserves/proof")
    arguments = parser.parse_args()
    try:
        reserves, *proofs = [json.load(open(path, encoding="utf-8")) for path in [arguments.reserves, *arguments.proofs]]
    except (OSError, ValueError) as error:
        print(f"cannot read: {error}", file=sys.stderr)
        return 2
    try:
        lines = [covered(reserves)] + [check(reserves, proof, arguments.owner) for proof in proofs]
        nonces = [(proof["currency"], proof["nonce"]) for proof in proofs]
        if len(set(nonces)) < len(nonces):
            raise Wrong("two proofs show the same leaf")
    except Wrong as wrong:
        print(f"does not hold: {wrong}", file=sys.stderr)
        return 1
    except (KeyError, TypeError) as missing:
        print(f"not a reply of the exchange: {missing!r}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
