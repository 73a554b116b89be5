import Crypto
import Encoding
import TestKit
import Testing

@testable import Tuvali

/// Checks the wire formats against their vectors.
@Suite struct WireVectorTests {
    @Test func crc16() {
        VectorCases.check("crc16") { item, _ in
            let crc = CRC16.kermit(try item.hex("data")[...])
            var wire: [UInt8] = []
            wire.appendBE(crc)
            return firstFailure(
                difference("crc", Int(crc), try item.number("crc")), difference("wire", wire, try item.hex("wire")))
        }
    }

    @Test func keyAgreement() {
        VectorCases.check("keyagreement") { item, _ in
            let key = try VerifierKey(privateBytes: item.hex("verifier_private"))
            let walletKey = try item.hex("wallet_public")
            guard let secret = key.sharedSecret(with: walletKey[...]) else { return "no shared secret" }
            return firstFailure(
                difference("public", key.publicKey, try item.hex("verifier_public")),
                difference("identify", try item.hex("nonce") + walletKey, try item.hex("identify_write")),
                difference("secret", secret.withUnsafeBytes { Array($0) }, try item.hex("shared_secret")),
                difference(
                    "key for the verifier", Self.bytes(SecureChannel.deriveKey(secret, for: .verifier)),
                    try item.hex("key_sk_verifier")),
                difference(
                    "key for the wallet", Self.bytes(SecureChannel.deriveKey(secret, for: .wallet)),
                    try item.hex("key_sk_wallet")))
        }
    }

    @Test func opening() {
        VectorCases.check("encrypt") { item, _ in
            let key = try VerifierKey(privateBytes: item.hex("verifier_private"))
            let channel = try SecureChannel(verifierKey: key, identify: item.hex("identify_write"))
            guard let sealed = Base64.decodeAny(try item.text("encrypted_b64")),
                let plain = Base64.decodeAny(try item.text("plain_b64"))
            else { return "base64" }
            var size: [UInt8] = []
            size.appendBE(UInt32(sealed.count))
            var tampered = sealed
            tampered[sealed.count / 2] ^= 1
            let refused = #expect(throws: TuvaliError.notAuthentic) {
                try channel.open(tampered[...], inflatedLimit: SessionSettings().inflatedLimit)
            }
            return firstFailure(
                difference(
                    "plain", try channel.open(sealed[...], inflatedLimit: SessionSettings().inflatedLimit), plain),
                difference("sha", sha256(plain), try item.text("plain_sha256")),
                difference("size", size, try item.hex("response_size_write")),
                refused == nil ? "tampered bytes were opened" : nil)
        }
    }

    @Test func gunzip() {
        VectorCases.check("gunzip") { item, _ in
            let limit = SessionSettings().inflatedLimit
            let plain = try? Gzip.inflate(item.hex("data"), limit: limit)
            guard try item.flag("ok") else { return plain == nil ? nil : "inflated" }
            guard let plain else { return "refused" }
            return firstFailure(
                item["plain_utf8"]?.string.flatMap { difference("plain", plain, Array($0.utf8)) },
                item["plain_len"]?.int.flatMap { difference("length", plain.count, $0) },
                item["plain_sha256"]?.string.flatMap { difference("sha", sha256(plain), $0.string) })
        }
    }

    /// 2 MiB of empty gzip members are a legal stream. Inflating it must take time linear in its length.
    @Test func gunzipOfVeryManyMembers() throws {
        let empty = try Gzip.deflate([])
        let bytes = Array(repeatElement(empty, count: Assembler.acceptedSizes.upperBound / empty.count).joined())
        #expect(try Gzip.inflate(bytes + Gzip.deflate([1]), limit: 1) == [1])
    }

    /// The assembler reassembles the library's chunks, which the test wallet reproduces, into the original data.
    @Test func chunks() {
        VectorCases.check("chunks") { item, _ in
            let data = Self.seeded(try item.text("data_seed"), length: try item.number("data_len"))
            guard sha256(data) == (try item.text("data_sha256")) else { return "data rule" }
            let maxData = min(try item.number("att_mtu"), 512) - 3
            let chunks = TestWallet.cut(data, maxData: maxData)
            // Some of these sizes are smaller than any encrypted message. A session would reject them.
            var assembler = try Assembler(size: data.count, maxData: maxData, accepting: 1...data.count)
            let arrivals = Set(chunks.map { assembler.add($0) })
            return firstFailure(
                difference("max data", maxData, try item.number("max_data_bytes")),
                difference("count", assembler.totalChunks, try item.number("chunk_count")),
                difference("stream", sha256(chunks.flatMap(\.self)), try item.text("stream_sha256")),
                difference("first", chunks.first, try item.hex("first")),
                difference("last", chunks.last, try item.hex("last")),
                item["chunks"] == nil ? nil : difference("chunks", chunks, try item.hexList("chunks")),
                difference("arrivals", arrivals, [.accepted]),
                assembler.isComplete && Array(assembler.bytes) == data ? nil : "assembled other bytes")
        }
    }

    @Test func reports() {
        VectorCases.check("transfer_report") { item, _ in
            let maxData = try item.number("max_data_bytes")
            let missing = try item.list("missing").compactMap { $0.int.map { UInt16($0) } }
            let report: TransferReport =
                missing.isEmpty ? .success : .missing(numbers: missing, count: missing.count)
            return difference("report", report.bytes(maxData: maxData), try item.hex("bytes"))
        }
    }

    @Test func assembler() {
        VectorCases.check("assembler") { item, _ in
            let want = item["want"] ?? .null
            let chunks = try item.hexList("chunks")
            let steps = try want.list("steps").map { $0.string?.string ?? "" }
            guard
                var assembler = try? Assembler(
                    size: item.number("response_size"), maxData: item.number("max_data_bytes"))
            else {
                return try want.flag("refused") && steps.allSatisfy { $0 == "dropped" } ? nil : "refused"
            }
            let arrivals = chunks.map { "\(assembler.add($0))" }
            return firstFailure(
                try want.flag("refused") ? "not refused" : nil,
                difference("total", assembler.totalChunks, try want.number("total_chunks")),
                difference("steps", arrivals, steps),
                difference("crc", assembler.crcFailures, try want.number("crc_failures")),
                difference("missing", assembler.missing().map(Int.init), try want.list("missing").compactMap(\.int)),
                difference("complete", assembler.isComplete, try want.flag("complete")),
                difference(
                    "data", assembler.isComplete ? sha256(Array(assembler.bytes)) : nil,
                    want["data_sha256"]?.string?.string))
        }
    }

    private static func bytes(_ key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    /// Implements the README's rule: repeated SHA-256(seed ‖ big-endian counter).
    private static func seeded(_ seed: String, length: Int) -> [UInt8] {
        var data: [UInt8] = []
        var counter: UInt32 = 0
        while data.count < length {
            var block = Array(seed.utf8)
            block.appendBE(counter)
            data += SHA256.hash(data: block)
            counter += 1
        }
        return Array(data.prefix(length))
    }
}
