"""sender.py INVITATION VISITS: a simulated gate (gate.py) sends that many visits in messages of 256 entries, one after the other, to an
agent with the plugin of deploy/acapy; prints how long that took as {"entries", "seconds"}, from the first message to the last receipt.
"""
import json
import sys
import time

from gate import Gate, Ledger, code


def main():
    gate, ledger = Gate(sys.argv[1]), Ledger("sender")
    for _ in range(int(sys.argv[2])):
        ledger.visit()
    count, began = len(ledger.entries), time.monotonic()
    for first in range(1, count + 1, 256):
        answer = gate.send(ledger, first, min(first + 255, count))
        if code(answer) != "receipt":
            raise SystemExit("no receipt: %s" % code(answer))
    print(json.dumps(dict(entries=count, seconds=time.monotonic() - began)), flush=True)


main()
