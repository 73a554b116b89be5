import Crypto
package import Encoding

/// A dataset in its canonical form: sorted lines of canonical N-Quads.
package struct CanonicalDataset: Sendable {
    /// All lines, unsorted, each with its line end.
    private let text: [UInt8]
    /// The lines in order, without repetition.
    private let lines: [Range<Int>]
    /// The issued identifiers: the label in the input → the canonical one, both without `_:`.
    package let issued: [Text: Text]
    /// Units of work it took: calls of Hash N-Degree Quads and permutations looked at.
    package let work: Int
    /// Steps inside these units (``CanonicalizationLimits/steps``).
    package let steps: Int

    init(unsorted text: [UInt8], lines: [Range<Int>], issued: [Text: Text], work: Int, steps: Int) {
        self.text = text
        self.issued = issued
        self.work = work
        self.steps = steps
        self.lines = text.withUnsafeBytes { bytes in
            func line(_ range: Range<Int>) -> UnsafeRawBufferPointer { .init(rebasing: bytes[range]) }
            var sorted = lines.sorted { ByteOrder.precedes(line($0), line($1)) }
            var kept = 0
            for index in sorted.indices
            where kept == 0 || !ByteOrder.areEqual(line(sorted[index]), line(sorted[kept - 1])) {
                sorted[kept] = sorted[index]
                kept += 1
            }
            sorted.removeSubrange(kept...)
            return sorted
        }
    }

    /// How many quads there are.
    package var count: Int { lines.count }

    /// The canonical N-Quads document.
    package var nQuads: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        for line in lines { output.append(contentsOf: text[line]) }
        return output
    }

    /// The hash of the canonical N-Quads document, without building it.
    package func digest(_ algorithm: HashAlgorithm) -> [UInt8] {
        var digest = RunningDigest(algorithm)
        text.withUnsafeBytes { bytes in
            for line in lines { digest.update(UnsafeRawBufferPointer(rebasing: bytes[line])) }
        }
        return digest.finish()
    }
}

/// A hash being computed.
struct RunningDigest: Sendable {
    // One of the two is there. Two optionals, as taking a value out of an enum to change it would copy the state.
    private var sha256: SHA256?
    private var sha384: SHA384?

    init(_ algorithm: HashAlgorithm) {
        switch algorithm {
        case .sha256: sha256 = SHA256()
        case .sha384: sha384 = SHA384()
        }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        sha256?.update(bufferPointer: bytes)
        sha384?.update(bufferPointer: bytes)
    }

    func finish() -> [UInt8] {
        if let sha256 { return Array(sha256.finalize()) }
        if let sha384 { return Array(sha384.finalize()) }
        return []
    }
}

extension HashAlgorithm {
    /// The hash of `bytes` in lower-case hexadecimal, as RDFC-1.0 passes it on.
    func hex(_ bytes: [UInt8]) -> [UInt8] {
        var digest = RunningDigest(self)
        bytes.withUnsafeBytes { digest.update($0) }
        return Self.hex(digest.finish())
    }

    /// Bytes in lower-case hexadecimal.
    static func hex(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
