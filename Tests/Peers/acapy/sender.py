"""sender.py INVITATION VISITS [single]: a simulated gate (gate.py) sends the reports of this number of visits to an
agent.

It sends messages of 256 entries to an agent with the plugin of deploy/acapy, which answers each with a receipt; with
"single", each report in one basicmessage to any agent. It prints the duration from the first message to the last
answer as {"messages", "seconds"}.
"""
import json
import sys
import time

from gate import Gate, Ledger, code


def main():
    gate, ledger = Gate(sys.argv[1]), Ledger("sender")
    for _ in range(int(sys.argv[2])):
        ledger.visit()
    messages, began = 0, time.monotonic()
    if "single" in sys.argv:
        for entry in ledger.entries[1::2]:
            gate.tell(json.dumps(dict(ledger=ledger.id, position=entry["position"], hash=entry["hash"], body=entry["body"])))
            messages += 1
    else:
        for first in range(1, len(ledger.entries) + 1, 256):
            answer = gate.send(ledger, first, min(first + 255, len(ledger.entries)))
            if code(answer) != "receipt":
                raise SystemExit("no receipt: %s" % code(answer))
            messages += 1
    print(json.dumps(dict(messages=messages, seconds=time.monotonic() - began)), flush=True)


main()
