/// The hash algorithm of RDFC-1.0 (section 4.2, "hash algorithm").
package enum HashAlgorithm: Sendable {
    case sha256
    case sha384
}

/// The limits of one canonicalisation. The limits count units of work, because time depends on the machine.
package struct CanonicalizationLimits: Sendable {
    /// The number of blank nodes in the dataset.
    package var blankNodes = 1_000
    /// The number of quads in the dataset.
    package var quads = 12_000
    /// The maximum number of units of work. A unit is one call of Hash N-Degree Quads or one permutation examined.
    package var work = 20_000
    /// The maximum number of steps. A step is a quad examined for its blank nodes, an identifier added to a path, or 64
    /// bytes hashed for a related blank node. Steps have a limit of their own because one unit of work may process
    /// every quad.
    package var steps = 100_000
    /// The maximum number of bytes of canonical N-Quads to write. Each quad is written once for the document and once
    /// for each blank node in the quad.
    package var bytes = 24 * 1024 * 1024

    /// Creates the documented default values.
    package init() {}
}

/// The reason why a dataset was not canonicalised.
package struct CanonicalizationError: Error, Hashable, Sendable {
    /// The limit that was exceeded.
    package enum Code: Hashable, Sendable {
        case tooManyBlankNodes
        case tooManyQuads
        case tooMuchWork
        case tooManyBytes
    }

    /// The limit that was exceeded.
    package var code: Code
    /// The units of work done before the error.
    package var work: Int
    /// The number of steps done before the error.
    package var steps = 0
}
