import Encoding

/// Functions that read the encodings of keys in DID documents (Controlled Identifiers 1.0 section 2.2 and its
/// predecessors).
enum KeyEncoding {
    /// The JSON members that contain key material, in order of precedence.
    static let members: [Text] = [
        "publicKeyMultibase", "publicKeyJwk", "publicKeyPem", "publicKeyBase58", "publicKeyHex",
    ]

    /// Returns the key of a verification method from the first of ``members`` that the method has.
    static func key(of method: JSONObject) throws(PublicKey.Failure) -> PublicKey {
        if let member = method.present("publicKeyMultibase") { return try multibase(member.string) }
        if let member = method.present("publicKeyJwk") { return try jwk(member.object) }
        if let member = method.present("publicKeyPem") { return try pem(member.string) }
        if let member = method.present("publicKeyBase58") {
            guard let bytes = member.string.flatMap({ Base58.decode($0.string, maxLength: 256) }) else {
                throw .malformed
            }
            return try raw(bytes, type: method["type"]?.string)
        }
        if let member = method.present("publicKeyHex") {
            guard let bytes = member.string.flatMap({ Hex.decode($0.string) }) else { throw .malformed }
            return try raw(bytes, type: method["type"]?.string)
        }
        throw .malformed
    }

    /// Reads a Multikey: multibase text of a key with a multicodec prefix.
    static func multibase(_ text: Text?) throws(PublicKey.Failure) -> PublicKey {
        guard let text, let bytes = Multibase.decode(text.string), let (codec, key) = UnsignedVarint.decode(bytes[...])
        else { throw .malformed }
        switch codec {
        case 0xED where key.count == 32: return .ed25519(Array(key))
        case 0x1200: return try point(.p256, Array(key))
        case 0x1201: return try point(.p384, Array(key))
        case 0xE7: return try point(.secp256k1, Array(key))
        case 0x1205: return .rsa(try rsa(pkcs1: key))
        default: throw .malformed
        }
    }

    /// Reads a JSON Web Key (RFC 7517, 7518, 8037); private members are ignored.
    static func jwk(_ object: JSONObject?) throws(PublicKey.Failure) -> PublicKey {
        guard let object else { throw .malformed }
        func bytes(_ name: Text) throws(PublicKey.Failure) -> [UInt8] {
            guard let bytes = object[name]?.string.flatMap({ Base64.decodeURL($0.string) }) else { throw .malformed }
            return bytes
        }
        switch object["kty"]?.string {
        case "OKP":
            let key = try bytes("x")
            guard object["crv"]?.string == "Ed25519", key.count == 32 else { throw .malformed }
            return .ed25519(key)
        case "EC":
            guard let curve = object["crv"]?.string.flatMap({ PublicKey.Curve(rawValue: $0.string) }) else {
                throw .malformed
            }
            let (x, y) = (try bytes("x"), try bytes("y"))
            guard x.count == curve.coordinateBytes, y.count == curve.coordinateBytes else { throw .malformed }
            return .ellipticCurve(curve, point: [4] + x + y)
        case "RSA":
            let (n, e) = (try bytes("n"), try bytes("e"))
            return .rsa(try RSAPublicKey(modulus: Array(n.drop { $0 == 0 }), exponent: Array(e.drop { $0 == 0 })))
        default: throw .malformed
        }
    }

    /// Returns whether a JSON Web Key is for signatures (RFC 7517 sections 4.2 and 4.3). A key without a stated use is
    /// for signatures, too.
    static func signs(_ jwk: JSONObject?) -> Bool {
        if let use = jwk?.present("use"), use != "sig" { return false }
        guard let member = jwk?.present("key_ops") else { return true }
        return member.array?.contains { $0 == "verify" || $0 == "sign" } ?? false
    }

