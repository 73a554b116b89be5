import Encoding

/// A checksum of a set of rows of a table: the sum of a code of each row, which is computed with a secret key (four
/// lanes of 64 bits, with wrapping addition). Adding, removing or changing a row changes the checksum, and updating the
/// checksum requires no other row.
///
/// The checksum protects the rows only while it is secret, so it leaves the process only encrypted, inside a seal.
package struct RowSum: Hashable, Sendable {
    /// The size of a checksum, in bytes.
    package static let byteCount = 32
    private var lanes: SIMD4<UInt64>

    /// Creates the checksum of an empty set.
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

    /// Adds the code of a row to the checksum.
    package static func += (sum: inout RowSum, row: RowSum) { sum.lanes &+= row.lanes }
}
