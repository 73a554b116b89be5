import Encoding
import Testing

@testable import Tuvali

@Suite struct InvitationTests {
    @Test func advertisementsAsWanted() {
        VectorCases.check("advertisement") { item, _ in
            let name = try item.text("identifier")
            let publicKey = try item.hex("public_key")
            guard try item.flag("fits") else {
                let refused = (try? Identifier(name, alphabet: .any)) == nil
                return refused ? nil : "a name that does not fit was taken"
            }
            let identifier = try Identifier(name, alphabet: .any)
            let invitation = Invitation(identifier: identifier, publicKey: publicKey)
            let parsed = WalletURI.android(invitation.uri)
            return firstFailure(
                difference(
                    "adv", withoutFlags(invitation.advertisingData(for: .b)), withoutFlags(try item.hex("adv_pdu_data"))
                ),
                difference("rsp", invitation.scanResponseData(for: .b), try item.hex("scan_rsp_pdu_data")),
                difference("uri", invitation.uri, try item.text("uri")),
                difference("parsed", parsed, .init(name: Text(name), key: Text(Hex.encode(publicKey)), isValid: true)))
        }
    }

    /// Compares the parsers that test the builder with the recorded readings of real wallets.
    @Test func walletParsersReadAsRealOnes() {
        VectorCases.check("uri") { item, _ in
            let uri = try item.text("uri")
            let android = item["android_wallet"] ?? .null
            let ios = item["ios_wallet"] ?? .null
            return firstFailure(
                difference("android", WalletURI.android(uri), WalletURI.Reading(android)),
                difference("ios", WalletURI.ios(uri), WalletURI.Reading(ios)),
                difference("app", uri.utf8.starts(with: "OPENID4VP://".utf8), try item.flag("inji_app_accepts_qr")))
        }
    }

    /// Both phones read back the values of an invitation, whatever permitted name it has.
    @Test func everyInvitationIsReadByBothWallets() throws {
        var random = SplitMix64(seed: 7)
        let names = ["OVPMOSIP", "A", "gate_12-b", "EXACTLY14CHARS", "Zoë", "a+b&c=d%#?/:", "門", "it's (1)!*~."]
        for name in names {
            let key = try VerifierKey(privateBytes: random.bytes(32))
            let invitation = Invitation(identifier: try Identifier(name, alphabet: .any), key: key)
            let want = WalletURI.Reading(name: Text(name), key: Text(Hex.encode(key.publicKey)), isValid: true)
            #expect(WalletURI.android(invitation.uri) == want)
            #expect(WalletURI.ios(invitation.uri) == want)
            #expect(!invitation.uri.utf8.contains(UInt8(ascii: "+")))
            #expect(invitation.advertisingData(for: .b).count <= 31)
            #expect(invitation.advertisingData(for: .b).starts(with: [0x02, 0x01, 0x06, 0x03, 0x03, 0x01, 0x00]))
            #expect(invitation.scanResponseData(for: .b).count == 31)
        }
    }

    @Test func namesAreChecked() throws {
        #expect(throws: Identifier.Failure.empty) { try Identifier("") }
        #expect(throws: Identifier.Failure.empty) { try Identifier("", alphabet: .any) }
        #expect(throws: Identifier.Failure.tooLong(bytes: 15)) { try Identifier("FIFTEENCHARSXXX") }
        #expect(throws: Identifier.Failure.tooLong(bytes: 16)) { try Identifier("ëëëëëëëë", alphabet: .any) }
        for name in ["Gate 7", "a+b", "Zoë", "a.b", "a\u{0}"] {
            #expect(throws: Identifier.Failure.characters) { try Identifier(name) }
        }
        #expect(try Identifier("az-AZ_09").bytes == Array("az-AZ_09".utf8))
    }

