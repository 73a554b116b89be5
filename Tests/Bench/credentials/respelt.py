"""Respells an expired credential and runs several verifiers on each spelling: respelt.py [--gatehouse BINARY]

A linked-data signature covers statements, and the holder can choose how the document spells them. This program signs,
with a test key, a credential that expired on 1 January 2025. It then moves the `expirationDate` to places where the
statement remains but the member of that name is gone. For each spelling it prints whether the canonical N-Quads are
the signed ones, whether the document still has the member, and the result of each verifier that can be imported. The
last line is a control with another date, which every verifier that checks the signature must refuse.

Exit code 1: a spelling changed the statements, or a verifier accepted the control.
"""
import argparse
import importlib.metadata
import json
import subprocess
import tempfile
from pathlib import Path

import proofs
from corpus import CREDENTIALS, ED25519, SUITES, write_trust

DATE = "2025-01-01T00:00:00Z"
NAME = "expirationDate"
PROPERTY = "https://www.w3.org/2018/credentials#" + NAME
TYPE = "http://www.w3.org/2001/XMLSchema#dateTime"
NOW = "2026-06-01T09:00:00Z"  # only for verifiers with a setting for the time; the other verifiers use the clock


def expired(suite, contexts):
    """Returns the credential as the issuer signed it."""
    key = proofs.Key(ED25519.public_key(), ED25519)
    return proofs.sign({
        "@context": [CREDENTIALS, *SUITES[suite][1]], "id": "urn:uuid:7d3e1f0a-5c24-4f0b-9a51-0c2b7e1d6f43",
        "type": ["VerifiableCredential"], "issuer": key.did, "issuanceDate": "2024-01-01T00:00:00Z", NAME: DATE,
        "credentialSubject": {"id": "did:example:visitor"},
    }, suite, key, contexts)


def spellings(signed):
    """Yields (description, document). Each document still contains the statement with the date."""
    rest = {name: value for name, value in signed.items() if name != NAME}
    value = {"@value": DATE, "@type": TYPE}
    again = {"id": signed["id"], "type": signed["type"], NAME: DATE}
    yield "as it was signed", signed
    yield "in @nest", {**rest, "@nest": {NAME: DATE}}
    yield "under the property's IRI", {**rest, PROPERTY: value}
    yield "the node twice, in @included", {**rest, "@included": [again]}
    yield "the node twice, in the subject's @reverse", {
        **rest, "credentialSubject": {
            **signed["credentialSubject"],
            "@reverse": {PROPERTY.replace(NAME, "credentialSubject"): again}}}


def control(signed):
    return "control: another date", {**signed, NAME: "2035-01-01T00:00:00Z"}


def without_proof(document):
    return {name: value for name, value in document.items() if name != "proof"}


class DIDKit:
    """didkit checks only the proof; it has no option to check the dates."""

    def __init__(self, place, contexts):
        from worker import DIDKit as Library
        self.library = Library([])
        self.name = "didkit " + importlib.metadata.version("didkit")

    def verify(self, document):
        return self.library.verify(json.dumps(document))


class PyLD:
    """The canonical form of PyLD, a signature check by cryptography, and a caller that then reads the date by the
    member's name."""

    def __init__(self, place, contexts):
        self.contexts = contexts
        self.name = "PyLD " + importlib.metadata.version("PyLD")

    def verify(self, document):
        proofs.verify(document, self.contexts)
        return "ok" if document.get(NAME, NOW) >= NOW else "expired"


class ACAPy:
    """The verifier of ACA-Py, which is based on PyLD; used only if it is installed."""

    def __init__(self, place, contexts):
        from aries_cloudagent.vc.ld_proofs import Ed25519Signature2018, Ed25519Signature2020
        from aries_cloudagent.vc.vc_ld import verify_credential
        self.call, self.contexts = verify_credential, contexts
        self.suites = [suite(key_pair=self.Pair()) for suite in (Ed25519Signature2018, Ed25519Signature2020)]
        self.name = "ACA-Py " + importlib.metadata.version("aries-cloudagent")

    class Pair:
        """The key of a verification method, which checks signatures with cryptography."""
        has_public_key = False

        def from_verification_method(self, method):
            pair = ACAPy.Pair()
            pair.key = proofs.key_of(method["id"])
            return pair

        async def verify(self, message, signature):
            try:
                self.key.verify(signature, message)
                return True
            except Exception:
                return False

    def load(self, url, options=None):
        if not url.startswith("did:key:"):
            return self.contexts.load(url)
        did = url.split("#")[0]
        method = {"id": did + "#" + did.removeprefix("did:key:"), "type": "Ed25519VerificationKey2018", "controller": did}
        document = {"@context": "https://w3id.org/security/v2", **method} if "#" in url else {
            "@context": "https://w3id.org/security/v2", "id": did, "assertionMethod": [method]}
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url, "document": document}

    def verify(self, document):
        import asyncio
        result = asyncio.run(self.call(credential=document, suites=self.suites, document_loader=self.load))
        return "ok" if result.verified else "; ".join(map(str, result.errors))


class Gatehouse:
    def __init__(self, place, contexts, binary):
        self.binary, self.place, self.name = binary, place, "gatehouse"
        urls = {CREDENTIALS, *(url for suite in ("Ed25519Signature2018", "Ed25519Signature2020") for url in SUITES[suite][1])}
        write_trust(place / "trust", [proofs.Key(ED25519.public_key()).did], contexts, urls)

    def verify(self, document):
        file = self.place / "credential.json"
        file.write_text(json.dumps(document))
        answer = subprocess.run([self.binary, "verify", "--trust", self.place / "trust", "--at", NOW, file],
                                capture_output=True, text=True)
        verdict = json.loads(answer.stdout)
        return "ok" if verdict["decision"] == "accept" else verdict["reasons"][0]["code"]


def verifiers(place, contexts, binary):
    for kind in (DIDKit, PyLD, ACAPy):
        try:
            yield kind(place, contexts)
        except ImportError as error:
            print(f"{kind.__name__}: not here ({error})")
    if binary:
        yield Gatehouse(place, contexts, binary)


def answer(verifier, document):
    try:
        return verifier.verify(document)
    except Exception as error:
        return f"{type(error).__name__} {error}".strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gatehouse", help="the program, to ask it too")
    options = parser.parse_args()
    contexts = proofs.Contexts()
    good = True
    with tempfile.TemporaryDirectory() as place:
        asked = list(verifiers(Path(place), contexts, options.gatehouse))
        for suite in ("Ed25519Signature2018", "Ed25519Signature2020"):
            signed = expired(suite, contexts)
            statements = contexts.canonical(without_proof(signed))
            print(f"\n{suite}, expired {DATE}; {len(statements.splitlines())} statements")
            for what, document in [*spellings(signed), control(signed)]:
                same = contexts.canonical(without_proof(document)) == statements
                answers = {verifier.name: answer(verifier, document) for verifier in asked}
                is_control = what.startswith("control")
                good &= same != is_control and not (is_control and "ok" in answers.values())
                found = "found" if NAME in document else "gone"
                print(f"  {what:42} statements {'the same' if same else 'other':9} member {found:6}"
                      + "".join(f" {name}: {said[:60]};" for name, said in answers.items()))
    if not good:
        raise SystemExit("a spelling changed what was signed, or a changed date was not noticed")


if __name__ == "__main__":
    main()
