"""Measures inputs that are made to be expensive, each next to a valid input just within the limits: hostile.py BINARY

A new process verifies each input five times, so that its peak of memory is measured alone. The first verification also
contains the start-up work of the process. Times are processor times, so that other programs on the machine do not
change them. Exit code 1: a verdict is not the expected one, or a limit of time or memory is exceeded.
"""
import base64
import hashlib
import json
import random
import shutil
import sys
import tempfile
import zlib
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ed25519

import proofs
from compare import Verifier
from corpus import CREDENTIALS, SEED, write_trust

LIMIT_MS = 50
LIMIT_MIB = 64
MIB = 2**20
PRIVATE = ed25519.Ed25519PrivateKey.from_private_bytes(SEED)
KEY = proofs.Key(PRIVATE.public_key(), PRIVATE)
CONTEXTS = proofs.Contexts()
SECURITY = "https://w3id.org/security/data-integrity/v2"
VOCABULARY = {"@vocab": "https://vocabulary.example/#"}


def credential(subject, contexts=(VOCABULARY,), **more):
    return {"@context": [CREDENTIALS, SECURITY, *contexts], "type": ["VerifiableCredential"], "issuer": KEY.did,
            "issuanceDate": "2026-01-05T08:00:00Z", "credentialSubject": subject, **more}


def signed(document, suite="eddsa-rdfc-2022"):
    return json.dumps(proofs.sign(document, suite, KEY, CONTEXTS)).encode()


def unsigned(document, suite="eddsa-rdfc-2022", value="z" + "2" * 86):
    """Returns a credential with an invalid signature, for inputs that must be refused before the signature is
    checked."""
    proof = {"type": "DataIntegrityProof", "cryptosuite": suite, "created": "2026-01-05T08:00:00Z",
             "verificationMethod": KEY.method, "proofPurpose": "assertionMethod", "proofValue": value}
    if suite.endswith("jcs-2022"):
        proof["@context"] = document["@context"]
    return json.dumps({**document, "proof": proof}).encode()


def unsigned_by(controller):
    document = json.loads(unsigned(credential({"a": "b"})))
    document["proof"]["verificationMethod"] = controller + "#key"
    return json.dumps(document).encode()


def clique(count):
    return {"knows": [{"id": f"_:n{a}", "knows": [{"id": f"_:n{b}"} for b in range(count) if b != a]}
                      for a in range(count)]}


def ring(count):
    return {"knows": [{"id": f"_:n{a}", "next": {"id": f"_:n{(a + 1) % count}"}} for a in range(count)]}


def pairs(count):
    """Returns `count` named graphs with the same hub and pair of nodes. Canonicalization has few steps, but each
    concerns all graphs."""
    pair = {"@id": "_:h", "u:p": [{"@id": "_:a"}, {"@id": "_:b"}]}
    return {"u:q": [{"@id": f"u:{n}", "@graph": pair} for n in range(count)]}


def respelt(members, context=VOCABULARY):
    """Returns a credential without a valid shape. The verifier examines its spelling, for which no issuer must be
    trusted."""
    return json.dumps({"@context": [context], "type": ["VerifiableCredential"], **members}).encode()


def headers(count):
    """Returns an mdoc of an unknown issuer with `count` members in each of the two headers of its signature."""
    def head(major, number):
        return bytes([major << 5 | 25]) + number.to_bytes(2, "big")

    def members(first):
        return head(5, count) + b"".join(head(0, first + n) + b"\x00" for n in range(count))

    def text(name):
        return bytes([0x60 | len(name)]) + name.encode()

    item = (b"\xa4" + text("digestID") + b"\x00" + text("random") + b"\x40" + text("elementValue") + b"\x00"
            + b"\x71" + b"elementIdentifier" + text("x"))
    item = b"\xd8\x18\x58" + bytes([len(item)]) + item
    message = b"\x84" + head(2, len(members(0))) + members(0) + members(32_768) + b"\x40\x40"
    return mdoc(b"\xa2" + text("nameSpaces") + b"\xa1" + text("a") + b"\x81" + item + text("issuerAuth") + message)


def alike(count):
    return {"knows": [{"says": "the same"} for _ in range(count)]}


def prefixes(depth):
    """Returns a context in which each term contains the previous term twice."""
    context = {"t0": "https://vocabulary.example/" + "x" * 900 + "/"}
    for number in range(1, depth):
        context[f"t{number}"] = f"t{number - 1}:t{number - 1}"
    return context


def part(value):
    return proofs.to_base64url(json.dumps(value, separators=(",", ":")).encode())


