"""Measures gatehouse, didkit and PyLD: compare.py BINARY CORPUS [--external DIRECTORY] [--rounds N] [--samples FILE]

Each verifier is a process. The processes work one after another in short turns, so that other load of the machine
affects all of them. Exit code 1: a required speed is not reached.
"""
import argparse
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

import proofs
from corpus import VARIANTS, write_trust

PEERS = ("didkit", "PyLD")
HERE = Path(__file__).resolve().parent
SLICE = 20
LEAD = 10  # verifications before each turn that are not counted, because the other verifiers have used the caches
FASTER = 10  # required factor to the faster of the other verifiers, for every linked-data file
BARE = 2  # permitted factor to a signature check alone, for files of a JCS suite
CARD_MS = 5  # permitted time for the card with a photo, in milliseconds


class Verifier:
    """One verifier process, which carries out one turn per line of its standard input."""

    def __init__(self, name, command):
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self, *words):
        print(*words, file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"{self.name} ended without an answer to: {' '.join(map(str, words))}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def external(directory, contexts, place):
    """Returns the kinds with their files, and a new trust directory, for the credentials in a folder."""
    files = sorted(Path(directory).glob("*.json"))
    issuers, urls, documents = set(), set(), []
    for file in files:
        credential = json.loads(file.read_text())
        issuer = credential["issuer"]
        issuers.add(issuer if isinstance(issuer, str) else issuer["id"])
        urls.update(context for context in credential["@context"] if isinstance(context, str))
    write_trust(place / "trust", sorted(issuers), contexts, urls, documents)
    return {file.stem: file for file in files}, place / "trust"


def card(place):
    """Returns the file of the real MOSIP card, its trust directory and its contexts; None if the sample is absent.
    There is only one signature, so the same file is verified repeatedly."""
    mosip = proofs.REPOSITORY / "Tests/Vectors/vc/mosip"
    file = mosip / "ldp_vc/PS256SignedMosipVC.json"
    if not file.exists():
        return None
    credential = json.loads(file.read_text())
    key = json.loads((mosip / "ldp_vc/public_key/idaPublicKey.json").read_text())
    folder = place / "mosip-contexts"
    folder.mkdir(parents=True)
    index = []
    for url, name in {"https://api.collab.mosip.net/.well-known/mosip-ida-context.json": "mosip-ida-context.json",
                      "https://www.w3.org/ns/odrl.jsonld": "odrl-context.json"}.items():
        shutil.copy(mosip / "contexts" / name, folder / name)
        index.append({"url": url, "file": name})
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "keys.json").write_text(json.dumps([{"id": key["id"], "publicKeyPem": key["publicKeyPem"]}]))
    contexts = proofs.Contexts([folder])
    urls = {entry["url"] for entry in index} | {"https://www.w3.org/2018/credentials/v1"}
    write_trust(place / "mosip-trust", [credential["issuer"]], contexts, urls, [key], profile="compat")
    return file, place / "mosip-trust", folder


def bare_signatures(kinds, contexts, place):
    """Collects the signatures of the JCS files with the signed messages. Returns one file per suite."""
    import base58
    found = {}
    for path in kinds.values():
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            credential = json.loads(file.read_text())
            proof = credential.pop("proof")
            suite = proofs.suite_of(proof)
            if proofs.SUITES.get(suite) != ("proofValue", "jcs"):
                break
            key = proofs.key_of(proof["verificationMethod"])
            found.setdefault(suite, []).append({
                "algorithm": key.algorithm, "key": key.multibase,
                "message": proofs.hashes_of(credential, proof, "jcs", contexts, None).hex(),
                "signature": base58.b58decode(proof["proofValue"][1:]).hex()})
    files = {}
    for suite, entries in found.items():
        files[suite] = place / f"signatures-{suite}.json"
        files[suite].write_text(json.dumps(entries))
    return files


def measure(groups, rounds, samples):
    """Adds samples[kind][verifier] = [ns …]. If a verifier does not accept a kind, its entry is the reason as text.

    The verifiers and kinds take turns for each slice, so that a slow minute of the machine affects all kinds."""
    steps = [(start, min(SLICE, VARIANTS - start)) for start in range(0, VARIANTS, SLICE)] * rounds
    for number, (start, count) in enumerate(steps):
        print(f"  {100 * number // len(steps):3} %", end="\r", file=sys.stderr, flush=True)
        for verifiers, kinds, signatures in groups:
            for kind, path in kinds.items():
                for verifier in verifiers:
                    take_turn(verifier, kind, path, start, count, samples, counted=number > 0)
                    if verifier is verifiers[0]:
                        take_yardstick(verifier, kind, signatures, count, samples, counted=number > 0)
    print(" " * 12, end="\r", file=sys.stderr)


def take_turn(verifier, kind, path, start, count, samples, counted):
    known = samples.setdefault(kind, {}).setdefault(verifier.name, [])
    if isinstance(known, str):
        return
    verifier.turn("verify", path, start, LEAD)
    answer = verifier.turn("verify", path, start, count)
    if answer["codes"] != ["ok"]:
        samples[kind][verifier.name] = answer["codes"][0]
    elif counted:  # the first slice is not counted, because it fills the caches
        known.extend(answer["ns"])


