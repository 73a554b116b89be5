import Crypto
import Encoding
import TestKit
import Testing

@testable import Simulation

@Suite struct WalletVectorTests {
    @Test func checksums() throws {
        guard let cases = try tuvaliCases("crc16.json") else { return }
        var tally = VectorTally("tuvali/crc16")
        for one in cases {
            let crc = Int(WalletCRC.checksum(one.hex("data")))
            tally.record(one.text("id"), crc == one.number("crc") ? nil : "\(crc)")
        }
        #expect(tally.finish() == [])
    }

    @Test func keyAgreement() throws {
        guard let cases = try tuvaliCases("keyagreement.json") else { return }
        var tally = VectorTally("tuvali/keyagreement")
        for one in cases {
            let (own, nonce, peer) = (one.hex("wallet_private"), one.hex("nonce"), one.hex("verifier_public"))
            let keys = WalletKeys(privateKey: own, verifierKey: peer)
            let submission = WalletSubmission.seal(record: [], privateKey: own, nonce: nonce)
            let isRight =
                keys?.toVerifier == one.hex("key_sk_verifier") && keys?.toWallet == one.hex("key_sk_wallet")
                && submission.prepare(for: peer)?.identify == one.hex("identify_write")
            tally.record(one.text("id"), isRight ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    @Test func encryption() throws {
        guard let cases = try tuvaliCases("encrypt.json") else { return }
        var tally = VectorTally("tuvali/encrypt")
        for one in cases {
            let keys = WalletKeys(privateKey: one.hex("wallet_private"), verifierKey: one.hex("verifier_public"))
            guard let keys, let encrypted = Base64.decodeAny(one.text("encrypted_b64")),
                let box = try? AES.GCM.SealedBox(combined: one.hex("nonce") + encrypted),
                let compressed = try? AES.GCM.open(box, using: SymmetricKey(data: keys.toVerifier))
            else {
                tally.record(one.text("id"), "does not open")
                continue
            }
            let plain = try? Gzip.inflate(Array(compressed), limit: 8 << 20)
            let isRight =
                plain == Base64.decodeAny(one.text("plain_b64"))
                && keys.seal(Array(compressed), nonce: one.hex("nonce")) == encrypted
            tally.record(one.text("id"), isRight ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    @Test func chunks() throws {
        guard let cases = try tuvaliCases("chunks.json") else { return }
        var tally = VectorTally("tuvali/chunks")
        for one in cases {
            let data = made(one.text("data_seed"), one.number("data_len"))
            let chunks = WalletChunks(data, maxDataBytes: min(one.number("att_mtu"), 512) - 3)
            let all = (1...max(1, chunks?.count ?? 0)).compactMap { chunks?[$0] }
            let stream = Hex.encode(SHA256.hash(data: all.flatMap { $0 }))
            let listed = one["chunks"]?.array?.map { Hex.decode($0.string?.string ?? "") ?? [] }
            let isRight =
                Hex.encode(SHA256.hash(data: data)) == one.text("data_sha256")
                && chunks?.stride == one.number("chunk_payload_bytes") && all.count == one.number("chunk_count")
                && all.first == one.hex("first") && all.last == one.hex("last") && stream == one.text("stream_sha256")
                && (listed == nil || listed == all)
            tally.record(one.text("id"), isRight ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }

    private func made(_ seed: String, _ length: Int) -> [UInt8] {
        var (data, counter) = ([UInt8](), UInt32(0))
        while data.count < length {
            var input = Array(seed.utf8)
            input.appendBE(counter)
            data += SHA256.hash(data: input)
            counter += 1
        }
        return Array(data.prefix(length))
    }

    @Test func reports() throws {
        guard let cases = try tuvaliCases("report.json") else { return }
        var tally = VectorTally("tuvali/report")
        for one in cases {
            let parsed = one["wallet_parses"] ?? .null
            let missing = parsed["missing"]?.array?.compactMap(\.int) ?? []
            let wanted: WalletReport = parsed.text("type") == "SUCCESS" ? .success : .missing(missing)
            tally.record(one.text("id"), WalletReport(one.hex("bytes")) == wanted ? nil : "differs")
        }
        #expect(tally.finish() == [])
        #expect(WalletReport([2, 0, 0]) == nil)
        #expect(WalletReport([]) == nil)
        #expect(WalletReport([0]) == .missing([]))
    }

    @Test func invitations() throws {
        guard let cases = try tuvaliCases("uri.json") else { return }
        var tally = VectorTally("tuvali/uri")
        for one in cases {
            let uri = one.text("uri")
            var failures: [String] = []
            for (platform, name) in [(WalletInvitation.Platform.android, Text("android_wallet")), (.ios, "ios_wallet")]
            {
                let wanted = one[name] ?? .null
                let read = WalletInvitation(uri, platform: platform)
                let isRight =
                    wanted["exception"] != nil
                    ? read == nil
                    : read?.name == wanted["name"]?.string?.string && read?.key == wanted["key"]?.string?.string
                        && read?.isValid == wanted["valid"]?.bool
                if !isRight { failures.append("\(name): \(String(describing: read))") }
            }
            if WalletInvitation.isAcceptedByApp(uri) != one["inji_app_accepts_qr"]?.bool { failures.append("app") }
            tally.record(one.text("id"), failures.isEmpty ? nil : failures.joined(separator: ", "))
        }
        #expect(tally.finish() == [])
    }

    @Test func advertisements() throws {
        guard let cases = try tuvaliCases("advertisement.json") else { return }
        var tally = VectorTally("tuvali/advertisement")
        for one in cases {
            guard one["fits"]?.bool == true else {
                tally.skip(one.text("id"), because: "too long for the air")
                continue
            }
            let address = DeviceAddress(bytes: [1, 2, 3, 4, 5, 0x46], isRandom: true)
            let advertiser = Advertiser(
                address: address, data: one.hex("adv_pdu_data"), scanResponse: one.hex("scan_rsp_pdu_data"),
                interval: .milliseconds(100))
            var found: [[UInt8]?] = []
            for platform in [WalletInvitation.Platform.android, .ios] {
                let invitation = WalletInvitation(one.text("uri"), platform: platform)
                found.append(invitation.flatMap { WalletScan.match(advertiser, $0) })
            }
            var mute = advertiser
            mute.scanResponse = []
            var other = WalletInvitation(one.text("uri"), platform: .android)
            other?.name = "x"
            let isRight =
                found == [one.hex("public_key"), one.hex("public_key")]
                && other.flatMap { WalletScan.match(advertiser, $0) } == nil
                && WalletInvitation(one.text("uri"), platform: .ios).flatMap { WalletScan.match(mute, $0) } == nil
            tally.record(one.text("id"), isRight ? nil : "differs")
        }
        #expect(tally.finish() == [])
    }
}
