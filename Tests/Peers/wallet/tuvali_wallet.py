"""The wallet's side of MOSIP Tuvali over Bluetooth LE (0.5.x), written from the protocol's description alone.

Nothing here does input or output: a `Wallet` is told what happened and answers with the writes to make, in order. It knows the
manners of the two published wallets: Android writes everything without response and never touches a descriptor; iOS writes
descriptors, and everything but the first pass of chunks with response.
"""
import gzip
import hashlib
import json
import os
import struct
import typing
import urllib.parse

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SERVICE = 0x0001
SCAN_RESPONSE_SERVICE = 0x0002


def _uuid(number):
    return "%08x-5026-444a-9e0e-d6f2450f3a77" % number


IDENTIFY = _uuid(0x06)
RESPONSE_SIZE = _uuid(0x07)
SUBMIT_RESPONSE = _uuid(0x08)
REPORT_REQUEST = _uuid(0x09)
REPORT = _uuid(0x0A)
DISCONNECT = _uuid(0x0B)
VERIFICATION_STATUS = "00002037-0000-1000-8000-00805f9b34fb"

WRITTEN = [IDENTIFY, RESPONSE_SIZE, SUBMIT_RESPONSE, REPORT_REQUEST]
NOTIFIED = [REPORT, VERIFICATION_STATUS, DISCONNECT]

LARGEST_MTU = 512  # whatever was negotiated beyond this is not used
SMALLEST_DATA = 64
REPORT_LIMIT = 15  # MISSING reports that a wallet answers


class WalletError(Exception):
    """The wallet gives up; the code is the documented one."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Write(typing.NamedTuple):
    characteristic: str
    value: bytes
    response: bool


class Invitation(typing.NamedTuple):
    """What the QR code says."""

    name: str
    key: str

    @classmethod
    def parse(cls, uri):
        """Reads OPENID4VP://connect?name=…&key=…, also the older form with a colon before the question mark."""
        head, _, query = uri.partition("?")
        if head not in ("OPENID4VP://connect", "OPENID4VP://connect:"):
            raise WalletError("TVW_CON_001")
        fields = dict(part.partition("=")[::2] for part in query.split("&"))
        name, key = urllib.parse.unquote(fields.get("name", "")), fields.get("key", "")
        try:
            well_formed = len(bytes.fromhex(key)) == 32
        except ValueError:
            well_formed = False
        if not name or not well_formed:
            raise WalletError("TVW_CON_001")
        return cls(name, key.lower())

    @property
    def service_data(self):
        """The only part of the QR code that is ever compared with the air: the name and five bytes of the key."""
        return self.name.encode() + b"_" + bytes.fromhex(self.key)[:5]


class SecureChannel:
    """The wallet's keys of one session."""

    def __init__(self, private=None, nonce=None):
        self.private = X25519PrivateKey.from_private_bytes(private) if private else X25519PrivateKey.generate()
        self.public = self.private.public_key().public_bytes_raw()
        self.nonce = nonce or os.urandom(12)
        self.key = None

    @classmethod
    def recorded(cls, identify, secret):
        """A channel whose private key nobody kept: what Identify said and what came out of the agreement."""
        channel = cls()
        channel.nonce, channel.public = identify[:12], identify[12:]
        channel.key = derive(secret, b"SKVerifier")
        return channel

    @property
    def identify(self):
        return self.nonce + self.public

    def agree(self, verifier_public):
        if self.key is None:
            secret = self.private.exchange(X25519PublicKey.from_public_bytes(verifier_public))
            self.key = derive(secret, b"SKVerifier")  # the receiver's key encrypts

    def seal(self, compressed):
        return AESGCM(self.key).encrypt(self.nonce, compressed, None)


def derive(secret, info):
    """HKDF-SHA256 with the text "SHA-256" as its salt."""
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=b"SHA-256", info=info).derive(secret)


def _crc_table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        yield value


_CRC = list(_crc_table())


def crc16(data):
    """CRC-16/KERMIT."""
    value = 0
    for byte in data:
        value = value >> 8 ^ _CRC[(value ^ byte) & 0xFF]
    return value


def max_data(att_mtu):
    """The bytes of a write in use at an ATT MTU."""
    return min(att_mtu, LARGEST_MTU) - 3