def take_yardstick(verifier, kind, signatures, count, samples, counted):
    """Measures signature checks without a credential immediately after the turn that they are compared with, because
    the speed of the machine changes within seconds."""
    for suite, file in signatures.items():
        if not kind.endswith(suite):
            continue
        answer = verifier.turn("signature", file, count)
        if answer["codes"] != ["ok"]:
            sys.exit(f"bare signatures of {suite}: {answer['codes']}")
        if counted:
            samples.setdefault("signature-" + kind, {}).setdefault(verifier.name, []).extend(answer["ns"])


def percentile(values, percent):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, len(ordered) * percent // 100)]


def times(values, others):
    """Returns the factor by which `values` are longer than `others`: the median of the factors of the turns. Each
    turn is compared with the turn of the same moment, because the speed of a shared machine changes."""
    turns = range(0, min(len(values), len(others)), SLICE)
    return percentile([percentile(values[at:at + SLICE], 50) / percentile(others[at:at + SLICE], 50) for at in turns], 50)


def figures(values):
    if isinstance(values, str) or not values:
        return None
    return min(values) / 1e6, percentile(values, 50) / 1e6, percentile(values, 99) / 1e6


def report(samples, peaks):
    """Prints the table. Returns the kinds that do not reach the required speed."""
    missed = []
    print(f"{'milliseconds':38}{'gatehouse':>24}{'didkit 0.3.3':>22}{'PyLD 3.3.0':>22}")
    print(f"{'':38}{'median   p99    min':>24}{'median   p99':>22}{'median   p99':>22}   ratio  bar")
    for kind, by in samples.items():
        if kind.startswith("signature-"):
            continue
        own = figures(by["gatehouse"])
        if own is None:
            missed.append(kind)
            print(f"{kind:38} not accepted: {by['gatehouse']}")
            continue
        others = [figures(by.get(name, "")) for name in PEERS]
        cells = "".join(f"{f'{o[1]:8.2f}{o[2]:8.2f}':>22}" if o else f"{'–':>22}" for o in others)
        ratio = min((times(by[name], by["gatehouse"]) for name, o in zip(PEERS, others) if o), default=None)
        yardstick = samples.get("signature-" + kind, {}).get("gatehouse")
        if "card-Rsa" in kind or kind.startswith("mosip"):
            good = own[1] <= CARD_MS and (not ratio or ratio >= FASTER)
            bar = f"≥ {FASTER}× and ≤ {CARD_MS} ms"
        elif yardstick:
            bare = times(by["gatehouse"], yardstick)
            good, bar = bare <= BARE, f"{bare:.2f}× a signature check of {figures(yardstick)[1]:.3f} (≤ {BARE}×)"
        elif ratio:
            good, bar = ratio >= FASTER, f"≥ {FASTER}×"
        else:
            good, bar = True, "nobody else verifies it"
        if not good:
            missed.append(kind)
        shown = f"{ratio:6.1f}×" if ratio else "      –"
        print(f"{kind:38}{f'{own[1]:8.3f}{own[2]:8.3f}{own[0]:8.3f}':>24}{cells} {shown}  {'pass' if good else 'MISS'}  {bar}")
    memory = ", ".join(f"{name} {bytes / 2**20:.0f} MiB" for name, bytes in peaks.items())
    print(f"peak memory of each process: {memory}")
    return missed


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("corpus")
    parser.add_argument("--external", help="a folder of credentials by did:key issuers to measure instead of the corpus")
    parser.add_argument("--rounds", type=int, default=2, help="times that each variant is verified")
    parser.add_argument("--samples", help="where the raw samples go, as JSON")
    options = parser.parse_args()
    samples, peaks = {}, {}
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        contexts = proofs.Contexts()
        if options.external:
            kinds, trust = external(options.external, contexts, place)
        else:
            kinds = {folder.name: folder for folder in sorted(Path(options.corpus, "files").iterdir())}
            trust = Path(options.corpus, "trust")
        sets = [(kinds, trust, [])]
        if not options.external and (mosip := card(place)):
            sets.append(({"mosip-card-RsaSignature2018": mosip[0]}, mosip[1], [mosip[2]]))
        groups = []
        for kinds, trust, folders in sets:
            verifiers = [
                Verifier("gatehouse", [options.binary, "bench", "--turns", "--trust", trust]),
                Verifier("didkit", [sys.executable, HERE / "worker.py", "didkit"]),
                Verifier("PyLD", [sys.executable, HERE / "worker.py", "pyld", *folders]),
            ]
            groups.append((verifiers, kinds, bare_signatures(kinds, contexts, place)))
        measure(groups, options.rounds, samples)
        for verifier in (verifier for verifiers, _, _ in groups for verifier in verifiers):
            peaks[verifier.name] = max(peaks.get(verifier.name, 0), verifier.turn("peak")["peakBytes"])
            verifier.close()
    print(f"{processor()}, {datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC; bytes to verdict, contexts and keys warm, "
          f"no result cache, {VARIANTS} variants × {options.rounds}")
    missed = report(samples, peaks)
    if options.samples:
        Path(options.samples).parent.mkdir(parents=True, exist_ok=True)
        record = {"machine": processor(), "unit": "ns", "peakBytes": peaks, "samples": samples}
        Path(options.samples).write_text(json.dumps(record, separators=(",", ":")) + "\n")
        print(f"raw samples: {options.samples}")
    if missed:
        sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