def token(kind, claims, **header):
    message = part({"alg": "EdDSA", "typ": kind, "kid": KEY.method, **header}) + "." + part({"iss": KEY.did, **claims})
    return message + "." + proofs.to_base64url(KEY.sign(message.encode()))


def disclosures(count):
    """Returns a signed SD-JWT with `count` disclosures."""
    parts = [part([f"salt{n:022}", f"c{n}", n]) for n in range(count)]
    digests = [proofs.to_base64url(hashlib.sha256(text.encode()).digest()) for text in parts]
    return (token("dc+sd-jwt", {"vct": "urn:x", "_sd": digests}) + "~" + "".join(text + "~" for text in parts)).encode()


def padded(letters):
    """Returns a signed SD-JWT whose header has at least `letters` letters."""
    return next(text for size in range(letters * 3 // 4 - 200, letters)
                if (text := token("dc+sd-jwt", {"vct": "urn:x"}, pad="x" * size) + "~").index(".") >= letters).encode()


def chained(count):
    """Returns an SD-JWT with `count` entries in its certificate chain, none of which is a certificate."""
    junk = base64.b64encode(b"\x30\x82\x03\xe4" + b"\x30" * 1000).decode()
    return (token("dc+sd-jwt", {"vct": "urn:x"}, x5c=[junk] * count) + "~").encode()


def mdoc(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def deflated(chunks, bits):
    """Returns the chunks as one compressed stream, gzip or zlib according to `bits`, without the whole content in
    memory."""
    compressor = zlib.compressobj(9, zlib.DEFLATED, bits)
    return b"".join(compressor.compress(chunk) for chunk in chunks) + compressor.flush()


def mixed(count):
    """Returns `count` bytes in chunks of 1 MiB: a list in which about every sixteenth entry is set."""
    source = random.Random(4)
    return [bytes(1 << source.randrange(8) if source.randrange(2) else 0 for _ in range(MIB))] * (count // MIB)


LIST = "https://status.example/list"
# The terms of a status entry, as the VCDM 2.0 context defines them; the 1.1 context does not define them.
STATUS = {name: {"@id": "https://www.w3.org/ns/credentials/status#" + name, **more} for name, more in {
    "BitstringStatusListEntry": {}, "statusPurpose": {}, "statusListIndex": {},
    "statusListCredential": {"@type": "@id"}}.items()}


def bitstring(chunks):
    """Returns a credential with a status entry, and the files of its status list."""
    entry = {"id": LIST + "#5", "type": "BitstringStatusListEntry", "statusPurpose": "revocation",
             "statusListIndex": "5", "statusListCredential": LIST}
    subject = {"id": LIST + "#list", "type": "BitstringStatusList", "statusPurpose": "revocation",
               "encodedList": "u" + proofs.to_base64url(deflated(chunks, 31))}
    types = ["VerifiableCredential", "BitstringStatusListCredential"]
    stored = signed({**credential(subject), "id": LIST, "type": types}, "eddsa-jcs-2022")
    return signed(credential({"a": "b"}, [VOCABULARY, STATUS], credentialStatus=entry)), {"list.json": stored}


def status_token(chunks):
    entry = {"status_list": {"idx": 5, "uri": LIST}}
    content = {"bits": 1, "lst": proofs.to_base64url(deflated(chunks, 15))}
    stored = token("statuslist+jwt", {"sub": LIST, "iat": 1767600000, "status_list": content})
    index = json.dumps([{"url": LIST, "file": "list.jwt"}])
    return ((token("dc+sd-jwt", {"vct": "urn:x", "status": entry}) + "~").encode(),
            {"list.jwt": stored.encode(), "index.json": index.encode()})


def cases():
    """Yields (name, expected code, payload[, status lists by file name[, types that the issuer may issue]]). The
    code None accepts any refusal."""
    number = 1.7e-300
    photo = base64.b64encode(bytes(3_080_000)).decode()
    control = "\x01" * 690_000
    names = [f"{'n' * 8}{n:06}{'m' * 8}" for n in range(140_000)]
    yield "complete graph of 9 blank nodes", "canon.too-complex", unsigned(credential(clique(9)))
    yield "complete graph of 30 blank nodes", "canon.too-complex", unsigned(credential(clique(30)))
    yield "  twin: of 5", "ok", signed(credential(clique(5)))
    yield "ring of 900 look-alikes", "canon.too-complex", unsigned(credential(ring(900)))
    yield "  twin: ring of 60", "ok", signed(credential(ring(60)))
    yield "1,100 look-alike blank nodes", "canon.too-complex", unsigned(credential(alike(1_100)))
    yield "  twin: 990", "ok", signed(credential(alike(990)))
    yield "a pair in 5,400 graphs", "canon.too-complex", unsigned(credential(pairs(5_400)))
    yield "  in 1,000", None, unsigned(credential(pairs(1_000)))
    yield "9,900 that could be the credential", "canon.too-complex", unsigned(
        credential({"u:q": [{"type": "VerifiableCredential"}] * 9_900})), {}, [
            "https://www.w3.org/2018/credentials#VerifiableCredential"]
    yield "an exponent of 2^63 - 1", "shape.context", (
        respelt({"x": 0}).replace(b'"x": 0', b'"x": 10e9223372036854775807'))
    yield "7,000 names for @value", "shape.context", respelt(
        {"credentialSubject": {"type": "T", "k": [{"k": 1}] * 9_000}},
        {"type": "@type", "@vocab": "urn:v:", "T": {"@id": "urn:T", "@context": {}}, **{f"v{n}": "@value" for n in range(7_000)}})
    yield "7,000 terms removed 5,500 times", "shape.context", respelt(
        {"k": [{"@context": [{"@language": f"x-{n}"}, None], "k": 1} for n in range(5_500)]},
        {"@vocab": "urn:v:", **{f"t{n}": f"urn:{n}" for n in range(7_000)}})
    yield "25,000 claims", "canon.too-complex", unsigned(credential({f"c{n}": "v" for n in range(25_000)}))
    yield "  twin: 11,900 over JSON", "ok", signed(credential({f"c{n}": "v" for n in range(11_900)}), "eddsa-jcs-2022")
    yield "11,900 numbers near zero", "canon.too-complex", unsigned(credential({f"c{n}": number for n in range(11_900)}))
    yield "  twin: 5,000 usual numbers", "ok", signed(credential({"c": [n + 0.5 for n in range(5_000)]}))
    yield "4 MiB of [", "json.too-deep", b"[" * (4 * MIB)
    yield "  and beyond 4 MiB", "input.too-large", b"[" * (4 * MIB + 1)
    yield "370,000 members", "input.too-large", b"{" + b",".join(b'"%d":0' % n for n in range(370_000)) + b"}"
    yield "140,000 names that look alike", None, json.dumps(dict.fromkeys(names, 0)).encode()
    yield "  the same in objects of 60", None, json.dumps(
        [dict.fromkeys(names[n:n + 60], 0) for n in range(0, 140_000, 60)]).encode()
    yield "a name twice behind 40,000", "json.duplicate-key", (
        b"{" + b",".join(b'"%d":0' % n for n in range(40_000)) + b',"0":1}')
    yield "4 MiB in one text", None, b'"' + b"a" * (4 * MIB - 2) + b'"'
    yield "4 MiB of escapes", None, b'"' + b"\\u00e9" * (4 * MIB // 6 - 1) + b'"'
    yield "4 MB of control characters", "proof.malformed", unsigned(credential({"c": control}))
    yield "  twin: over JSON", "ok", signed(credential({"c": control}), "eddsa-jcs-2022")
    yield "a number of 4 MiB", None, b"1" * (4 * MIB)
    yield "  twin: a photo of 4.1 MB", "ok", signed(credential({"photo": photo}))
    yield "  twin: the same over JSON", "ok", signed(credential({"photo": photo}), "eddsa-jcs-2022")
    yield "1 MB of base58 in a proof", "proof.malformed", unsigned(credential({"a": "b"}), value="z" + "2" * MIB)
    yield "1 MB of base58 as issuer", None, unsigned({**credential({"a": "b"}), "issuer": "did:key:z" + "2" * MIB})
    yield "prefixes that double 40 times", None, unsigned(credential({"t39:x": "y"}, [prefixes(40)]))
    yield "a context of 30,000 terms", None, unsigned(
        credential({"t1": "y"}, [{f"t{n}": f"https://vocabulary.example/{n}" for n in range(30_000)}]))
    yield "  twin: of 1,000", "ok", signed(
        credential({"t1": "y"}, [{f"t{n}": f"https://vocabulary.example/{n}" for n in range(1_000)}]))
    yield "1,000 inline contexts", None, unsigned(credential({"a": "b"}, [VOCABULARY] * 1_000))
    yield "5,000 proofs", "input.too-large", json.dumps(
        {**credential({"a": "b"}), "proof": [{"type": "DataIntegrityProof"}] * 5_000}).encode()
    yield "5,000 types", None, unsigned({**credential({"a": "b"}), "type": ["VerifiableCredential"] + names[:5_000]})
    yield "1 MB of base58 as key", None, unsigned_by("did:key:z" + "2" * MIB)
    yield "1,001 disclosures", "input.too-large", disclosures(1_001)
    yield "  twin: 1,000", "ok", disclosures(1_000)
    yield "17,000 disclosures", "input.too-large", disclosures(17_000)
    yield "a token of 8 MiB", "input.too-large", b"eyJ" + b"A" * (8 * MIB - 5) + b".."
    yield "a token of 2 MiB without end", "proof.malformed", b"eyJ" + b"A" * (2 * MIB - 4) + b"."
    yield "a token header of 65,537 letters", "input.too-large", padded(65_537)
    yield "  twin: of 65,536", "ok", padded(65_536)
    yield "a chain of 6 certificates", "input.too-large", chained(6)
    yield "  5, but none of them one", "chain.invalid", chained(5)
    yield "CBOR: 65 arrays in each other", "cbor.syntax", mdoc(b"\x81" * 64 + b"\x80")
    yield "  64", "envelope.unknown", mdoc(b"\x81" * 63 + b"\x80")
    yield "CBOR: 65,537 items", "input.too-large", mdoc(b"\x9a\x00\x01\x00\x00" + b"\xa0" * 65_536)
    yield "  65,536", "envelope.unknown", mdoc(b"\x9a\x00\x00\xff\xff" + b"\xa0" * 65_535)
    yield "CBOR: 1.5 MiB of arrays", "cbor.syntax", mdoc(b"\x81" * (3 * MIB // 2))
    yield "CBOR: 1.5 MiB in one text", "envelope.unknown", mdoc(b"\x7a\x00\x17\xff\xfb" + b"a" * (3 * MIB // 2 - 5))
    yield "CBOR: 8 MiB", "input.too-large", mdoc(b"\x81" * (6 * MIB))
    yield "CBOR: 16,000 members in both headers", "input.too-large", headers(16_000)
    yield "CBOR: a map of 2^64 - 1", "cbor.syntax", mdoc(b"\xbb" + b"\xff" * 8 + b"\x00" * 99)
    yield "CBOR: a text of 2^62", "cbor.syntax", mdoc(b"\x7b\x40" + b"\x00" * 7 + b"a" * 99)
    yield "a status list of 1 GiB (gzip)", "status.invalid", *bitstring([bytes(MIB)] * 1024)
    yield "  twin: 4 MiB of zeros", "ok", *bitstring([bytes(MIB)] * 4)
    yield "  twin: 4 MiB, mixed", "ok", *bitstring(mixed(4 * MIB))
    yield "a status list of 1 GiB (zlib)", "status.invalid", *status_token([bytes(MIB)] * 1024)
    yield "  twin: 4 MiB of zeros", "ok", *status_token([bytes(MIB)] * 4)
    yield "  twin: 4 MiB, mixed", "ok", *status_token(mixed(4 * MIB))


def main(binary):
    missed = []
    print(f"\n{'hostile inputs, each in a process of its own':38}{'bytes':>10}{'time':>10}{'first':>10}{'peak':>10}   verdict")
    with tempfile.TemporaryDirectory() as place:
        trust = Path(place, "trust")
        write_trust(trust, [KEY.did], CONTEXTS, {CREDENTIALS, SECURITY})
        file = Path(place, "payload")
        issuers = Path(trust, "issuers.toml").read_text()
        for name, code, payload, *lists in cases():
            file.write_bytes(payload)
            types = f"types = {json.dumps(lists[1])}\n" if len(lists) > 1 else ""
            Path(trust, "issuers.toml").write_text(issuers + types)
            shutil.rmtree(trust / "status", ignore_errors=True)
            (trust / "status").mkdir()
            for name_of_list, data in (lists[0] if lists else {}).items():
                (trust / "status" / name_of_list).write_bytes(data)
            verifier = Verifier("gatehouse", [binary, "bench", "--turns", "--trust", trust])
            first = verifier.turn("verify", file, 0, 1)
            answer = verifier.turn("verify", file, 0, 4)
            peak = verifier.turn("peak")["peakBytes"] / MIB
            verifier.close()
            cold, warm = first["cpu"][0] / 1e6, sorted(answer["cpu"])[2] / 1e6
            verdict = answer["codes"][0]
            right = verdict == code if code else verdict not in ("ok", "internal")
            good = right and warm <= LIMIT_MS and peak <= LIMIT_MIB
            if not good:
                missed.append(name.strip())
            note = "" if right else f" instead of {code or 'a refusal'}"
            print(f"{name:38}{len(payload):>10}{warm:>7.1f} ms{cold:>7.1f} ms{peak:>6.0f} MiB   "
                  f"{verdict}{note}{'' if good else '  MISS'}", flush=True)
    print(f"bars: the verdict, {LIMIT_MS} ms, {LIMIT_MIB} MiB")
    if missed:
        sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main(sys.argv[1])