    @Test func theTableOfCharacteristics() {
        let table = Characteristic.allCases.map { "\(Hex.encode($0.uuid(in: .b))) \($0.properties)" }
        let tail = "-5026-444a-9e0e-d6f2450f3a77".filter { $0 != "-" }
        #expect(
            table == [
                "00000006\(tail) 12", "00000004\(tail) 34", "00000005\(tail) 34",
                "00000007\(tail) 12", "00000008\(tail) 12", "00000009\(tail) 12",
                "0000000a\(tail) 32", "0000203700001000800000805f9b34fb 32", "0000000b\(tail) 32",
            ])
        #expect(Characteristic.allCases.compactMap { $0.shortUUID(in: .b) } == [0x2037])
        #expect(Generation.b.serviceUUID == 1)
    }

    /// Generation A has the same table with consecutive numbers.
    @Test func theTableOfTheGenerationBefore() {
        let uuids = Characteristic.allCases.map { Hex.encode($0.uuid(in: .a)) }
        #expect(uuids == (0...8).map { "0000203\($0)00001000800000805f9b34fb" })
        #expect(Characteristic.allCases.compactMap { $0.shortUUID(in: .a) } == Array(0x2030...0x2038))
    }

    /// The payloads of both generations, written by hand.
    @Test func payloadsOfBothGenerations() throws {
        let key = Array(0x40...0x5F as ClosedRange<UInt8>)
        let invitation = Invitation(identifier: try Identifier("GATE-7"), publicKey: key)
        let rest = "45464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f"
        #expect(
            Hex.encode(invitation.advertisingData(for: .b)) == "020106" + "03030100" + "0f160100" + "474154452d37"
                + "5f4041424344")
        #expect(Hex.encode(invitation.scanResponseData(for: .b)) == "1e160200" + rest)
        #expect(
            Hex.encode(invitation.advertisingData(for: .a)) == "020106" + "030329ab" + "0f1629ab" + "474154452d37"
                + "5f4041424344")
        #expect(Hex.encode(invitation.scanResponseData(for: .a)) == "1e162aab" + rest)
        // The longest name fits into the payload of either generation.
        let long = Invitation(identifier: try Identifier("FOURTEEN-BYTES"), publicKey: key)
        #expect(Generation.allCases.allSatisfy { long.advertisingData(for: $0).count == 31 })
    }
}

/// How wallets read the text of a QR code, derived from the recorded readings in `uri.json`.
enum WalletURI {
    struct Reading: Equatable {
        var name: Text?
        var key: Text?
        /// Whether the wallet continues with this reading.
        var isValid: Bool

        init(name: Text?, key: Text?, isValid: Bool) {
            self.name = name
            self.key = key
            self.isValid = isValid
        }

        /// Decodes a recorded reading; nil if the wallet threw an error.
        init?(_ recorded: JSON) {
            guard let isValid = recorded["valid"]?.bool else { return nil }
            self.init(name: recorded["name"]?.string, key: recorded["key"]?.string, isValid: isValid)
        }
    }

    /// Reads a URI as Android does. Any scheme is accepted, but the wallet throws (nil) if a scheme has no
    /// authority. Absent values read as empty; a valid URI has a nonempty name and key.
    static func android(_ uri: String) -> Reading? {
        if let colon = uri.firstIndex(of: ":"), !uri[colon...].hasPrefix("://") { return nil }
        let (name, key) = (value("name", in: uri, plusIsSpace: true), value("key", in: uri, plusIsSpace: true))
        return Reading(
            name: name ?? "", key: key ?? "",
            isValid: name.map { !$0.isEmpty } ?? false && key.map { !$0.isEmpty } ?? false)
    }

    /// Reads a URI as iOS does. The scheme must be exactly in upper case, and name and key must be present,
    /// but may be empty.
    static func ios(_ uri: String) -> Reading? {
        let (name, key) = (value("name", in: uri, plusIsSpace: false), value("key", in: uri, plusIsSpace: false))
        let scheme = uri.utf8.starts(with: "OPENID4VP:".utf8)
        return Reading(name: name, key: key, isValid: scheme && name != nil && key != nil)
    }

    private static func value(_ name: String, in uri: String, plusIsSpace: Bool) -> Text? {
        guard let mark = uri.firstIndex(of: "?") else { return nil }
        let query = uri[uri.index(after: mark)...].prefix { $0 != "#" }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2, parts[0] == name { return decoded(parts[1], plusIsSpace) }
        }
        return nil
    }

    private static func decoded(_ text: Substring, _ plusIsSpace: Bool) -> Text? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = Hex.decode(String(decoding: rest.prefix(2), as: UTF8.self)) {
                bytes += value
                rest = rest.dropFirst(2)
            } else {
                bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return Text(utf8: bytes)
    }
}
