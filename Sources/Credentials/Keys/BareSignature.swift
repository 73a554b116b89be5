package import Encoding

/// One signature with its key and message. Benchmarks use it to measure the minimum cost of a verification.
package struct BareSignature: Sendable {
    private let algorithm: SignatureAlgorithm
    private let key: PublicKey
    private let message: [UInt8]
    private let signature: [UInt8]

    /// Creates the value; nil if the algorithm (a JOSE name) is unknown, or the key (Multikey, multibase) is unreadable
    /// or of a kind that the algorithm does not use.
    package init?(algorithm: String, key: Text, message: [UInt8], signature: [UInt8]) {
        guard let algorithm = SignatureAlgorithm(rawValue: algorithm), let key = try? KeyEncoding.multibase(key),
            algorithm.fits(key)
        else { return nil }
        self.algorithm = algorithm
        self.key = key
        self.message = message
        self.signature = signature
    }

    /// Whether the signature matches. The check is the same as for a proof.
    package var isValid: Bool {
        (try? algorithm.verify(signature, over: message, by: key, at: "")) ?? false
    }
}
