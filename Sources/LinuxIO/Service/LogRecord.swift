import Encoding

/// One line of the log before it has a form.
struct LogRecord: Sendable {
    /// When it was made.
    let time: Timestamp
    /// How important it is.
    let level: LogSink.Level
    /// Its stable name.
    let event: String
    /// What there is to say.
    let members: JSONObject

    /// As one JSON line, with its end.
    var line: [UInt8] { text + [0x0A] }

    /// The same without an end.
    var text: [UInt8] {
        var line = head
        for member in members.members { _ = line.appendIfNew(member) }
        return JSON.object(line).compactBytes
    }

    /// What is left of one that is too long: `cut` says how many bytes it had.
    func cut(from bytes: Int) -> [UInt8] {
        var line = head
        for name in ["visit", "code"] as [Text] { line[name] = members[name] }
        line["cut"] = .int(bytes)
        return JSON.object(line).compactBytes
    }

    private var head: JSONObject {
        ["time": .text(time.rfc3339), "level": .text(level.rawValue), "event": .text(event)]
    }
}
