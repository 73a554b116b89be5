package import Encoding
import Kiosk

/// The door of the status report in words, for the lines of `gatehouse status` and for the page.
package struct DoorWords {
    private let door: StatusReport.Door?

    /// Creates the words for the door of a status report.
    package init(_ door: StatusReport.Door?) { self.door = door }

    /// The mode and its cause, such as "locked down by order"; nil in the normal mode or if the mode is unknown.
    package var mode: String? {
        let mode: String
        switch door?.mode {
        case .locked: mode = "locked down"
        case .free: mode = "free passage"
        case .normal, nil: return nil
        }
        return switch door?.cause {
        case .order: mode + " by order"
        case .schedule: mode + " by the schedule"
        case .fire: mode + " by the fire panel"
        case .some(.none), nil: mode
        }
    }

    /// Returns the beginning of the mode in the zone `zone` seconds east of UTC. The day precedes the time unless the
    /// day is that of `now`.
    package func since(now: Timestamp?, zone: Int) -> String? {
        guard let since = door?.since else { return nil }
        let then = Self.local(since, zone)
        let isToday = now.map { Self.local($0, zone).utf8.prefix(10).elementsEqual(then.utf8.prefix(10)) } ?? false
        return "since " + (isToday ? "" : then.prefix(10) + " ") + then.dropFirst(11).prefix(5)
    }

    /// The rest of the mode's duration; nil: unknown.
    package var left: String? { door?.secondsLeft.map { "for \(Words.duration($0)) more" } }

    /// Returns ``mode`` with its beginning `since`, as returned by ``since(now:zone:)``, and its end; nil in the normal
    /// mode.
    package func mode(_ since: String?) -> String? {
        mode.map { $0 + (since.map { " " + $0 } ?? "") + (left.map { ", " + $0 } ?? "") }
    }

    /// The state of each wired input; nil if the input cannot be read.
    package var inputs: [(name: String, level: String?)] {
        let names: [(input: DoorInput, name: String, active: String, rest: String)] = [
            (.contact, "door", "open", "closed"), (.passage, "passage", "person passing", "at rest"),
            (.request, "button inside", "pressed", "at rest"), (.tamper, "box and wires", "opened", "closed"),
            (.fire, "fire panel", "fire", "no fire"),
        ]
        return names.compactMap { row in
            guard let level = door?.inputs?[row.input] else { return nil }
            return (row.name, level.map { $0 ? row.active : row.rest })
        }
    }

    /// The counts of events at the door since the start, with their names. A count is nil if the report lacks it.
    var counts: [(name: String, count: Int?)] {
        [
            ("passages since the start", door?.passages), ("tailgating detected", door?.tailgating),
            ("openings without passage", door?.unused), ("requests to exit", door?.requests),
            ("requests refused", door?.refusedRequests), ("times forced", door?.forced),
            ("times held open", door?.heldOpen),
        ]
    }

    private static func local(_ date: Timestamp, _ zone: Int) -> String {
        Timestamp(seconds: date.seconds + Int64(zone)).rfc3339
    }
}
