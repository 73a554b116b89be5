import Encoding

/// The place in the document at which an expansion is, and a log of the parts of the document that do not reach RDF.
struct DropLog {
    /// One step of a path from the root of the document.
    enum Step {
        case name(Text)
        case index(Int)
    }

    private(set) var path: [Step] = []
    private(set) var dropped: [DroppedTerm] = []

    /// Whether the log is full. A document with many members and long names may fill it, because its JSON pointers are
    /// long.
    private(set) var isFull = false
    private var room = 1 << 20

    /// The number of entries so far. ``drop(_:since:)`` accepts it as a mark.
    var mark: Int { dropped.count }

    /// The JSON pointer (RFC 6901) to the current place.
    var pointer: String {
        var text = ""
        for step in path {
            switch step {
            case .index(let index): text += "/\(index)"
            case .name(let name): text += "/" + Self.escaped(name)
            }
        }
        return text
    }

    mutating func enter(_ step: Step) { path.append(step) }
    mutating func leave() { path.removeLast() }

    /// Logs that the value at the current place is dropped, with all values inside it. If `mark` is given, the entries
    /// since that mark are replaced by the new one, which includes them.
    mutating func drop(_ reason: DroppedTerm.Reason, since mark: Int? = nil) {
        if isFull { return }
        if let mark, mark < dropped.count { dropped.removeSubrange(mark...) }
        let pointer = pointer
        room -= pointer.utf8.count + 16
        isFull = room < 0
        if dropped.last?.pointer != pointer { dropped.append(DroppedTerm(pointer: pointer, reason: reason)) }
    }

    private static func escaped(_ name: Text) -> String {
        guard name.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return name.string
        }
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "~"): bytes.append(contentsOf: "~0".utf8)
            case UInt8(ascii: "/"): bytes.append(contentsOf: "~1".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
