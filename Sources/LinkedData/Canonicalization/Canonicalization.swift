/// The hash inside RDFC-1.0 (section 4.2, "hash algorithm").
package enum HashAlgorithm: Sendable {
    case sha256
    case sha384
}

/// Bounds of one canonicalisation: work is counted, never timed.
package struct CanonicalizationLimits: Sendable {
    /// Blank nodes of the dataset.
    package var blankNodes = 1_000
    /// Quads of the dataset.
    package var quads = 12_000
    /// Units of work; one is one call of Hash N-Degree Quads or one permutation looked at.
    package var work = 20_000
    /// Steps inside these units, as one unit may be about every quad: a quad looked at for its blank nodes, an identifier put
    /// into a path, and 64 bytes hashed for a related blank node.
    package var steps = 100_000
    /// Bytes of canonical N-Quads to be written, once for the document and once for each blank node in a quad.
    package var bytes = 24 * 1024 * 1024

    /// The documented defaults.
    package init() {}
}

/// Why a dataset was not canonicalised.
package struct CanonicalizationError: Error, Hashable, Sendable {
    /// Which bound.
    package enum Code: Hashable, Sendable {
        case tooManyBlankNodes
        case tooManyQuads
        case tooMuchWork
        case tooManyBytes
    }

    /// Which bound was reached.
    package var code: Code
    /// Units of work done until then.
    package var work: Int
    /// Steps done until then.
    package var steps = 0
}
