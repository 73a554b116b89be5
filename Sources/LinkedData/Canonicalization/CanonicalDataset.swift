import Crypto
package import Encoding

/// A dataset in the canonical form of RDFC-1.0: sorted lines of canonical N-Quads.
package struct CanonicalDataset: Sendable {
    private let text: CanonicalText
    /// The lines in order, without duplicates.
    private let lines: [CanonicalText.Line]
    /// The canonical label of each blank node, by the label in the input. The labels have no `_:`.
    package let issued: [Text: Text]
    /// The units of work that the canonicalisation needed (``CanonicalizationLimits/work``).
    package let work: Int
    /// The steps that the canonicalisation needed (``CanonicalizationLimits/steps``).
    package let steps: Int

    init(unsorted text: CanonicalText, issued: [Text: Text], work: Int, steps: Int) {
        self.text = text
        self.issued = issued
        self.work = work
        self.steps = steps
        lines = text.bytes.withUnsafeBytes { bytes in
            var sorted = text.lines.sorted { text.precedes($0, $1, in: bytes) }
            var kept = 0
            for index in sorted.indices where kept == 0 || !text.repeats(sorted[kept - 1], sorted[index], in: bytes) {
                sorted[kept] = sorted[index]
                kept += 1
            }
            sorted.removeSubrange(kept...)
            return sorted
        }
    }

    /// The number of quads, without duplicates.
    package var count: Int { lines.count }

    /// The canonical N-Quads document as bytes.
    package var nQuads: [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(text.count)
        forEachPiece { output.append(contentsOf: $0) }
        return output
    }

    /// Returns the hash of the canonical N-Quads document. The document is not built in memory.
    package func digest(_ algorithm: HashAlgorithm) -> [UInt8] {
        var digest = RunningDigest(algorithm)
        forEachPiece { digest.update($0) }
        return digest.finish()
    }

    private func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
        text.bytes.withUnsafeBytes { bytes in
            for line in lines { text.forEachPiece(of: line, in: bytes, body) }
        }
    }
}

/// Lines of canonical N-Quads, each with its line end. Long literals are stored outside the lines, because a photo is
/// most of a credential and copying it would be slow.
struct CanonicalText {
    /// A line. `place`: the offset in ``bytes`` at which the line's separately stored literal belongs; nil if it has
    /// none.
    struct Line {
        let range: Range<Int>
        let place: Int?
    }

    /// The bytes of all lines, without the separately stored literals.
    var bytes: [UInt8] = []
    private(set) var lines: [Line] = []
    /// The separately stored literals, by the offset in ``bytes`` at which they belong.
    private var literals: [Int: Text] = [:]
    private var apart = 0

    /// The number of bytes of all lines, including the separately stored literals.
    var count: Int { bytes.count + apart }

    /// Creates an empty text. Reserves memory for `bytes` bytes, not counting long literals, and for `lines` lines.
    init(bytes: Int, lines: Int) {
        self.bytes.reserveCapacity(bytes)
        self.lines.reserveCapacity(lines)
    }

    /// Ends the line that begins at offset `start` of ``bytes``. If `literal` is not nil, it is stored separately and
    /// belongs at offset `place`.
    mutating func endLine(from start: Int, lacking literal: Text?, at place: Int) {
        lines.append(Line(range: start..<bytes.count, place: literal == nil ? nil : place))
        guard let literal else { return }
        literals[place] = literal
        apart += literal.utf8.count
    }

    /// Passes the bytes of a line to `body`, in one piece or in three. `bytes` must be the content of ``bytes``.
    func forEachPiece(of line: Line, in bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        guard let place = line.place, let literal = literals[place] else {
            return body(.init(rebasing: bytes[line.range]))
        }
        body(.init(rebasing: bytes[line.range.lowerBound..<place]))
        literal.withBytes(body)
        body(.init(rebasing: bytes[place..<line.range.upperBound]))
    }

    /// Returns whether `left` precedes `right` in byte order.
    @inline(__always)
    func precedes(_ left: Line, _ right: Line, in bytes: UnsafeRawBufferPointer) -> Bool {
        if left.place == nil, right.place == nil {
            return ByteOrder.precedes(.init(rebasing: bytes[left.range]), .init(rebasing: bytes[right.range]))
        }
        return precedesInPieces(left, right, in: bytes)
    }

    private func precedesInPieces(_ left: Line, _ right: Line, in bytes: UnsafeRawBufferPointer) -> Bool {
        withPieces(of: left, in: bytes) { left in
            withPieces(of: right, in: bytes) { right in Self.precede(left, right) }
        }
    }

    /// Returns whether two lines are equal. In byte order `second` must not precede `first`.
    func repeats(_ first: Line, _ second: Line, in bytes: UnsafeRawBufferPointer) -> Bool {
        count(of: first) == count(of: second) && !precedes(first, second, in: bytes)
    }

    private func count(of line: Line) -> Int {
        line.range.count + (line.place.flatMap { literals[$0] }?.utf8.count ?? 0)
    }

    private func withPieces(
        of line: Line, in bytes: UnsafeRawBufferPointer, _ body: ([UnsafeRawBufferPointer]) -> Bool
    ) -> Bool {
        guard let place = line.place, let literal = literals[place] else {
            return body([.init(rebasing: bytes[line.range])])
        }
        let (start, end) = (bytes[line.range.lowerBound..<place], bytes[place..<line.range.upperBound])
        return literal.withBytes { body([.init(rebasing: start), $0, .init(rebasing: end)]) }
    }

    /// Returns whether the concatenated pieces of `left` precede those of `right` in byte order. No piece may be empty.
    private static func precede(_ left: [UnsafeRawBufferPointer], _ right: [UnsafeRawBufferPointer]) -> Bool {
        var (left, right) = (left, right)
        while let first = left.first, let other = right.first {
            if let place = ByteOrder.firstDifference(first, other) { return first[place] < other[place] }
            let common = min(first.count, other.count)
            left.replaceSubrange(..<1, with: common < first.count ? [.init(rebasing: first[common...])] : [])
            right.replaceSubrange(..<1, with: common < other.count ? [.init(rebasing: other[common...])] : [])
        }
        return left.isEmpty && !right.isEmpty
    }
}

/// The state of a hash function while its input is passed in pieces.
struct RunningDigest: Sendable {
    // Exactly one of the two is set. An enum with two cases would be slower, because changing its value copies the hash
    // state.
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
    /// Returns the hash of `bytes` in lower-case hexadecimal, the form that RDFC-1.0 uses.
    func hex(_ bytes: [UInt8]) -> [UInt8] {
        var digest = RunningDigest(self)
        bytes.withUnsafeBytes { digest.update($0) }
        return Self.hex(digest.finish())
    }

    /// Returns `bytes` in lower-case hexadecimal.
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
