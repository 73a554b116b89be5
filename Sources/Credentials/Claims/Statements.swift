import LinkedData
import Reasons

extension Dataset {
    /// Returns the hash of the canonical N-Quads. RDFC-1.0 uses the same hash algorithm internally, as ecdsa-rdfc-2019
    /// on P-384 requires for graphs with blank nodes.
    ///
    /// - Throws: `canon.too-complex` beyond the work limit.
    func canonicalDigest(_ algorithm: HashAlgorithm = .sha256) throws(Rejection) -> [UInt8] {
        do throws(CanonicalizationError) {
            return try RDFC10.canonicalize(self, hash: algorithm).digest(algorithm)
        } catch { throw Rejection(.canonTooComplex) }
    }
}

extension DroppedTerm {
    /// Whether dropping the term loses a statement. Dropping `null`, an index key or a base direction loses none,
    /// because RDF cannot express them.
    var statesSomething: Bool {
        switch reason {
        case .undefinedTerm, .undefinedType, .relativeIRI, .blankProperty, .freeFloating, .languageTag: true
        case .emptyValue, .index, .direction: false
        }
    }
}
