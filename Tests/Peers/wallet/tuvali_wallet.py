"""The wallet's side of MOSIP Tuvali over Bluetooth LE (0.5.x), written only from the description of the protocol.

This module does no input or output: a `Wallet` is called with each event, and returns the writes to make, in order.
It can behave like each of the two published wallets. Android writes everything without response and never writes a
descriptor; iOS writes descriptors, and everything except the first pass of chunks with response.
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

LARGEST_MTU = 512  # bytes of a greater negotiated MTU are not used
SMALLEST_DATA = 64
REPORT_LIMIT = 15  # the number of MISSING reports that a wallet answers


class WalletError(Exception):
    """The wallet gives up; `code` is the documented error code."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Write(typing.NamedTuple):
    characteristic: str
    value: bytes
    response: bool


class Invitation(typing.NamedTuple):
    """The content of the QR code."""

    name: str
    key: str

    @classmethod
    def parse(cls, uri):
        """Reads OPENID4VP://connect?name=…&key=…, and the older form with a colon before the question mark."""
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
        """The name and five bytes of the key, the only parts of the QR code that are compared with the
        advertisement."""
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
        """Returns the channel of a recording, whose private key is unknown, from the value of Identify and the
        agreed secret."""
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
            self.key = derive(secret, b"SKVerifier")  # the wallet encrypts with the verifier's key

    def seal(self, compressed):
        return AESGCM(self.key).encrypt(self.nonce, compressed, None)


def derive(secret, info):
    """Returns HKDF-SHA256 of the secret, with the text "SHA-256" as salt."""
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=b"SHA-256", info=info).derive(secret)


def _crc_table():
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        yield value


_CRC = list(_crc_table())


def crc16(data):
    """Returns the CRC-16/KERMIT of the data."""
    value = 0
    for byte in data:
        value = value >> 8 ^ _CRC[(value ^ byte) & 0xFF]
    return value


def max_data(att_mtu):
    """Returns the maximum number of bytes in a write at an ATT MTU."""
    return min(att_mtu, LARGEST_MTU) - 3


def chunks(encrypted, largest):
    """Returns the response in chunks: sequence number (from 1), CRC, payload."""
    stride = largest - 4
    return [
        struct.pack(">HH", start // stride + 1, crc16(encrypted[start : start + stride])) + encrypted[start : start + stride]
        for start in range(0, len(encrypted), stride)
    ]


def parse_report(value):
    """Returns the chunk numbers that a transfer report lists as missing; an empty list means success."""
    if not value or value[0] not in (0, 1):
        raise WalletError("TVW_UNK_002")
    if value[0] == 1:
        return []
    numbers = value[3:]
    if len(numbers) < 2 or len(numbers) % 2:
        raise WalletError("TVW_UNK_002")
    return list(struct.unpack(">%dH" % (len(numbers) // 2), numbers))


class Heard(typing.NamedTuple):
    """The wallet's reaction to a notification: the writes that answer it, and a word with details for the log."""

    writes: list
    word: str
    details: dict


class Wallet:
    """One transfer of one payload."""

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
        """Compares an advertisement (service data 0x0001, 0x0002) with the invitation. If they match, stores the
        advertised key."""
        if service_data != self.invitation.service_data or len(scan_service_data) != 27:
            return False
        self.verifier_public = service_data[-5:] + scan_service_data
        return True

    def connected(self, att_mtu):
        """Handles the end of the MTU exchange: agrees the keys, and returns the write of Identify."""
        self.largest = max_data(att_mtu)
        if self.largest < SMALLEST_DATA:
            raise WalletError("TVW_CON_002")
        self.listening.add(DISCONNECT)
        self.channel.agree(self.verifier_public)
        return [self._write(IDENTIFY, self.channel.identify)]

    def share(self, payload):
        """Handles the user's choice: compresses and encrypts the payload, and returns the writes of its size, of its
        chunks and of the request for the report."""
        return self.send(self.channel.seal(gzip.compress(payload)))

    def send(self, encrypted):
        """Returns the same writes as share() for a response that is already encrypted."""
        self.pieces = chunks(encrypted, self.largest)
        first_pass = [Write(SUBMIT_RESPONSE, piece, False) for piece in self.pieces]
        return [self._write(RESPONSE_SIZE, struct.pack(">I", len(encrypted)))] + first_pass + [self._report_request()]

    def written(self, write):
        """Notes that the phone's stack has accepted a write. The Android wallet listens for the report and the verdict
        only after it has written the request for the report."""
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
    """Returns the record that Inji Wallet sends for a stored credential. It contains the credential's text
    unchanged.

    A credential document is inserted as JSON; a token (its text has dots) and an mdoc are inserted as strings.
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
