import Encoding

/// A line of the log in journald's native form (systemd, "Native Journal Protocol"): one datagram that consists of
/// fields.
///
/// The field MESSAGE contains the text of the line, as in a log file. In addition, each member of the line has its
/// own field, whose name is `GATEHOUSE_` and the member's name in capitals (`GATEHOUSE_VISIT`, `GATEHOUSE_RESULT`). A
/// list has one field for each of its values. The field of reason codes is always `GATEHOUSE_CODE`, whichever member
/// contains them. A value that contains a line end is sent with its length, so that text from outside cannot add a
/// field.
enum JournalEntry {
    /// The maximum lengths of MESSAGE and of any other value, in bytes. Even the sum of all fields is below the
    /// kernel's limit for a datagram.
    static let (longestMessage, longestValue) = (16 * 1024, 1024)
    /// The maximum number of fields for members of the line. Further values have no field.
    static let mostFields = 24

    /// Returns the datagram of `record`. `id` identifies the kind of line (MESSAGE_ID): 32 hexadecimal digits; nil:
    /// the datagram contains no such field.
    static func datagram(_ record: LogRecord, id: String?) -> [UInt8] {
        let text = record.text
        var datagram: [UInt8] = []
        func add(_ name: String, _ value: [UInt8]) { append(name, value, to: &datagram) }
        add("MESSAGE", text.count <= longestMessage ? text : record.cut(from: text.count))
        add("PRIORITY", Array(String(record.level.severity).utf8))
        add("SYSLOG_IDENTIFIER", Array("gatehouse".utf8))
        if let id { add("MESSAGE_ID", Array(id.utf8)) }
        add("GATEHOUSE_EVENT", Array(record.event.utf8))
        let fields = record.members.members.flatMap { member in values(member.value).map { (member.name, $0) } }
        for (name, value) in fields.prefix(mostFields) {
            guard let name = fieldName(name) else { continue }
            append(name, cut(value), to: &datagram)
        }
        return datagram
    }

    /// Appends a field to the datagram. A value that contains a line end or another control character is preceded by
    /// its length as 64 bits, little-endian.
    private static func append(_ name: String, _ value: [UInt8], to datagram: inout [UInt8]) {
        datagram += name.utf8
        if value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) {
            datagram.append(UInt8(ascii: "="))
        } else {
            datagram.append(0x0A)
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { datagram += $0 }
        }
        datagram += value
        datagram.append(0x0A)
    }

    /// Returns the values of a member, one for each field of the journal entry. Null and objects have no values.
    private static func values(_ value: JSON) -> [[UInt8]] {
        switch value {
        case .string(let text): [Array(text.utf8)]
        case .bool(let isSo): [Array((isSo ? "true" : "false").utf8)]
        case .number: [value.compactBytes]
        case .array(let values): values.flatMap { $0.array == nil ? Self.values($0) : [] }
        case .null, .object: []
        }
    }

    /// Shortens the value to its maximum length, at a character boundary.
    private static func cut(_ value: [UInt8]) -> [UInt8] {
        guard value.count > longestValue else { return value }
        var kept = value.prefix(longestValue)
        // A continuation byte of UTF-8 is 10xxxxxx.
        while !kept.isEmpty, value[kept.endIndex] & 0xC0 == 0x80 { kept.removeLast() }
        return Array(kept)
    }

    /// Returns the field name of a member, for example `GATEHOUSE_RETRY_MS` for `retryMs`; nil if the member's name
    /// cannot be converted.
    private static func fieldName(_ name: Text) -> String? {
        if name == "reasons" { return "GATEHOUSE_CODE" }
        var field = "GATEHOUSE_"
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): field.unicodeScalars.append(Unicode.Scalar(byte - 32))
            case UInt8(ascii: "A")...UInt8(ascii: "Z"):
                field += "_"
                field.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: "0")...UInt8(ascii: "9"): field.unicodeScalars.append(Unicode.Scalar(byte))
            default: return nil
            }
        }
        // journald accepts names of up to 64 bytes.
        return name.isEmpty || field.utf8.count > 64 ? nil : field
    }
}
