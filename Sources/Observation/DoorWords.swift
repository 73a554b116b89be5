package import Encoding

/// The member `door` of the status report in words. The words are the same for the lines of `gatehouse
/// status` and for the page. Only fixed texts are used: unknown values of another version are left out.
package struct DoorWords {
    private let door: JSON?

    /// Creates the words for `door`, the member of the status report.
    package init(_ door: JSON?) { self.door = door }

    /// The mode and its cause, such as "locked down by order"; nil in the normal mode, or if the mode is
    /// unknown.
    package var mode: String? {
        let modes: [Text: String] = ["locked": "locked down", "free": "free passage"]
        guard let mode = door?["mode"]?.string.flatMap({ modes[$0] }) else { return nil }
        let causes: [Text: String] = ["order": "by order", "schedule": "by the schedule", "fire": "by the fire panel"]
        return [mode, door?["by"]?.string.flatMap { causes[$0] }].compactMap(\.self).joined(separator: " ")
    }

    /// Returns the time since which the mode has been in force, in the zone `zone` seconds east of UTC. The
    /// day precedes the time unless it is known to be the day of `now`.
    package func since(now: Timestamp?, zone: Int) -> String? {
        guard let since = door?["since"]?.string.flatMap({ Timestamp(rfc3339: $0.string) }) else { return nil }
        let then = Self.local(since, zone)
        let isToday = now.map { Self.local($0, zone).utf8.prefix(10).elementsEqual(then.utf8.prefix(10)) } ?? false
        return "since " + (isToday ? "" : then.prefix(10) + " ") + then.dropFirst(11).prefix(5)
    }

    /// The rest of the mode's duration; nil: unknown.
    package var left: String? { door?["secondsLeft"]?.int.map { "for \(Words.duration($0)) more" } }

    /// Returns ``mode`` with its beginning `since`, in the form of ``since(now:zone:)``, and its end; nil in
    /// the normal mode.
    package func mode(_ since: String?) -> String? {
        mode.map { $0 + (since.map { " " + $0 } ?? "") + (left.map { ", " + $0 } ?? "") }
    }

    /// The state of each wired input; nil if the input cannot be read.
    package var inputs: [(name: String, level: String?)] {
        Self.inputs.compactMap { input in
            guard let level = door?.at(["inputs", input.member]) else { return nil }
            return (input.name, level.bool.map { $0 ? input.active : input.rest })
        }
    }

    /// The counts of events at the door since the start, with their names. A count is nil if the report lacks
    /// it.
    var counts: [(name: String, count: Int?)] { Self.counts.map { ($0.name, door?[$0.member]?.int) } }

    private static let inputs: [(member: Text, name: String, active: String, rest: String)] = [
        ("contact", "door", "open", "closed"), ("passage", "passage", "person passing", "at rest"),
        ("request-to-exit", "button inside", "pressed", "at rest"), ("tamper", "box and wires", "opened", "closed"),
        ("fire", "fire panel", "fire", "no fire"),
    ]

    private static let counts: [(member: Text, name: String)] = [
        ("passages", "passages since the start"), ("tailgating", "tailgating detected"),
        ("unused", "openings without passage"), ("requests", "requests to exit"),
        ("refusedRequests", "requests refused"),
        ("forced", "times forced"), ("heldOpen", "times held open"),
    ]

    private static func local(_ date: Timestamp, _ zone: Int) -> String {
        Timestamp(seconds: date.seconds + Int64(zone)).rfc3339
    }
}
