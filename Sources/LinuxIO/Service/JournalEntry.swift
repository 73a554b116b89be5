import Encoding

/// A line of the log in journald's native form (systemd, "Native Journal Protocol"): fields one after the other in one datagram.
///
/// The text of the line is MESSAGE, as it stands in a log file. Each of its members is a field of its own besides, under its name in
/// capitals behind `GATEHOUSE_` (`GATEHOUSE_VISIT`, `GATEHOUSE_RESULT`), a list as a field of each value. Codes are one field whatever
/// member has them, `GATEHOUSE_CODE`. A value that could end its field goes with its length, so that no text from outside makes a field
/// of its own.
enum JournalEntry {
    /// Bytes of a MESSAGE, and of any other value: together less than any kernel's datagram.
    static let (longestMessage, longestValue) = (16 * 1024, 1024)
    /// Fields made of members.
    static let mostFields = 24

    /// The datagram. `id`: names the kind of line (MESSAGE_ID), 32 hexadecimal digits.
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

    /// A value with an end of line, or a control character, goes with its length in 64 bits, the lowest byte first.
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

    /// The values of a member, a field each; an object has none.
    private static func values(_ value: JSON) -> [[UInt8]] {
        switch value {
        case .string(let text): [Array(text.utf8)]
        case .bool(let isSo): [Array((isSo ? "true" : "false").utf8)]
        case .number: [value.compactBytes]
        case .array(let values): values.flatMap { $0.array == nil ? Self.values($0) : [] }
        case .null, .object: []
        }
    }

    /// The value up to its bound, at a whole character.
    private static func cut(_ value: [UInt8]) -> [UInt8] {
        guard value.count > longestValue else { return value }
        var kept = value.prefix(longestValue)
        // A continuation byte of UTF-8 is 10xxxxxx.
        while !kept.isEmpty, value[kept.endIndex] & 0xC0 == 0x80 { kept.removeLast() }
        return Array(kept)
    }

    /// `retryMs` is `GATEHOUSE_RETRY_MS`; nil for what is no name of a field.
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
        // journald takes names of up to 64 bytes.
        return name.isEmpty || field.utf8.count > 64 ? nil : field
    }
}
