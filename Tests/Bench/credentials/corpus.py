"""Makes the corpus: corpus.py DIRECTORY. Each kind of file has 200 variants with different signatures.

The keys are test keys; only the RSA key differs in each run.

    DIRECTORY/files/KIND/NNN.json   the credentials
    DIRECTORY/trust                 a trust directory under which all of them are accepted
"""
import base64
import hashlib
import json
import shutil
import sys
import uuid
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from proofs import Contexts, Key, sign

VARIANTS = 200
SEED = hashlib.sha256(b"gatehouse bench: a test key").digest()
ED25519 = ed25519.Ed25519PrivateKey.from_private_bytes(SEED)
P256 = ec.derive_private_key(int.from_bytes(SEED, "big") >> 1, ec.SECP256R1())
RSA = rsa.generate_private_key(65537, 2048)

CREDENTIALS = "https://www.w3.org/2018/credentials/v1"
# suite → (key, the contexts that define the suite, in addition to credentials/v1)
SUITES = {
    "Ed25519Signature2018": (ED25519, []),
    "Ed25519Signature2020": (ED25519, ["https://w3id.org/security/suites/ed25519-2020/v1"]),
    "JsonWebSignature2020": (ED25519, ["https://w3id.org/security/suites/jws-2020/v1"]),
    "eddsa-rdfc-2022": (ED25519, ["https://w3id.org/security/data-integrity/v2"]),
    "ecdsa-rdfc-2019": (P256, ["https://w3id.org/security/data-integrity/v2"]),
    "eddsa-jcs-2022": (ED25519, ["https://w3id.org/security/data-integrity/v2"]),
    "ecdsa-jcs-2019": (P256, ["https://w3id.org/security/data-integrity/v2"]),
}
CLAIMS = [f"entry{number:02}" for number in range(40)]
WIDE_CONTEXT = {
    "@version": 1.1, "pass": "https://vocabulary.example/pass#",
    **{claim: {"@id": "pass:" + claim} for claim in CLAIMS},
    "place": {"@id": "pass:place", "@type": "@id", "@context": {"street": "pass:street", "town": "pass:town"}},
}


def unit(number, label):
    """Returns 64 hexadecimal digits that differ for each variant and label."""
    return hashlib.sha256(f"{label} {number}".encode()).hexdigest()


def envelope(number, issuer, contexts, types, subject):
    return {
        "@context": [CREDENTIALS, *contexts], "id": str(uuid.UUID(unit(number, "id")[:32]).urn),
        "type": ["VerifiableCredential", *types], "issuer": issuer, "issuanceDate": "2026-01-05T08:00:00Z",
        "expirationDate": "2036-01-05T08:00:00Z", "credentialSubject": subject,
    }


def minimal(number, issuer, contexts):
    return envelope(number, issuer, contexts, [], {"id": "did:example:" + unit(number, "holder")[:16]})


def resident_card(number, issuer, contexts):
    return envelope(number, issuer, [*contexts, "https://w3id.org/citizenship/v1"], ["PermanentResidentCard"], {
        "id": "did:example:" + unit(number, "holder")[:16], "type": ["PermanentResident", "Person"],
        "givenName": "Amara " + unit(number, "name")[:6], "familyName": "Okafor", "gender": "Female",
        "image": "data:image/png;base64," + "iVBORw0KGgo" * 40, "residentSince": "2017-03-01T00:00:00Z",
        "lprCategory": "C07", "lprNumber": f"{number:09}", "commuterClassification": "C2", "birthCountry": "Ghana",
        "birthDate": "1988-11-23T00:00:00Z",
    })


def wide(number, issuer, contexts):
    return envelope(number, issuer, [*contexts, WIDE_CONTEXT], [], {
        "id": "did:example:" + unit(number, "holder")[:16],
        **{claim: f"what stands there {unit(number, claim)[:4]}" for claim in CLAIMS},
        "place": [{"street": f"Street {n}", "town": f"Town {n}"} for n in range(5)],
    })


def photo_card(number, issuer):
    """Returns a credential with the size and shape of a MOSIP national-ID credential: a photo, and values with a
    language."""
    terms = ["photo", "sex", "phone", "town", "fullName", "dateOfBirth", "number", "email"]
    context = {"@version": 1.1, "id": "@id", "type": "@type", "card": "https://vocabulary.example/card#",
               "sec": "https://w3id.org/security#", "xsd": "http://www.w3.org/2001/XMLSchema#",
               "value": "@value", "language": "@language", "NationalCard": "card:NationalCard",
               **{term: "card:" + term for term in terms}}
    photo = b"".join(hashlib.sha256(b"%d %d" % (number, block)).digest() for block in range(354_000 // 32))
    return envelope(number, issuer, [context], ["NationalCard"], {
        "id": "did:example:" + unit(number, "holder")[:16],
        "photo": "data:image/jpeg;base64," + base64.b64encode(photo).decode(),
        "sex": {"value": "Female", "language": "en"}, "town": {"value": "Kenitra", "language": "en"},
        "fullName": {"value": "Resident " + unit(number, "name")[:6], "language": "en"},
        "phone": f"0{number:09}", "dateOfBirth": "1991/01/01", "number": f"{number:010}", "email": "card@example.org",
    })


def write_trust(directory, issuers, contexts, urls, documents=(), profile="strict"):
    """Writes a trust directory (see docs/reference/trust.md) with only these issuers, contexts and DID documents."""
    for folder in ("did", "contexts"):
        (directory / folder).mkdir(parents=True)
    entries = [f'[[issuer]]\nid = "{issuer}"\ninline-contexts = "allow"\n' for issuer in issuers]
    (directory / "issuers.toml").write_text(f'profile = "{profile}"\n\n' + "\n".join(entries))
    index = []
    for number, url in enumerate(sorted(urls)):
        data = contexts.file(url).read_bytes()
        (directory / "contexts" / f"{number}.jsonld").write_bytes(data)
        index.append({"url": url, "file": f"{number}.jsonld", "sha256": hashlib.sha256(data).hexdigest()})
    (directory / "contexts" / "index.json").write_text(json.dumps(index, indent=1))
    for number, document in enumerate(documents):
        (directory / "did" / f"{number}.json").write_text(json.dumps(document, indent=1))


def make(directory):
    contexts = Contexts()
    files = directory / "files"
    urls = set()

    def write(kind, number, document, suite, key):
        key = Key(key.public_key(), key)
        (files / kind).mkdir(parents=True, exist_ok=True)
        text = json.dumps(sign(document(key.did), suite, key, contexts))
        (files / kind / f"{number:03}.json").write_text(text)

    for name, template in {"minimal": minimal, "resident-card": resident_card, "wide-40-claims": wide}.items():
        for suite, (private, extra) in SUITES.items():
            print(f"  {name}-{suite}", file=sys.stderr)
            for number in range(VARIANTS):
                write(f"{name}-{suite}", number, lambda did: template(number, did, extra), suite, private)
            urls.update(extra)
    print("  photo-card-RsaSignature2018", file=sys.stderr)
    for number in range(VARIANTS):
        write("photo-card-RsaSignature2018", number, lambda did: photo_card(number, did), "RsaSignature2018", RSA)
    issuers = [Key(key.public_key()).did for key in (ED25519, P256, RSA)]
    urls |= {CREDENTIALS, "https://w3id.org/citizenship/v1"}
    write_trust(directory / "trust", issuers, contexts, urls)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    shutil.rmtree(target, ignore_errors=True)
    make(target)
