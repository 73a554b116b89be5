import Encoding

/// One line of the log, before it is formatted as JSON or for journald.
struct LogRecord: Sendable {
    /// The time of the line.
    let time: Timestamp
    /// The severity of the line.
    let level: LogSink.Level
    /// The name of the event, which never changes.
    let event: String
    /// The members of the line after time, level and event.
    let members: JSONObject

    /// The line as JSON, with its line end.
    var line: [UInt8] { text + [0x0A] }

    /// The line as JSON, without a line end.
    var text: [UInt8] {
        var line = head
        for member in members.members { _ = line.appendIfNew(member) }
        return JSON.object(line).compactBytes
    }

    /// Returns a short line in place of a line that is too long. Its member `cut` contains `bytes`, the length of the
    /// original line.
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
