import Encoding
import Reasons

/// A COSE_Sign1 message (RFC 9052 section 4.2) with its signer's certificates (RFC 9360), for example the `issuerAuth`
/// of an mdoc: `[protected, unprotected, payload, signature]`, with or without tag 18.
struct COSESign1 {
    /// The payload's bytes as received.
    let payload: ArraySlice<UInt8>
    /// The signer's certificate chain in DER, leaf first; empty if the message has no certificates.
    let certificates: [[UInt8]]
    /// The name of the signer's key (RFC 9052 section 3.1); nil if the message has none.
    let keyID: ArraySlice<UInt8>?
    /// The place of the message, for findings.
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

    /// The maximum number of members of one header. Both headers of an mdoc together have two or three members. The
    /// limit bounds the work of comparing each member of one header with the members of the other header.
    private static let headerMembers = 64

    /// Reads the structure of a message. The signature check examines the algorithm and the critical headers.
    ///
    /// - Throws: `proof.malformed` if the message has another structure, has no payload, or has one label in both
    ///   headers; `input.too-large` for a header with too many members; `cbor.syntax` for a protected header that is
    ///   not CBOR; `chain.invalid` for malformed certificates.
    init(_ message: CBOR, decoder: inout CBORDecoder, at pointer: String) throws(Rejection) {
        self.pointer = pointer
        let malformed = Rejection(.proofMalformed, at: pointer)
        let parts = (message.tagged(18) ?? message).array ?? []
        guard parts.count == 4, let protectedBytes = parts[0].bytes, let unprotected = parts[1].map,
            let payload = parts[2].bytes, let signature = parts[3].bytes
        else { throw malformed }
        // An empty header may be encoded as an empty string.
        let header = protectedBytes.isEmpty ? CBOR(.map([])) : try decoder.read(protectedBytes, at: pointer)
        guard let protected = header.map else { throw malformed }
        guard max(protected.count, unprotected.count) <= Self.headerMembers else {
            throw Rejection(.inputTooLarge, at: pointer)
        }
        // If a label occurs twice, two readers could use different headers (RFC 9052 section 3).
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

    /// Returns a member of the protected header.
    func protectedMember(_ label: Int64) -> CBOR? { protectedLabels.first { $0.key.integer == label }?.value }

    /// Reads one certificate, or a list of certificates.
    private static func chain(_ member: CBOR?, at pointer: String) throws(Rejection) -> [[UInt8]] {
        guard let member else { return [] }
        let elements = member.array ?? [member]
        let certificates = elements.compactMap { $0.bytes.map(Array.init) }
        guard certificates.count == elements.count else { throw Rejection(.chainInvalid, .encoding, at: pointer) }
        return certificates
    }

    /// Returns the algorithm that the protected header names. Throws `proof.algorithm` for an unsupported algorithm.
    func algorithm() throws(Rejection) -> SignatureAlgorithm {
        guard let algorithm = algorithmLabel?.integer.flatMap(Self.algorithm) else {
            throw Rejection(.proofAlgorithm, at: pointer)
        }
        return algorithm
    }

    /// Returns whether `key` made the signature.
    ///
    /// - Throws: `proof.malformed` for unsupported critical headers or a signature of impossible length,
    ///   `proof.algorithm` if the protected header names no algorithm that fits the key.
    func isSigned(by key: PublicKey) throws(Rejection) -> Bool {
        try checkCritical()
        return try algorithm().verify(Array(signature), over: signedBytes, by: key, at: pointer)
    }

    /// Runs the proof stage. Throws `proof.invalid` if another key made the signature, or an error of
    /// ``isSigned(by:)``.
    func verify(by key: PublicKey) throws(Rejection) {
        guard try isSigned(by: key) else { throw Rejection(.proofInvalid, at: pointer) }
    }

    /// Returns the algorithm with the given number in RFC 9053 or RFC 9864 (fully specified). Supported are the
    /// algorithms of ISO/IEC 18013-5 section 9.1.2.4.
    private static func algorithm(_ number: Int64) -> SignatureAlgorithm? {
        switch number {
        case -7, -9: .es256
        case -8, -19: .edDSA
        case -35, -51: .es384
        default: nil
        }
    }

    /// Checks `crit`, the list of the protected labels that the reader must understand. This program understands only
    /// the labels that it uses.
    private func checkCritical() throws(Rejection) {
        guard let critical else { return }
        let understood = [Label.algorithm, Label.x5chain]
        // A list with more elements than `understood` must repeat a label.
        guard let labels = critical.array, (1...understood.count).contains(labels.count),
            labels.allSatisfy({ label in
                label.integer.map { number in
                    understood.contains(number) && protectedLabels.contains { $0.key.integer == number }
                } ?? false
            })
        else { throw Rejection(.proofMalformed, at: pointer) }
    }

    /// The signed bytes: the Sig_structure (RFC 9052 section 4.4) without external data, with header and payload as
    /// received.
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
    /// Decodes a CBOR item of a credential. Throws `cbor.syntax` for malformed CBOR, and `input.too-large`.
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
