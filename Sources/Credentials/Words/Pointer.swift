import Encoding

/// JSON pointers (RFC 6901).
enum Pointer {
    /// Returns the pointer to the member `name` of the object at `pointer`.
    static func append(_ pointer: String, _ name: Text) -> String {
        // Names come from untrusted sources and may be megabytes long, so copy a name byte by byte only if it must be
        // escaped.
        let mustEscape = name.utf8.contains { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }
        guard mustEscape else { return pointer + "/" + name.string }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(name.utf8.count + 8)
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): escaped += "~0".utf8
            case UInt8(ascii: "/"): escaped += "~1".utf8
            default: escaped.append(byte)
            }
        }
        return pointer + "/" + String(decoding: escaped, as: UTF8.self)
    }

    /// Returns the pointer to the element `index` of the array at `pointer`.
    static func append(_ pointer: String, _ index: Int) -> String { pointer + "/" + String(index) }

    /// Returns whether the pointers are equal, or whether one names a member inside the member that the other names.
    static func overlap(_ a: String, _ b: String) -> Bool {
        (a + "/").utf8.starts(with: (b + "/").utf8) || (b + "/").utf8.starts(with: (a + "/").utf8)
    }
}
