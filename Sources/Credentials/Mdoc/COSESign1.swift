import Encoding

/// A COSE_Sign1 message (RFC 9052 section 4.2) with the certificates of its signer (RFC 9360), as an mdoc's `issuerAuth` is
/// one: `[protected, unprotected, payload, signature]`, with or without tag 18.
struct COSESign1 {
    /// The payload's bytes as received.
    let payload: ArraySlice<UInt8>
    /// The signer's chain in DER, leaf first; empty when the message brings none.
    let certificates: [[UInt8]]
    /// The name of the signer's key, where the message gives one (RFC 9052 section 3.1).
    let keyID: ArraySlice<UInt8>?
    /// Where the message stands, for findings.
    let pointer: String

    private let protectedBytes: ArraySlice<UInt8>
    private let algorithmLabel: CBOR?
    private let critical: CBOR?
    private let protectedLabels: [CBOR.Pair]
    private let signature: ArraySlice<UInt8>

    /// Header labels of RFC 9052 section 3.1 and RFC 9360 section 2.
    private enum Label {
        static let algorithm: Int64 = 1
        static let critical: Int64 = 2
        static let keyID: Int64 = 4
        static let x5chain: Int64 = 33
    }

    /// Members of one header: an mdoc has two or three in both, and each of one is looked for in the other.
    private static let headerMembers = 64

    /// Reads the structure of a message. What it means (algorithm, critical headers) is checked with the signature.
    ///
    /// - Throws: `proof.malformed` when it is not of that structure, has no payload of its own or says one thing in both
    ///   headers; `input.too-large` for a header of very many members; `cbor.syntax` for a protected header that is no CBOR;
    ///   `chain.invalid` for certificates that are none.
    init(_ message: CBOR, decoder: inout CBORDecoder, at pointer: String) throws(Rejection) {
        self.pointer = pointer
        let malformed = Rejection(.proofMalformed, at: pointer)
        let parts = (message.tagged(18) ?? message).array ?? []
        guard parts.count == 4, let protectedBytes = parts[0].bytes, let unprotected = parts[1].map,
            let payload = parts[2].bytes, let signature = parts[3].bytes
        else { throw malformed }
        // An empty header may be written as an empty string.
        let header = protectedBytes.isEmpty ? CBOR(.map([])) : try decoder.read(protectedBytes, at: pointer)
        guard let protected = header.map else { throw malformed }
        guard max(protected.count, unprotected.count) <= Self.headerMembers else {
            throw Rejection(.inputTooLarge, at: pointer)
        }
        // Whoever reads the one and whoever reads the other would understand two things (RFC 9052 section 3).
        for pair in unprotected {
            guard let label = pair.key.integer else { continue }
            guard label != Label.critical, header[label] == nil else { throw malformed }
        }
        self.protectedBytes = protectedBytes
        self.payload = payload
        self.signature = signature
        algorithmLabel = header[Label.algorithm]
        critical = header[Label.critical]
        keyID = (header[Label.keyID] ?? parts[1][Label.keyID])?.bytes
        protectedLabels = protected
        certificates = try Self.chain(header[Label.x5chain] ?? parts[1][Label.x5chain], at: pointer)
    }

    /// A member of the protected header.
    func protectedMember(_ label: Int64) -> CBOR? { protectedLabels.first { $0.key.integer == label }?.value }

    /// One certificate, or a list of them.
    private static func chain(_ member: CBOR?, at pointer: String) throws(Rejection) -> [[UInt8]] {
        guard let member else { return [] }
        let elements = member.array ?? [member]
        let certificates = elements.compactMap { $0.bytes.map(Array.init) }
        guard certificates.count == elements.count else { throw Rejection(.chainInvalid, .encoding, at: pointer) }
        return certificates
    }

    /// The algorithm that the protected header names. Throws `proof.algorithm` when it names none that a key here can have.
    func algorithm() throws(Rejection) -> SignatureAlgorithm {
        guard let algorithm = algorithmLabel?.integer.flatMap(Self.algorithm) else {
            throw Rejection(.proofAlgorithm, at: pointer)
        }
        return algorithm
    }

    /// Whether the signature is that of `key`.
    ///
    /// - Throws: `proof.malformed` for critical headers that are not understood or a signature of impossible length,
    ///   `proof.algorithm` when the protected header names no algorithm that fits the key.
    func isSigned(by key: PublicKey) throws(Rejection) -> Bool {
        try checkCritical()
        return try algorithm().verify(Array(signature), over: signedBytes, by: key, at: pointer)
    }

    /// Proof stage: throws `proof.invalid`, or what ``isSigned(by:)`` throws, unless the signature is that of `key`.
    func verify(by key: PublicKey) throws(Rejection) {
        guard try isSigned(by: key) else { throw Rejection(.proofInvalid, at: pointer) }
    }

    /// The algorithms of ISO/IEC 18013-5 section 9.1.2.4 that the keys here can have, by their numbers in RFC 9053, and in RFC 9864
    /// those that say the curve, too.
    private static func algorithm(_ number: Int64) -> SignatureAlgorithm? {
        switch number {
        case -7, -9: .es256
        case -8, -19: .edDSA
        case -35, -51: .es384
        default: nil
        }
    }

    /// `crit` lists labels of the protected header that must be understood; only those that are used here are.
    private func checkCritical() throws(Rejection) {
        guard let critical else { return }
        let understood = [Label.algorithm, Label.x5chain]
        // Each once: what lists a label again and again is not a list of what must be understood.
        guard let labels = critical.array, (1...understood.count).contains(labels.count),
            labels.allSatisfy({ label in
                label.integer.map { number in
                    understood.contains(number) && protectedLabels.contains { $0.key.integer == number }
                } ?? false
            })
        else { throw Rejection(.proofMalformed, at: pointer) }
    }

    /// Sig_structure (RFC 9052 section 4.4) without external data: what was signed, around the bytes as received.
    private var signedBytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(payload.count + protectedBytes.count + 32)
        bytes.appendCBORHead(4, 4)
        bytes.appendCBOR(text: "Signature1")
        bytes.appendCBOR(bytes: protectedBytes)
        bytes.appendCBOR(bytes: [])
        bytes.appendCBOR(bytes: payload)
        return bytes
    }
}

extension CBORDecoder {
    /// Reads an item that a credential holds; its errors as reason codes.
    mutating func read(_ bytes: ArraySlice<UInt8>, at pointer: String? = nil) throws(Rejection) -> CBOR {
        do throws(CBORError) {
            return try decode(bytes)
        } catch {
            switch error.code {
            case .malformed, .duplicateKey, .tooDeep: throw Rejection(.cborSyntax, at: pointer)
            case .tooLarge: throw Rejection(.inputTooLarge, at: pointer)
            }
        }
    }
}
