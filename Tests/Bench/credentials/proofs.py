"""Linked-data proofs with PyLD and cryptography: signs the corpus, and is one of the measured verifiers.

It checks only the proof: no issuer, shape, dates or status. It therefore does less work than gatehouse, with which it
is compared.
"""
import base64
import functools
import hashlib
import json
from pathlib import Path

import base58
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from pyld import jsonld

REPOSITORY = Path(__file__).resolve().parents[3]
# proof type or cryptosuite → (member that contains the signature, canonical form)
SUITES = {
    "Ed25519Signature2018": ("jws", "rdfc"),
    "Ed25519Signature2020": ("proofValue", "rdfc"),
    "JsonWebSignature2020": ("jws", "rdfc"),
    "RsaSignature2018": ("jws", "rdfc"),
    "eddsa-rdfc-2022": ("proofValue", "rdfc"),
    "ecdsa-rdfc-2019": ("proofValue", "rdfc"),
    "eddsa-jcs-2022": ("proofValue", "jcs"),
    "ecdsa-jcs-2019": ("proofValue", "jcs"),
}
# The contexts for proof options if the document's contexts do not define the suite.
SUITE_CONTEXTS = {
    "Ed25519Signature2018": "https://w3id.org/security/suites/ed25519-2018/v1",
    "Ed25519Signature2020": "https://w3id.org/security/suites/ed25519-2020/v1",
    "JsonWebSignature2020": "https://w3id.org/security/suites/jws-2020/v1",
    "RsaSignature2018": "https://w3id.org/security/v2",
}


def to_base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Contexts:
    """The context documents of the repository, and of the folders with an index.json. No context is fetched."""

    def __init__(self, folders=()):
        self.files = {}
        for folder in folders:
            for entry in json.loads((Path(folder) / "index.json").read_bytes()):
                for url in [entry["url"], *entry.get("aliases", [])]:
                    self.files[url] = Path(folder) / entry["file"]
        self.parsed = {}

    def file(self, url):
        """Returns the file of a context. The repository's files are named after their URLs."""
        if url in self.files:
            return self.files[url]
        name = url.removeprefix("https://").replace("/", "-") + ".jsonld"
        for folder in ("Sources/Credentials/Contexts/documents", "Tests/Vectors/contexts",
                       "Tests/Bench/credentials/contexts"):
            if (REPOSITORY / folder / name).exists():
                return REPOSITORY / folder / name
        raise KeyError("no such context: " + url)

    def load(self, url, options=None):
        if url not in self.parsed:
            self.parsed[url] = json.loads(self.file(url).read_bytes())
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url,
                "document": self.parsed[url]}

    def canonical(self, document):
        options = {"algorithm": "URDNA2015", "format": "application/n-quads", "base": None,
                   "documentLoader": self.load}
        return jsonld.normalize(document, options).encode()


