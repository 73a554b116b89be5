import Encoding

/// A checksum of a set of rows: the sum of the rows' codes under a secret key (four lanes of 64 bits, wrapping). Every
/// added, removed or edited row changes the checksum, and an update does not read the other rows.
///
/// The sum is secure only while it is secret, so it leaves the process only inside a seal.
package struct RowSum: Hashable, Sendable {
    /// The length of a sum in bytes.
    package static let byteCount = 32
    private var lanes: SIMD4<UInt64>

    /// Creates the sum of no rows.
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

    /// Adds a row.
    package static func += (sum: inout RowSum, row: RowSum) { sum.lanes &+= row.lanes }
}
