import Encoding

/// A reader for the part of DER (ITU-T X.690) that a SubjectPublicKeyInfo needs: consecutive elements of definite
/// length.
struct DERReader {
    struct Malformed: Error {}

    private var reader: ByteReader

    init(_ bytes: some Collection<UInt8>) {
        reader = ByteReader(Array(bytes))
    }

    var isAtEnd: Bool { reader.remaining == 0 }

    /// Returns the content of the next element, which must have the tag `tag`.
    mutating func element(_ tag: UInt8) throws(Malformed) -> ArraySlice<UInt8> {
        guard try byte() == tag else { throw Malformed() }
        var length = Int(try byte())
        if length >= 0x80 {
            let digits = length & 0x7F
            guard (1...3).contains(digits) else { throw Malformed() }
            length = try take(digits).reduce(0) { $0 << 8 | Int($1) }
        }
        return try take(length)
    }

    /// Returns a reader over the content of the next element, which must be a SEQUENCE.
    mutating func sequence() throws(Malformed) -> DERReader { DERReader(try element(0x30)) }

    /// Reads a non-negative INTEGER. The result has no leading zeros and begins with the most significant byte.
    mutating func unsignedInteger() throws(Malformed) -> [UInt8] {
        let content = try element(0x02)
        guard let first = content.first, first < 0x80 else { throw Malformed() }
        return Array(content.drop { $0 == 0 })
    }

    /// Reads a BIT STRING of whole bytes.
    mutating func bitString() throws(Malformed) -> ArraySlice<UInt8> {
        let content = try element(0x03)
        guard content.first == 0 else { throw Malformed() }
        return content.dropFirst()
    }

    private mutating func byte() throws(Malformed) -> UInt8 {
        do { return try reader.uint8() } catch { throw Malformed() }
    }

    private mutating func take(_ count: Int) throws(Malformed) -> ArraySlice<UInt8> {
        do { return try reader.take(count) } catch { throw Malformed() }
    }
}