    /// Reads `PUBLIC KEY` (RFC 5280 SubjectPublicKeyInfo) or `RSA PUBLIC KEY` (PKCS #1) in PEM. White space is ignored
    /// (RFC 7468 appendix A, "lax"), because documents contain PEM with any line ends, indented, or on one line.
    static func pem(_ text: Text?) throws(PublicKey.Failure) -> PublicKey {
        let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        let letters = (text?.utf8.filter { !spaces.contains($0) } ?? [])[...]
        func content(of label: String) -> [UInt8]? {
            let (begin, end) = (Array("-----BEGIN\(label)-----".utf8), Array("-----END\(label)-----".utf8))
            guard letters.starts(with: begin), letters.count >= begin.count + end.count,
                letters.suffix(end.count).elementsEqual(end)
            else { return nil }
            return Base64.decodeAny(String(decoding: letters.dropFirst(begin.count).dropLast(end.count), as: UTF8.self))
        }
        if let der = content(of: "PUBLICKEY") { return try subjectPublicKeyInfo(der) }
        if let der = content(of: "RSAPUBLICKEY") { return .rsa(try rsa(pkcs1: der)) }
        throw .malformed
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) with a named curve.
    static func subjectPublicKeyInfo(_ der: [UInt8]) throws(PublicKey.Failure) -> PublicKey {
        let (identifier, parameter, key): ([UInt8], [UInt8]?, [UInt8])
        do throws(DERReader.Malformed) {
            var outer = DERReader(der)
            var info = try outer.sequence()
            var algorithm = try info.sequence()
            identifier = Array(try algorithm.element(0x06))
            parameter = identifier == ecPublicKey ? Array(try algorithm.element(0x06)) : nil
            key = Array(try info.bitString())
            guard outer.isAtEnd, info.isAtEnd else { throw DERReader.Malformed() }
        } catch { throw .malformed }
        switch identifier {
        case ed25519 where key.count == 32: return .ed25519(key)
        case rsaEncryption, rsaPSS: return .rsa(try rsa(pkcs1: key))
        case ecPublicKey:
            guard let curve = parameter.flatMap({ curves[$0] }) else { throw .malformed }
            return try point(curve, key)
        default: throw .malformed
        }
    }

    private static func rsa(pkcs1 der: some Collection<UInt8>) throws(PublicKey.Failure) -> RSAPublicKey {
        let (modulus, exponent): ([UInt8], [UInt8])
        do throws(DERReader.Malformed) {
            var outer = DERReader(der)
            var key = try outer.sequence()
            modulus = try key.unsignedInteger()
            exponent = try key.unsignedInteger()
        } catch { throw .malformed }
        return try RSAPublicKey(modulus: modulus, exponent: exponent)
    }

    /// Reads the bare bytes of a key, without a multicodec prefix or ASN.1. The kind of the key follows from the
    /// method's type and the number of bytes.
    private static func raw(_ bytes: [UInt8], type: Text?) throws(PublicKey.Failure) -> PublicKey {
        let name = type?.string ?? ""
        if name.contains("Secp256k1") { return try point(.secp256k1, bytes) }
        if name.contains("Secp256r1") || name.contains("P256") { return try point(.p256, bytes) }
        guard bytes.count == 32 else { throw .malformed }
        return .ed25519(bytes)
    }

    private static func point(_ curve: PublicKey.Curve, _ bytes: [UInt8]) throws(PublicKey.Failure) -> PublicKey {
        let size = curve.coordinateBytes
        switch (bytes.first, bytes.count) {
        case (2, size + 1), (3, size + 1), (4, 2 * size + 1): return .ellipticCurve(curve, point: bytes)
        default: throw .malformed
        }
    }

    private static let ed25519: [UInt8] = [0x2B, 0x65, 0x70]
    private static let rsaEncryption: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    private static let rsaPSS: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A]
    private static let ecPublicKey: [UInt8] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    private static let curves: [[UInt8]: PublicKey.Curve] = [
        [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]: .p256,
        [0x2B, 0x81, 0x04, 0x00, 0x22]: .p384,
        [0x2B, 0x81, 0x04, 0x00, 0x0A]: .secp256k1,
    ]
}

extension JSONObject {
    /// Returns the member `name`; nil if the member is absent or `null`. For an optional member, `null` means absence.
    func present(_ name: Text) -> JSON? {
        // An optional chain with a closure would turn `nil` into the JSON value `null`.
        guard let member = self[name], !member.isNull else { return nil }
        return member
    }
}
