"""selftest.py VECTORS: compares the wallet with recordings of the published wallets; exit code 1 if a byte differs.

VECTORS is the folder tuvali of the test vectors. Each recorded session is played to a `Wallet`, which must make the
recorded writes: same characteristic, bytes, kind of write and order. A recording lacks what the radio lost and contains
what it damaged. Therefore a chunk of the first pass may be absent or different, but only if the verifier then reports
it as missing.
"""
import base64
import gzip
import hashlib
import json
import pathlib
import struct
import sys

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

import tuvali_wallet as tuvali

failures = []


def check(file, case, passed):
    if not passed:
        failures.append("%s %s" % (file, case))
    return passed


def crc16_cases(cases):
    for case in cases:
        value = tuvali.crc16(bytes.fromhex(case["data"]))
        yield case["id"], value == case["crc"] and struct.pack(">H", value).hex() == case["wire"]


def keyagreement_cases(cases):
    for case in cases:
        nonce, private = bytes.fromhex(case["nonce"]), bytes.fromhex(case["wallet_private"])
        channel = tuvali.SecureChannel(private, nonce)
        channel.agree(bytes.fromhex(case["verifier_public"]))
        secret = bytes.fromhex(case["shared_secret"])
        yield case["id"], (
            channel.identify.hex() == case["identify_write"]
            and channel.key.hex() == case["key_sk_verifier"]
            and tuvali.derive(secret, b"SKWallet").hex() == case["key_sk_wallet"]
        )


def encrypt_cases(cases):
    for case in cases:
        channel = tuvali.SecureChannel(bytes.fromhex(case["wallet_private"]), bytes.fromhex(case["nonce"]))
        channel.agree(bytes.fromhex(case["verifier_public"]))
        encrypted = base64.b64decode(case["encrypted_b64"])
        compressed = AESGCM(channel.key).decrypt(channel.nonce, encrypted, None)
        own = AESGCM(channel.key).decrypt(channel.nonce, channel.seal(gzip.compress(b"own")), None)
        yield case["id"], (
            gzip.decompress(compressed) == base64.b64decode(case["plain_b64"])
            and channel.seal(compressed) == encrypted
            and gzip.decompress(own) == b"own"
        )


