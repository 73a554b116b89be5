"""Another verifier that carries out turns as `gatehouse-workshop bench --turns` does: worker.py didkit|pyld
[contexts folder]"""
import asyncio
import json
import sys
import time
from pathlib import Path


def payloads(path, first, count):
    """Returns the texts of the variants, which are read before the measurement. A single file is used for all
    variants."""
    path = Path(path)
    if path.is_dir():
        return [(path / f"{number:03}.json").read_text() for number in range(first, first + count)]
    return [path.read_text()] * count


class DIDKit:
    """didkit's native library with its Python binding. It knows only its own contexts and has no list of trusted
    issuers."""

    def __init__(self, folders):
        import didkit
        self.library = didkit
        self.loop = asyncio.new_event_loop()

    def verify(self, text):
        async def one():
            return await self.library.verify_credential(text, '{"proofPurpose":"assertionMethod"}')
        errors = json.loads(self.loop.run_until_complete(one()))["errors"]
        return errors[0] if errors else "ok"


class PyLD:
    """PyLD with cryptography, as in proofs.py."""

    def __init__(self, folders):
        import proofs
        self.proofs = proofs
        self.contexts = proofs.Contexts(folders)
        self.documents = tuple(
            (entry["id"], entry["publicKeyPem"])
            for folder in folders for entry in json.loads((Path(folder) / "keys.json").read_bytes()))

    def verify(self, text):
        self.proofs.verify(json.loads(text), self.contexts, self.documents)
        return "ok"


def peak_bytes():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def answer(verifier, turn):
    if turn[0] == "peak":
        return {"peakBytes": peak_bytes()}
    codes, samples = [], []
    for text in payloads(turn[1], int(turn[2]), int(turn[3])):
        start = time.perf_counter_ns()
        try:
            code = verifier.verify(text)
        except Exception as error:
            code = f"{type(error).__name__}: {error}"[:120]
        samples.append(time.perf_counter_ns() - start)
        if code not in codes:
            codes.append(code)
    return {"codes": codes, "ns": samples}


if __name__ == "__main__":
    verifier = {"didkit": DIDKit, "pyld": PyLD}[sys.argv[1]](sys.argv[2:])
    for line in sys.stdin:
        print(json.dumps(answer(verifier, line.split())), flush=True)
