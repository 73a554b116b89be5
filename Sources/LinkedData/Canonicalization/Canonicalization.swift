/// The hash algorithm of RDFC-1.0 (section 4.2, "hash algorithm").
package enum HashAlgorithm: Sendable {
    case sha256
    case sha384
}

/// The limits of one canonicalisation. They count work, not time, so that the result does not depend on the machine.
package struct CanonicalizationLimits: Sendable {
    /// The largest number of blank nodes in the dataset.
    package var blankNodes = 1_000
    /// The largest number of quads in the dataset.
    package var quads = 12_000
    /// The largest number of units of work. A unit is one call of Hash N-Degree Quads, or one examined permutation.
    package var work = 20_000
    /// The largest number of steps. A step is a quad that is searched for blank nodes, an identifier that is added to a
    /// path, or 64 bytes that are hashed for a related blank node. Steps are limited separately from ``work``, because
    /// one unit of work may process every quad.
    package var steps = 100_000
    /// The largest number of bytes of canonical N-Quads that are written. Each quad is written once for the document
    /// and once for each blank node in it.
    package var bytes = 24 * 1024 * 1024

    /// Creates a value whose properties have their defaults.
    package init() {}
}

/// The error of a dataset that was not canonicalised because a limit was exceeded.
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
    /// The units of work before the error.
    package var work: Int
    /// The steps before the error.
    package var steps = 0
}