def chunks(encrypted, largest):
    """The response in pieces: number (from 1), check sum, payload."""
    stride = largest - 4
    return [
        struct.pack(">HH", start // stride + 1, crc16(encrypted[start : start + stride])) + encrypted[start : start + stride]
        for start in range(0, len(encrypted), stride)
    ]


def parse_report(value):
    """The chunk numbers that a transfer report calls missing; none of them means success."""
    if not value or value[0] not in (0, 1):
        raise WalletError("TVW_UNK_002")
    if value[0] == 1:
        return []
    numbers = value[3:]
    if len(numbers) < 2 or len(numbers) % 2:
        raise WalletError("TVW_UNK_002")
    return list(struct.unpack(">%dH" % (len(numbers) // 2), numbers))


class Heard(typing.NamedTuple):
    """What a notification meant to the wallet: the writes it answers with, and a word with details for whoever watches."""

    writes: list
    word: str
    details: dict


class Wallet:
    """One share of one payload."""

    def __init__(self, uri, manner="android", channel=None):
        if manner not in ("android", "ios"):
            raise ValueError("manner must be android or ios")
        self.invitation = Invitation.parse(uri)
        self.ios = manner == "ios"
        self.channel = channel or SecureChannel()
        self.verifier_public = None
        self.largest = None
        self.pieces = []
        self.missing_reports = 0
        self.listening = set(NOTIFIED) if self.ios else set()

    def meets(self, service_data, scan_service_data):
        """Compares an advertisement (0x0001, 0x0002) with the invitation; on a match takes the key from the air."""
        if service_data != self.invitation.service_data or len(scan_service_data) != 27:
            return False
        self.verifier_public = service_data[-5:] + scan_service_data
        return True

    def connected(self, att_mtu):
        """The MTU is settled: keys, and Identify."""
        self.largest = max_data(att_mtu)
        if self.largest < SMALLEST_DATA:
            raise WalletError("TVW_CON_002")
        self.listening.add(DISCONNECT)
        self.channel.agree(self.verifier_public)
        return [self._write(IDENTIFY, self.channel.identify)]

    def share(self, payload):
        """The user has chosen: compress, encrypt, announce, send, ask for the report."""
        return self.send(self.channel.seal(gzip.compress(payload)))

    def send(self, encrypted):
        """The same for a response that is encrypted already."""
        self.pieces = chunks(encrypted, self.largest)
        first_pass = [Write(SUBMIT_RESPONSE, piece, False) for piece in self.pieces]
        return [self._write(RESPONSE_SIZE, struct.pack(">I", len(encrypted)))] + first_pass + [self._report_request()]

    def written(self, write):
        """A write has been handed to the phone's stack: only then does the Android wallet listen for the answers."""
        if write.characteristic == REPORT_REQUEST:
            self.listening |= {REPORT, VERIFICATION_STATUS}

    def notified(self, characteristic, value):
        if characteristic not in self.listening:
            return Heard([], "unheard", {"characteristic": characteristic, "value": value.hex()})
        if not value:
            raise WalletError("TVW_UNK_002")
        if characteristic == REPORT:
            return self._reported(value)
        if characteristic == VERIFICATION_STATUS:
            return Heard([], "verdict", {"status": value[0]})
        return Heard([], "disconnect-request", {"value": value[0]})

    def _reported(self, value):
        missing = parse_report(value)
        if not missing:
            return Heard([], "report", {"missing": []})
        self.missing_reports += 1
        if self.missing_reports > REPORT_LIMIT:
            raise WalletError("TVW_REP_001")
        if any(not 1 <= number <= len(self.pieces) for number in missing):
            raise WalletError("TVW_UNK_003")
        again = [self._write(SUBMIT_RESPONSE, self.pieces[number - 1]) for number in missing]
        return Heard(again + [self._report_request()], "report", {"missing": missing})

    def _report_request(self):
        return self._write(REPORT_REQUEST, b"\x01")

    def _write(self, characteristic, value):
        return Write(characteristic, value, self.ios)


def wallet_record(credential):
    """What Inji Wallet sends for a stored credential: its own record around the credential's text, which is kept as it is.

    A document is JSON; a token (it has dots) and an mdoc are texts.
    """
    credential = credential.strip()
    form = "ldp_vc"
    if not credential.startswith("{"):
        form = "vc+sd-jwt" if "." in credential else "mso_mdoc"
    stamp = "1767322800000"
    identifier = hashlib.sha256(credential.encode()).hexdigest()[:32] + "_Mosip"
    record = {
        "vcMetadata": {
            "idType": "", "requestId": identifier, "isPinned": False, "id": identifier, "issuer": "Mosip",
            "protocol": "OpenId4VCI", "timestamp": stamp, "isVerified": True, "mosipIndividualId": "", "format": form,
            "isExpired": False, "isRevoked": "FALSE", "downloadKeyType": "RS256",
            "credentialType": "VerifiableCredential", "issuerHost": "https://issuer.example", "lastKnownStatusTimestamp": "",
        },
        "generatedOn": "2026-01-02T03:04:06.000Z", "format": form, "credential": None,
        "verifiableCredential": {
            "credential": "@credential@", "credentialConfigurationId": "VerifiableCredential",
            "issuerLogo": {"url": "https://issuer.example/logo.png", "alt_text": "issuer"},
        },
        "hashedId": "", "publicKey": "", "privateKey": "", "OTP": "", "error": "", "bindingTransactionId": "",
        "requestId": "", "downloadCounter": 0, "maxDownloadCount": None, "downloadInterval": None,
        "walletBindingResponse": None, "isMachineInKebabPopupState": False, "communicationDetails": None,
        "verificationStatus": None, "showVerificationStatusBanner": False,
    }
    return json.dumps(record, separators=(",", ":")).replace(
        '"@credential@"', credential if form == "ldp_vc" else json.dumps(credential))
