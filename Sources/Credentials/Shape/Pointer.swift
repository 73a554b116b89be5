import Encoding

/// JSON pointers (RFC 6901).
enum Pointer {
    /// The member `name` of what `pointer` names.
    static func append(_ pointer: String, _ name: Text) -> String {
        let escaped = name.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "~"): Array("~0".utf8)
            case UInt8(ascii: "/"): Array("~1".utf8)
            default: [byte]
            }
        }
        return pointer + "/" + String(decoding: escaped, as: UTF8.self)
    }

    /// The element `index` of what `pointer` names.
    static func append(_ pointer: String, _ index: Int) -> String { pointer + "/" + String(index) }
}
