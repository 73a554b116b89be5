import Credentials
import Encoding
import TestKit

extension FuzzTarget {
    /// The small text encodings, all on one input: where an encoding has one form per value, a decoded text
    /// encodes to the same text.
    static let texts = FuzzTarget(
        name: "base58", longest: 2048,
        seeds: {
            let texts =
                SeedFiles.texts(SeedFiles.json("multiformats/base58_encode_decode.json"))
                + SeedFiles.texts(SeedFiles.json("did/did-key/cases.json"))
            return texts.map { Array($0.utf8) }
                + ["2026-11-21T17:31:45.123Z", "1990-02-29t00:00:00+14:00"].map { Array($0.utf8) }
        },
        check: { bytes in
            if let value = UnsignedVarint.decode(bytes[...]) {
                require(UnsignedVarint.encode(value.value) + value.rest == bytes, "varints have one form")
            }
            guard let text = Text(utf8: bytes)?.string else { return }
            if let value = Base58.decode(text) { require(Base58.encode(value) == text, "base 58 has one form") }
            if let value = Base64.decodeURL(text) { require(Base64.encode(value) == text, "base64url has one form") }
            if let value = Base64.decodeAny(text) {
                require(Base64.decodeAny(Base64.encode(value, .standard)) == value, "base 64 comes back")
            }
            if let value = Multibase.decode(text) {
                let again = text.hasPrefix("z") ? Multibase.encodeBase58(value) : Multibase.encodeBase64URL(value)
                require(again == text, "multibase has one form")
            }
            if let value = Hex.decode(text) { require(Hex.encode(value) == text.lowercased(), "hexadecimal") }
            if let time = Timestamp(rfc3339: text), (0...9999).contains(time.civilDate.year) {
                require(Timestamp(rfc3339: time.rfc3339)?.seconds == time.seconds, "a time reads as written")
            }
            _ = Timestamp(rfc3339: text, zoneRequired: false)
        })

    /// gzip and zlib: the size limit holds, and the output can be compressed again.
    static let inflate = FuzzTarget(
        name: "inflate", longest: 4096,
        seeds: {
            let cases = SeedFiles.json("tuvali/gunzip.json")?["cases"]?.array ?? []
            let packed = cases.compactMap { $0["data"]?.string }.compactMap { Hex.decode($0.string) }
            let plain = [[UInt8](), Array("gatehouse".utf8), [UInt8](repeating: 7, count: 300_000)]
            return packed + (try plain.map { try Gzip.deflate($0, container: .zlib) })
        },
        check: { bytes in
            for container in [Gzip.Container.gzip, .zlib] {
                for limit in [1_000, 256 * 1024] {
                    guard let output = try? Gzip.inflate(bytes, container: container, limit: limit) else { continue }
                    require(output.count <= limit, "no more than the limit")
                    guard limit == 1_000 else { continue }
                    let packed = (try? Gzip.deflate(output, container: container)) ?? []
                    require((try? Gzip.inflate(packed, container: container, limit: limit)) == output, "packs again")
                }
            }
        })

    /// The bitstring of a status list.
    static let statusList = FuzzTarget(
        name: "status-list", longest: 4096,
        seeds: {
            SeedFiles.files("vc/bitstring-status-list", endings: [".json"])
                .compactMap { try? JSON.parse($0) }.flatMap { SeedFiles.texts($0) }.map { Array($0.utf8) }
        },
        check: { bytes in
            var limits = Limits()
            limits.statusListBytes = 64 * 1024
            limits.statusListEntries = 8
            for bits in [1, 2, 4, 8] {
                guard let list = try? TokenStatusList(bits: bits, compressed: bytes, limits: limits) else { continue }
                require(list[list.count] == nil && list[-1] == nil, "no entry outside")
                require(list.count == 0 || list[list.count - 1] != nil, "every entry inside")
            }
            guard let text = Text(utf8: bytes), let list = try? BitstringStatusList(encoded: text, limits: limits)
            else {
                return
            }
            require(list.count <= 64 * 1024 * 8 && list[list.count] == nil && list[-1] == nil, "no bit outside")
            require(list[list.count - 1] != nil, "every bit inside")
        })

    /// The configuration reader.
    static let toml = FuzzTarget(
        name: "toml", longest: 4096,
        seeds: {
            let samples = [
                "a = 1\nb = [1, 2.5, true]\n[t]\nc = \"x\\u00e9\"\n[[u]]\nd = '''\nraw'''\n[[u]]\ne.f = 0x1F\n",
                "profile = \"compat\"\n\n[[issuer]]\nid = \"did:web:a\"\ncontrollers = [\n  \"b\", # c\n]\n",
                "t = 2026-11-21T17:31:45Z\nd = 1979-05-27\nh = 07:32:00\ni = { a.b = -0, c = inf }\n",
            ]
            return samples.map { Array($0.utf8) } + PolicySamples.all.map { Array($0.utf8) }
        },
        check: { bytes in
            guard let table = try? TOML.parse(bytes) else { return }
            for entry in table.entries {
                require(table.entry(entry.name)?.line == entry.line, "each entry is found by its name")
            }
        })
}
