"""The smallest sender of reports: one connection to an agent, one ledger, batches of its entries.

It replaces the kiosk where only the agent is tested or measured. It runs in the Python of an agent's environment
(PyNaCl). It does not check the agent's signatures, so use it only with test keys on loopback.
"""
import base64
import hashlib
import http.client
import json
import os
import struct
import time
import urllib.parse
import uuid

from nacl import bindings as sodium

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DIDCOMM = "https://didcomm.org/"
REPORT = DIDCOMM + "verification-report/1.0/"


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = ALPHABET[rest] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def from_base58(text):
    number = 0
    for letter in text:
        number = number * 58 + ALPHABET.index(letter)
    return b"\0" * (len(text) - len(text.lstrip("1"))) + number.to_bytes((number.bit_length() + 7) // 8, "big")


def encode(data):
    return base64.urlsafe_b64encode(data).decode()


def decode(text):
    return base64.urlsafe_b64decode(text.replace("+", "-").replace("/", "_").rstrip("=") + "=" * (-len(text.rstrip("=")) % 4))


def key_of(multibase):
    """Returns the Ed25519 key that a multibase text z… encodes."""
    return from_base58(multibase[1:])[2:]


def peer_key(did):
    """Returns the first key of a did:peer:2 or a long did:peer:4."""
    if did.startswith("did:peer:2"):
        return next(key_of(part[1:]) for part in did.split(".")[1:] if part[0] == "V")
    document = json.loads(from_base58(did.split(":")[-1][1:])[2:])
    return key_of(document["verificationMethod"][0]["publicKeyMultibase"])


class Ledger:
    """A hash chain of visits, with an intent and an outcome for each."""

    def __init__(self, kiosk="test gate", name=None):
        self.id, self.kiosk = name or str(uuid.uuid4()), kiosk
        self.hash = hashlib.sha256(b"gatehouse/ledger/genesis/1\0" + self.id.encode()).digest()
        self.entries, self.visits = [], 0

    def add(self, **members):
        body = json.dumps(members, separators=(",", ":"), ensure_ascii=False)
        data, position = body.encode(), len(self.entries) + 1
        self.hash = hashlib.sha256(
            b"gatehouse/ledger/entry/1\0" + self.hash + struct.pack(">QQ", position, len(data)) + data).digest()
        self.entries.append(dict(position=position, hash=self.hash.hex(), body=body))

    def visit(self, result="accepted"):
        self.visits += 1
        stamp = dict(kiosk=self.kiosk, boot="7c1c6f0e-4d0e-4a1c-9a52-6a3c3f0f8a11", time="2026-11-22T10:11:12.345Z",
                     clock="synchronised", monotonic=123456789012)
        one = dict(v=1, seq=self.visits, visit="%s-%012d" % (self.id[:23], self.visits))
        self.add(**dict(v=1, kind="intent", seq=one["seq"], visit=one["visit"], **stamp))
        self.add(**dict(
            v=1, kind="outcome", seq=one["seq"], visit=one["visit"], intent=len(self.entries), **stamp, result=result,
            reasons=[dict(code="ok" if result == "accepted" else "validity.expired")],
            credential=dict(format="ldp_vc", issuer="did:web:müller.example", types=["VerifiableCredential", "Pass"],
                            name="3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b",
                            validFrom="2026-01-01T00:00:00Z", validUntil="2027-01-01T00:00:00Z"),
            session=dict(transport="tuvali", ms=3210, chunks=42, crcErrors=0, retries=0),
            gate=dict(opened=result == "accepted", pulseMs=800),
            software=dict(name="gatehouse", version="0.9.0", trust="2026-11-01", policy="built-in"), dropped=0))
        return self

    @property
    def end(self):
        return dict(position=len(self.entries), hash=self.hash.hex())


class Gate:
    """A connection to an agent over HTTP with return-route."""

    def __init__(self, invitation_url):
        query = urllib.parse.parse_qs(urllib.parse.urlparse(invitation_url).query)
        invitation = json.loads(decode(query["oob"][0]))
        service = invitation["services"][0]
        self.public, self.secret = sodium.crypto_sign_seed_keypair(os.urandom(32))
        self.peer = key_of(service["recipientKeys"][0].removeprefix("did:key:").split("#")[0])
        url = urllib.parse.urlparse(service["serviceEndpoint"])
        self.path, self.http = url.path or "/", http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        thread = str(uuid.uuid4())
        answer = self.post(dict(
            self.message("didexchange/1.1/request", thread), label="gate", did=self.did(),
            **{"~thread": dict(thid=thread, pthid=invitation["@id"])}))
        self.peer = peer_key(answer["did"])
        self.post(dict(self.message("didexchange/1.1/complete"), **{"~thread": dict(thid=thread, pthid=invitation["@id"])}))

    def did(self):
        agreement = sodium.crypto_sign_ed25519_pk_to_curve25519(self.public)
        service = dict(t="did-communication", s="didcomm:transport/queue", recipientKeys=["#key-1"], a=["didcomm/aip2;env=rfc19"])
        return "did:peer:2.Vz%s.Ez%s.S%s" % (
            base58(b"\xed\x01" + self.public), base58(b"\xec\x01" + agreement),
            encode(json.dumps(service, separators=(",", ":")).encode()).rstrip("="))

    @staticmethod
    def message(name, identifier=None):
        kind = name if name.startswith(("https:", "did:")) else DIDCOMM + name
        return {"@type": kind, "@id": identifier or str(uuid.uuid4()), "~transport": dict(return_route="all")}

    def pack(self, message):
        key, nonce = os.urandom(32), os.urandom(24)
        to = sodium.crypto_sign_ed25519_pk_to_curve25519(self.peer)
        mine = sodium.crypto_sign_ed25519_sk_to_curve25519(self.secret)
        header = dict(kid=base58(self.peer), iv=encode(nonce),
                      sender=encode(sodium.crypto_box_seal(base58(self.public).encode(), to)))
        recipient = dict(encrypted_key=encode(sodium.crypto_box(key, nonce, to, mine)), header=header)
        protected = encode(json.dumps(dict(
            enc="xchacha20poly1305_ietf", typ="JWM/1.0", alg="Authcrypt", recipients=[recipient])).encode())
        iv = os.urandom(12)
        sealed = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(
            json.dumps(message).encode(), protected.encode(), iv, key)
        return json.dumps(dict(
            protected=protected, iv=encode(iv), ciphertext=encode(sealed[:-16]), tag=encode(sealed[-16:]))).encode()

    def unpack(self, envelope):
        mine = sodium.crypto_sign_ed25519_pk_to_curve25519(self.public)
        secret = sodium.crypto_sign_ed25519_sk_to_curve25519(self.secret)
        recipient = json.loads(decode(envelope["protected"]))["recipients"][0]
        sender = from_base58(sodium.crypto_box_seal_open(decode(recipient["header"]["sender"]), mine, secret).decode())
        key = sodium.crypto_box_open(decode(recipient["encrypted_key"]), decode(recipient["header"]["iv"]),
                                     sodium.crypto_sign_ed25519_pk_to_curve25519(sender), secret)
        return json.loads(sodium.crypto_aead_chacha20poly1305_ietf_decrypt(
            decode(envelope["ciphertext"]) + decode(envelope["tag"]), envelope["protected"].encode(),
            decode(envelope["iv"]), key))

    def post(self, message):
        """Posts a message. Returns the message in the HTTP answer; None if there is none. Raises OSError if the
        agent does not answer with status 200."""
        try:
            self.http.request("POST", self.path, self.pack(message), {"content-type": "application/didcomm-envelope-enc"})
            answer = self.http.getresponse()
            body = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.http.close()
            raise OSError("no answer: %s" % error)
        if answer.status != 200:
            raise OSError("HTTP %d" % answer.status)
        return self.unpack(json.loads(body)) if body else None

    def send(self, ledger, first, last, changes={}):
        """Sends entries FIRST to LAST of a ledger in one message, with the members that CHANGES replaces."""
        records = dict(ledger=ledger.id, entries=ledger.entries[first - 1:last], head=ledger.end)
        return self.post(dict(self.message(REPORT + "records"), **dict(records, **changes)))

    def tell(self, content):
        """Sends a basicmessage, to which the agent sends no answer."""
        return self.post(dict(self.message("basicmessage/1.0/message"), content=content, sent_time="2026-01-01T00:00:00Z"))

    def head(self, ledger):
        """Returns the agent's answer about the last entry that it has of a ledger."""
        return self.post(dict(self.message(REPORT + "head-query"), ledger=ledger.id))

    def features(self):
        """Returns the protocols that the agent discloses."""
        answer = self.post(dict(self.message("discover-features/1.0/query"), query=DIDCOMM + "verification-report/*"))
        return [entry["pid"] for entry in answer["protocols"]]


def code(answer):
    """Returns the code of a problem report; for other messages the name of the message."""
    return answer["description"]["code"] if answer and "description" in answer else answer and answer["@type"].split("/")[-1]


def wait(seconds, what, check):
    """Waits until CHECK returns a true value, and returns it."""
    until = time.monotonic() + seconds
    while not (value := check()):
        if time.monotonic() > until:
            raise SystemExit("not within %d s: %s" % (seconds, what))
        time.sleep(0.1)
    return value