def jcs(value):
    """Returns the RFC 8785 form. It supports only the numbers that Python prints as ECMAScript does, which include
    all numbers of the corpus."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(json.dumps(n, ensure_ascii=False) + ":" + jcs(value[n]) for n in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    if isinstance(value, float):
        if not 1e-6 <= abs(value) < 1e16:
            raise ValueError("a number outside the range that is handled here")
        return str(int(value)) if value == int(value) else repr(value)
    return json.dumps(value, ensure_ascii=False)


class Key:
    """A key pair or a public key, with its algorithm and its did:key."""

    def __init__(self, public, private=None):
        self.public, self.private = public, private
        if isinstance(public, ed25519.Ed25519PublicKey):
            self.algorithm, multicodec = "EdDSA", b"\xed\x01" + public.public_bytes_raw()
        elif isinstance(public, rsa.RSAPublicKey):
            self.algorithm = "PS256"
            multicodec = b"\x85\x24" + public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.PKCS1)
        else:
            self.algorithm = "ES256"
            multicodec = b"\x80\x24" + public.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.CompressedPoint)
        self.multibase = "z" + base58.b58encode(multicodec).decode()
        self.did = "did:key:" + self.multibase
        self.method = self.did + "#" + self.multibase

    def sign(self, message):
        if self.algorithm == "EdDSA":
            return self.private.sign(message)
        if self.algorithm == "PS256":
            return self.private.sign(message, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        r, s = utils.decode_dss_signature(self.private.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")

    def verify(self, signature, message):
        if self.algorithm == "EdDSA":
            return self.public.verify(signature, message)
        if self.algorithm == "PS256":
            pss = padding.PSS(padding.MGF1(hashes.SHA256()), 32)
            return self.public.verify(signature, message, pss, hashes.SHA256())
        r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
        self.public.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))


@functools.cache
def key_of(method, documents=()):
    """Returns the key of a did:key reference or of a stored key document. The key is decoded once and cached."""
    for name, text in documents:
        if name == method:
            return Key(serialization.load_pem_public_key(text.encode()))
    identifier = method.split("#")[0]
    if not identifier.startswith("did:key:z"):
        raise LookupError("unknown key: " + method)
    data = base58.b58decode(identifier.removeprefix("did:key:z"))
    if data[:2] == b"\xed\x01":
        return Key(ed25519.Ed25519PublicKey.from_public_bytes(data[2:]))
    if data[:2] == b"\x80\x24":
        return Key(ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), data[2:]))
    if data[:2] == b"\x85\x24":
        return Key(serialization.load_der_public_key(data[2:]))
    raise LookupError("unknown key: " + method)


def suite_of(proof):
    return proof.get("cryptosuite", proof["type"])


def hashes_of(document, proof, form, contexts, context):
    """Returns the hash of the proof options, followed by the hash of the document."""
    options = {name: value for name, value in proof.items() if name not in ("jws", "proofValue")}
    if form == "jcs":
        parts = [jcs(options).encode(), jcs(document).encode()]
    else:
        parts = [contexts.canonical({**options, "@context": context}), contexts.canonical(document)]
    return b"".join(hashlib.sha256(part).digest() for part in parts)


def sign(document, suite, key, contexts):
    """Returns the document with a proof of this suite."""
    place, form = SUITES[suite]
    proof = {"type": suite if suite[0].isupper() else "DataIntegrityProof"}
    if proof["type"] != suite:
        proof["cryptosuite"] = suite
    proof |= {"created": "2026-01-05T08:00:00Z", "verificationMethod": key.method, "proofPurpose": "assertionMethod"}
    if form == "jcs":
        proof["@context"] = document["@context"]
    message = hashes_of(document, proof, form, contexts, document["@context"])
    if place == "proofValue":
        proof["proofValue"] = "z" + base58.b58encode(key.sign(message)).decode()
    else:
        header = {"alg": key.algorithm, "b64": False, "crit": ["b64"]}
        header = to_base64url(json.dumps(header, separators=(",", ":")).encode())
        proof["jws"] = header + ".." + to_base64url(key.sign(header.encode() + b"." + message))
    return {**document, "proof": proof}


def verify(credential, contexts, documents=()):
    """Raises an exception if the proof is invalid."""
    proof = credential["proof"]
    document = {name: value for name, value in credential.items() if name != "proof"}
    suite = suite_of(proof)
    place, form = SUITES[suite]
    key = key_of(proof["verificationMethod"], documents)
    for context in filter(None, [credential["@context"], SUITE_CONTEXTS.get(suite)]):
        message = hashes_of(document, proof, form, contexts, context)
        try:
            if place == "proofValue":
                return key.verify(base58.b58decode(proof["proofValue"][1:]), message)
            header, _, signature = proof["jws"].split(".")
            if json.loads(from_base64url(header))["alg"] != key.algorithm:
                raise ValueError("algorithm")
            return key.verify(from_base64url(signature), header.encode() + b"." + message)
        except InvalidSignature:
            continue
    raise InvalidSignature