def chunks_cases(cases):
    for case in cases:
        data = b"".join(
            hashlib.sha256(case["data_seed"].encode() + struct.pack(">I", i)).digest()
            for i in range(case["data_len"] // 32 + 1)
        )[: case["data_len"]]
        pieces = tuvali.chunks(data, tuvali.max_data(case["att_mtu"]))
        yield case["id"], (
            hashlib.sha256(data).hexdigest() == case["data_sha256"]
            and tuvali.max_data(case["att_mtu"]) == case["max_data_bytes"]
            and len(pieces) == case["chunk_count"]
            and hashlib.sha256(b"".join(pieces)).hexdigest() == case["stream_sha256"]
            and [piece.hex() for piece in pieces] == case.get("chunks", [piece.hex() for piece in pieces])
        )


def report_cases(cases):
    for case in cases:
        yield case["id"], tuvali.parse_report(bytes.fromhex(case["bytes"])) == case["wallet_parses"]["missing"]


def advertisement_cases(cases):
    for case in cases:
        if case["fits"]:
            wallet = tuvali.Wallet(case["uri"])
            data = bytes.fromhex(case["service_data_0001"]), bytes.fromhex(case["service_data_0002"])
            found = wallet.meets(*data) and wallet.verifier_public.hex() == case["public_key"]
            yield case["id"], found and not tuvali.Wallet(case["uri"]).meets(data[0] + b"\0", data[1])


def uri_cases(cases):
    """Tests only the URIs that both wallets read with the same result or both refuse. A kiosk can show no others."""
    for case in cases:
        android, ios = case["android_wallet"], case["ios_wallet"]
        if not case["inji_app_accepts_qr"] or android != ios:
            continue
        try:
            read = tuvali.Invitation.parse(case["uri"])
            yield case["id"], android["valid"] and (read.name, read.key) == (android["name"], android["key"].lower())
        except tuvali.WalletError:
            yield case["id"], not android["valid"]


def replay(session):
    """Plays one recording to the wallet, and yields the differences."""
    writes = [step for step in session["steps"] if step["dir"] == "w>v" and step["op"] == "write"]
    identify = bytes.fromhex(next(step["data"] for step in writes if step["char"] == tuvali.IDENTIFY))
    verifier = X25519PrivateKey.from_private_bytes(bytes.fromhex(session["verifier_private"]))
    secret = verifier.exchange(X25519PublicKey.from_public_bytes(identify[12:]))
    ios = session["id"].split("-")[1] == "ios"
    channel = tuvali.SecureChannel.recorded(identify, secret)
    wallet = tuvali.Wallet(session["uri"], "ios" if ios else "android", channel)
    largest = tuvali.max_data(session["att_mtu"])
    encrypted, known = recorded_ciphertext(writes, largest)
    if known == len(encrypted):
        compressed = AESGCM(channel.key).decrypt(channel.nonce, encrypted, None)
        payload = gzip.decompress(compressed)
        if hashlib.sha256(payload).hexdigest() != session["payload_sha256"]:
            yield "the payload"
        encrypted = channel.seal(compressed)

    steps = iter(session["steps"])
    due, uncertain = [], set()
    for step in steps:
        kind = (step["dir"], step["op"])
        if kind == ("v>w", "advertise"):
            adv, rsp = bytes.fromhex(step["adv"]), bytes.fromhex(step["rsp"])
            if not wallet.meets(adv[11:], rsp[4:]):
                yield "the advertisement is not recognised"
                return
        elif kind == ("w>v", "write"):
            if wallet.largest is None:
                due = wallet.connected(session["att_mtu"]) + wallet.send(encrypted)
            recorded = tuvali.Write(step["char"], bytes.fromhex(step["data"]), step["response"])
            while due and is_chunk(due[0]) and due[0] != recorded:
                lost = due.pop(0)  # lost by the radio or damaged; if damaged, the recording has the damaged chunk
                uncertain.add(number(lost))
                if is_chunk(recorded) and number(recorded) == number(lost) and len(lost.value) == len(recorded.value):
                    break
            else:
                if not due or due.pop(0) != recorded:
                    yield "write %s %s" % (step["char"], step["data"][:16])
                    return
                wallet.written(recorded)
        elif kind == ("v>w", "notify"):
            heard = wallet.notified(step["char"], bytes.fromhex(step["data"]))
            if heard.word == "unheard":
                yield "not listening to %s" % step["char"]
            if heard.word == "report":
                if uncertain - set(heard.details["missing"]):
                    yield "chunks differ that the verifier had received"
                uncertain.clear()
            if heard.word == "verdict" and heard.details["status"] != session["want"]["verdict_sent"]:
                yield "the verdict"
            due += heard.writes
    if due:
        yield "%d writes were never made" % len(due)
    if uncertain and session["want"]["code"] != "TVV_TRA_002":
        yield "lost chunks that nobody missed"


def is_chunk(write):
    return write.characteristic == tuvali.SUBMIT_RESPONSE and not write.response


def number(write):
    return int.from_bytes(write.value[:2], "big")


def recorded_ciphertext(writes, largest):
    """Returns the response, made from the last intact copy of each chunk, and how many of its bytes have been
    transmitted."""
    size = int.from_bytes(bytes.fromhex(next(s["data"] for s in writes if s["char"] == tuvali.RESPONSE_SIZE)), "big")
    encrypted, known, seen = bytearray(size), 0, set()
    for step in writes:
        value = bytes.fromhex(step["data"])
        if step["char"] != tuvali.SUBMIT_RESPONSE or tuvali.crc16(value[4:]) != int.from_bytes(value[2:4], "big"):
            continue
        sequence = int.from_bytes(value[:2], "big")
        start = (sequence - 1) * (largest - 4)
        encrypted[start : start + len(value) - 4] = value[4:]
        known += 0 if sequence in seen else len(value) - 4
        seen.add(sequence)
    return bytes(encrypted), known


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, test in [
        ("crc16", crc16_cases), ("keyagreement", keyagreement_cases), ("encrypt", encrypt_cases), ("chunks", chunks_cases),
        ("report", report_cases), ("advertisement", advertisement_cases), ("uri", uri_cases),
    ]:
        cases = json.loads((folder / (name + ".json")).read_text())["cases"]
        results = [check(name, case, passed) for case, passed in test(cases)]
        check(name, "has no cases", bool(results))
        print("vectors: tuvali/%s %d/%d (Python wallet)" % (name, sum(results), len(results)))
    sessions = sorted((folder / "sessions").glob("*.json"))
    results = []
    for file in sessions:
        differences = list(replay(json.loads(file.read_text())))
        results.append(check(file.stem, "; ".join(differences), not differences))
    check("sessions", "has no cases", bool(results))
    print("vectors: tuvali/sessions %d/%d (Python wallet)" % (sum(results), len(results)))
    for failure in failures:
        print("FAILED: " + failure, file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
