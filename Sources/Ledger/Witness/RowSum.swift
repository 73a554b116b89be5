import Encoding

/// One figure for a set of rows that changes with every row that is added, removed or edited, and can be kept up to date without
/// reading the others: the sum of the rows' codes under a secret key (four lanes of 64 bits, wrapping).
///
/// Sums of this kind are only as good as they are secret, so one never leaves the process except inside a seal.
package struct RowSum: Hashable, Sendable {
    /// Length in bytes.
    package static let byteCount = 32
    private var lanes: SIMD4<UInt64>

    /// No rows.
    package init() { lanes = .zero }

    init?(_ bytes: some Collection<UInt8>) {
        var reader = ByteReader(Array(bytes))
        guard reader.remaining == Self.byteCount, let a = try? reader.uint64BE(), let b = try? reader.uint64BE(),
            let c = try? reader.uint64BE(), let d = try? reader.uint64BE()
        else { return nil }
        lanes = [a, b, c, d]
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for lane in 0..<4 { bytes.appendBE(lanes[lane]) }
        return bytes
    }

    /// Takes a row in.
    package static func += (sum: inout RowSum, row: RowSum) { sum.lanes &+= row.lanes }

    /// Takes a row out.
    package static func -= (sum: inout RowSum, row: RowSum) { sum.lanes &-= row.lanes }
}
