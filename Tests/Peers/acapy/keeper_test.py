"""keeper_test.py VERSION FOLDER [--bench]: tests the plugin of deploy/acapy in a real agent of this version.

A simulated gate (gate.py) sends batches; the database is a real PostgreSQL. The test checks the answers and the tables,
and that the views report every fault that it causes. Prints a line for each part; the first failure ends it with exit
code 1. --bench measures instead.
"""
import asyncio
import statistics
import sys
import threading
import time

from gate import REPORT, Gate, Ledger, code, wait
from keeper import Keeper, PLUGIN


def check(holds, what, seen=None):
    if not holds:
        raise SystemExit("does not hold: %s (%r)" % (what, seen))


class Test(Keeper):
    def entries(self, ledger):
        return int(self.sql("select count(*) from gatehouse.entry where ledger = '%s'" % ledger.id)[0][0])

    def test_messages(self):
        gate, ledger = Gate(self.invitation), Ledger()
        check(gate.features() == [REPORT.rstrip("/")], "the protocol is disclosed", gate.features())
        head = gate.head(ledger)
        check((code(head), head["position"], head["hash"]) == ("head", 0, ledger.hash.hex()), "no head", head)
        for _ in range(20):
            ledger.visit()
        for _ in range(2):  # a repetition is stored once, and its receipt is sent again
            receipt = gate.send(ledger, 1, 25)
            check(code(receipt) == "receipt", "a receipt comes with the same HTTP answer", receipt)
            check((receipt["ledger"], receipt["position"], receipt["hash"])
                  == (ledger.id, 25, ledger.entries[24]["hash"]), "it names the last entry", receipt)
            check(self.entries(ledger) == 25, "each entry is there once")
        check(gate.head(ledger)["position"] == 25, "the head")
        check(self.faults(ledger.id) == {"gaps": ["26-40 end"]}, "the end is missing", self.faults(ledger.id))
        check(code(gate.post(dict(
            gate.message("did:sov:BzCbsNYhMrjHiqZDTUASHg;spec/verification-report/1.0/records"), ledger=ledger.id,
            entries=ledger.entries[25:], head=ledger.end))) == "receipt", "the old prefix")
        check(self.faults(ledger.id) == {}, "nothing is missing", self.faults(ledger.id))
        visits = self.sql("select seq, result, opened, kiosk, reasons[1] from gatehouse.visits where ledger = '%s' order by seq"
                          % ledger.id)
        check([row[0] for row in visits] == [str(n) for n in range(1, 21)], "every visit is there once", visits)
        check(visits[0][1:] == ["accepted", "t", "test gate", "ok"], "what a visit says", visits[0])

    def test_heads(self):
        gate, ledger = Gate(self.invitation), Ledger()
        for _ in range(10):
            ledger.visit()
        check("head" not in gate.send(ledger, 1, 6), "a gate that signs nothing gets no signature back")
        check("head" not in gate.head(ledger), "nor when it asks")
        newer, older = (dict(ledger.end, signature=digit * 128) for digit in "ab")
        older.update(position=12, hash=ledger.entries[11]["hash"])
        check(gate.send(ledger, 7, 14, dict(head=newer))["head"] == newer, "the receipt has the head as it came")
        head = gate.head(ledger)
        check((head["position"], head["head"]) == (14, newer), "so has the head", head)
        check(gate.send(ledger, 1, 12, dict(head=older))["head"] == older, "an older one goes back with its receipt")
        check(gate.head(ledger)["head"] == newer, "and takes no newer one's place", gate.head(ledger))
        for bad in ("", "a" * 127, "A" * 128, "g" * 128, 7):
            answer = gate.send(ledger, 15, 20, dict(head=dict(ledger.end, signature=bad)))
            check(code(answer) == "records-refused", "a signature of another form", answer)
        check(code(gate.send(ledger, 15, 20)) == "receipt", "and without one it goes on")
        other = Gate(self.invitation)  # a gate with a copy of the ledger can continue it; the signature is false
        beyond = dict(position=2**53, hash="0" * 64, signature="c" * 128)
        check(code(other.send(ledger, 1, 6)) == "receipt", "another connection writes, too")
        check("head" not in other.head(ledger), "another connection's head is not given away", other.head(ledger))
        check(other.send(ledger, 7, 12, dict(head=beyond))["head"] == beyond, "and its own is junk")
        check(gate.head(ledger)["head"] == newer, "which hides no other one", gate.head(ledger))
        check(other.head(ledger)["head"] == beyond, "each gets its own", other.head(ledger))

    def test_refusals(self):
        gate, ledger = Gate(self.invitation), Ledger()
        for _ in range(150):
            ledger.visit()

        def changed(index, **members):
            entries = [dict(entry) for entry in ledger.entries[:3]]
            entries[index].update(members)
            return entries
        bad = dict(
            reordered=dict(entries=ledger.entries[1::-1]), cut=dict(entries=[ledger.entries[0], ledger.entries[2]]),
            empty=dict(entries=[]), many=dict(entries=ledger.entries[:257]), none=dict(entries=None),
            zero=dict(entries=changed(0, position=0)), negative=dict(entries=changed(0, position=-1)),
            beyond=dict(entries=[dict(ledger.entries[0], position=2**53 + 1)]), text=dict(entries=changed(0, position="1")),
            real=dict(entries=changed(0, position=1.0)), truth=dict(entries=changed(0, position=True)),
            hash=dict(entries=changed(1, hash="00")), upper=dict(entries=changed(1, hash=ledger.entries[1]["hash"].upper())),
            nul=dict(entries=changed(2, body="a\0b")), surrogate=dict(entries=changed(2, body="\ud800")),
            number=dict(entries=changed(2, body=7)), long=dict(entries=changed(2, body="x" * 262145)),
            head=dict(head=dict(ledger.end, position=2)), headless=dict(head=None), ledger=dict(ledger=7),
            ledgers=dict(ledger="x" * 65))
        for name, changes in bad.items():
            answer = gate.send(ledger, 1, 3, changes)
            check(code(answer) == "records-refused", name, answer)
        for name in (7, "", "x" * 65, "a\0b", "\ud800"):
            answer = gate.post(dict(gate.message(REPORT + "head-query"), ledger=name))
            check(code(answer) == "records-refused", "the head of no ledger", answer)
        check(self.entries(ledger) == 0, "nothing of it is stored")
        check(code(gate.send(ledger, 1, 256)) == "receipt", "256 are taken")

    def test_writers(self):
        gate, other, again = (Gate(self.invitation) for _ in range(3))
        ledger = Ledger()
        for _ in range(10):
            ledger.visit()
        check(code(gate.send(ledger, 1, 10)) == "receipt", "the first writer")
        check(code(other.send(ledger, 12, 14)) == "records-foreign", "a stranger")
        forged = Ledger("forger", ledger.id)
        for _ in range(8):
            forged.visit("rejected")
        check(code(other.send(forged, 1, 16)) == "records-foreign", "a stranger with a chain of its own")
        check(code(other.send(forged, 11, 16)) == "records-foreign", "a stranger behind the end")
        check(other.head(ledger)["position"] == 0, "a stranger learns nothing")
        check(code(again.send(ledger, 11, 20)) == "receipt", "who continues the chain came back by another way")
        check(code(Gate(self.invitation).send(ledger, 1, 20)) == "receipt", "also from the beginning")
        check(self.faults(ledger.id) == {}, "and nothing is wrong", self.faults(ledger.id))

    def test_views(self):
        gate = Gate(self.invitation)
        transit, rest, hole, fork, junk = (Ledger() for _ in range(5))
        for ledger in (transit, rest, hole, fork, junk):
            for _ in range(10):
                ledger.visit()
        body = transit.entries[6]["body"]
        changed = [dict(e, body=body.replace('"seq":4', '"seq":5')) if e["position"] == 7 else e for e in transit.entries]
        check(code(gate.send(transit, 1, 20, dict(entries=changed))) == "receipt", "what was changed on the way is kept")
        check(self.faults(transit.id) == {"chain_breaks": ["7"]}, "and named", self.faults(transit))
        gate.send(rest, 1, 20)
        self.sql("update gatehouse.entry set body = replace(body, 'accepted', 'rejected') where ledger = '%s' and position = 12"
                 % rest.id)
        check(self.faults(rest.id) == {"chain_breaks": ["12"]}, "what was changed here is named", self.faults(rest))
        self.sql("update gatehouse.entry set hash = sha256('x') where ledger = '%s' and position = 1" % rest.id)
        check(self.faults(rest.id) == {"chain_breaks": ["1", "12", "2"]}, "a changed hash", self.faults(rest))
        gate.send(hole, 1, 20)
        self.sql("delete from gatehouse.entry where ledger = '%s' and position in (1, 5, 6, 20)" % hole.id)
        check(self.faults(hole.id) == {"gaps": ["1-1", "20-20 end", "5-6"]}, "what was removed is named", self.faults(hole))
        gate.send(fork, 1, 20)
        back = Ledger(name=fork.id)  # the copy of an earlier day, which continues
        for _ in range(8):
            back.visit()
        back.visit("rejected").visit("rejected").visit("rejected")
        check(gate.head(fork)["position"] == 20, "the gate could know")
        check(code(gate.send(back, 17, 22)) == "receipt", "both are kept")
        check(self.faults(fork.id) == {"forks": ["18 2", "19 2", "20 2"]}, "a ledger that was put back is named", self.faults(fork))
        junk.entries[3]["body"] = "no JSON"
        junk.entries[5]["body"] = '{"kind":"outcome","seq":"x","gate":{"opened":7},"reasons":3,"dropped":{}}'
        gate.send(junk, 1, 20)
        check(self.faults(junk.id) == {"chain_breaks": ["4", "6"]}, "an entry that is no record", self.faults(junk))
        visits = int(self.sql("select count(*) from gatehouse.visits where ledger = '%s'" % junk.id)[0][0])
        check(visits == 9, "spoils no view", visits)
        check(self.sql("select * from gatehouse.silent_gates") == [], "nobody is silent")
        self.sql("update gatehouse.writer set kiosk = 'north', seen = now() - interval '26 hours' where ledger = '%s'" % junk.id)
        silent = self.sql("select gate, extract(hour from silence) + 24 * extract(day from silence) from gatehouse.silent_gates")
        check([row[0] for row in silent] == ["north"], "a gate that was not heard of", silent)
        gate.head(junk)
        check(self.sql("select * from gatehouse.silent_gates") == [], "its question is enough")

    def test_parallel(self):
        """Reads a large table through each view with several parallel processes, which the settings force here."""
        for view in ("gaps", "chain_breaks", "forks", "silent_gates", "visits"):
            rows = self.sql("set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0;"
                            " set min_parallel_index_scan_size = 0; select count(*) from gatehouse." + view)
            check(int(rows[-1][0]) >= 0, view)

    def test_outages(self):
        gate, ledger = Gate(self.invitation), Ledger()
        for _ in range(200):
            ledger.visit()
        check(code(gate.send(ledger, 1, 100)) == "receipt", "before")
        for end in ("stop", "kill"):
            self.database(end)
            began = time.monotonic()
            check(code(gate.send(ledger, 101, 200)) == "records-not-stored", "without PostgreSQL there is no receipt")
            check(code(gate.head(ledger)) == "records-not-stored", "nor a head")
            check(time.monotonic() - began < 10, "and that is said at once")
            self.database("start")
            wait(30, "a receipt", lambda: code(gate.send(ledger, 101, 200)) == "receipt")
        self.agent("kill")
        try:
            gate.send(ledger, 201, 300)
            check(False, "a dead agent answers")
        except OSError:
            pass
        self.agent("start")
        check(code(gate.send(ledger, 201, 300)) == "receipt", "the connection outlives the agent")
        # The agent is killed at some moment of a batch. Entries with a receipt must survive; others may.
        receipted = 300
        for delay in (0.0, 0.01, 0.03):
            killer = threading.Timer(delay, lambda: self.agent("kill"))
            killer.start()
            try:
                answer = gate.send(ledger, receipted + 1, receipted + 30)
                if code(answer) == "receipt":
                    receipted = answer["position"]
            except OSError:
                pass
            killer.join()
            gate.http.close()  # if all answers came before, it still has the connection to the killed agent
            self.agent("start")
            there = int(self.sql("select max(position) from gatehouse.entry where ledger = '%s'" % ledger.id)[0][0])
            check(there >= receipted, "what was receipted is there", (there, receipted))
        check(code(gate.send(ledger, receipted + 1, 400)) == "receipt", "the rest")
        check(self.faults(ledger.id) == {} and self.entries(ledger) == 400, "gap-free in the end", self.faults(ledger.id))

    def test_driver(self):
        """An error of the driver or of the event loop leads to a problem report that does not blame the gate, never
        to silence."""
        sys.path.insert(0, PLUGIN)
        import verification_report as plugin
        plugin.logging.disable()

        class Broken:
            closed, pgconn = False, type("", (), dict(finish=lambda self: ends.append(1)))()

            async def execute(self, statement, values):
                raise error

        class Responder:
            async def send_reply(self, answer):
                said.append(answer)

        entry = dict(position=1, hash="00" * 32, body="{}")
        records = plugin.Records(ledger="x", entries=[entry], head=entry)
        for error in (RuntimeError("the descriptor is used by a transport"), ValueError("no descriptor"), KeyError(7), OSError(9)):
            for message in (records, plugin.HeadQuery(ledger="x")):
                said, ends, database = [], [], plugin.Database("")
                database.connection = Broken()
                context = type("", (), dict(
                    connection_ready=True, message=message, inject=lambda self, kind: database,
                    connection_record=type("", (), dict(connection_id="c"))))()
                asyncio.run(plugin.Handler().handle(context, Responder()))
                check([answer.description["code"] for answer in said] == ["records-not-stored"], repr(error), said)
                check(ends == [1] and database.connection is None, "the connection is not used again")

    def bench(self):
        gate = Gate(self.invitation)
        for size in (1, 16, 64, 256):
            ledger, position = Ledger(), 0
            for _ in range(min(80000, 4000 * size)):
                ledger.visit()
            count, times, began = 0, [], time.monotonic()
            while time.monotonic() - began < 8 and position + size <= len(ledger.entries):
                start = time.monotonic()
                check(code(gate.send(ledger, position + 1, position + size)) == "receipt", "a receipt")
                times.append(time.monotonic() - start)
                position, count = position + size, count + size
            print("batches of %d: %d entries/s, %.1f ms a batch (median), from one gate" % (
                size, count / (time.monotonic() - began), 1000 * statistics.median(times)), flush=True)

        def small(number):
            ledger, gate = Ledger(), Gate(self.invitation)
            while time.monotonic() < until:
                check(code(gate.send(ledger.visit().visit(), len(ledger.entries) - 3, len(ledger.entries))) == "receipt", "a receipt")
                sent[number] += 1
        sent, until = [0] * 30, time.monotonic() + 25
        threads = [threading.Thread(target=small, args=(n,)) for n in range(30)]
        for thread in threads:
            thread.start()
        time.sleep(15)  # until all gates are connected
        before = sum(sent)
        time.sleep(8)
        print("batches of 4 from 30 gates: %.0f messages/s" % ((sum(sent) - before) / 8), flush=True)
        for thread in threads:
            thread.join()

        def one(number):
            ledger = ledgers[number]
            for first in range(1, 1001, 250):
                check(code(gates[number].send(ledger, first, first + 249)) == "receipt", "a receipt")
        gates, began = [], time.monotonic()
        for _ in range(200):
            gates.append(Gate(self.invitation))
        print("200 gates connected in %.1f s" % (time.monotonic() - began), flush=True)
        ledgers = [Ledger("gate %d" % n) for n in range(200)]
        for ledger in ledgers:
            for _ in range(500):
                ledger.visit()
        threads, began = [threading.Thread(target=one, args=(n,)) for n in range(200)], time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        seconds = time.monotonic() - began
        print("200 gates, 500 visits each: receipted in %.1f s" % seconds, flush=True)
        check(seconds <= 60, "within a minute", seconds)
        count = self.sql("select count(*) from gatehouse.entry")[0][0]
        for view in ("gaps", "chain_breaks", "forks", "silent_gates", "visits"):
            began = time.monotonic()
            rows = self.sql("select count(*) from gatehouse.%s" % view)[0][0]
            print("view %s over %s entries: %s rows, %.2f s" % (view, count, rows, time.monotonic() - began), flush=True)
        size = self.sql("select pg_total_relation_size('gatehouse.entry')")[0][0]
        print("%d bytes on disk an entry" % (int(size) / int(count)))


def main():
    if len(sys.argv) < 3:
        print(__doc__, file=sys.stderr)
        sys.exit(2)
    test = Test(sys.argv[1], sys.argv[2])
    try:
        if "--bench" in sys.argv:
            test.bench()
        else:
            for name in ("messages", "heads", "refusals", "writers", "views", "parallel", "outages", "driver"):
                getattr(test, "test_" + name)()
                print("holds: " + name, flush=True)
    finally:
        test.quit()


main()
