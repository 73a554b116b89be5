package import Encoding
import Kiosk

/// Texts about the door in a status report, for `gatehouse status` and for the status page.
package struct DoorWords {
    private let door: StatusReport.Door?

    /// Creates the texts for the part `door` of a status report; nil: the report lacks it.
    package init(_ door: StatusReport.Door?) { self.door = door }

    /// The mode and its cause, such as "locked down by order"; nil if the mode is normal or unknown.
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

    /// Returns the local time at which the mode began, such as "since 14:02"; nil if it is unknown. The day precedes
    /// the time if it is not the day of `now`. `zone` is the difference from UTC in seconds, positive to the east.
    package func since(now: Timestamp?, zone: Int) -> String? {
        guard let since = door?.since else { return nil }
        let then = Self.local(since, zone)
        let isToday = now.map { Self.local($0, zone).utf8.prefix(10).elementsEqual(then.utf8.prefix(10)) } ?? false
        return "since " + (isToday ? "" : then.prefix(10) + " ") + then.dropFirst(11).prefix(5)
    }

    /// The time until the mode ends by itself, such as "for 5 min more"; nil if it is unknown or the mode has no end.
    package var left: String? { door?.secondsLeft.map { "for \(Words.duration($0)) more" } }

    /// Returns ``mode`` with its beginning and its end; nil if the mode is normal or unknown. `since` is a result of
    /// ``since(now:zone:)``.
    package func mode(_ since: String?) -> String? {
        mode.map { $0 + (since.map { " " + $0 } ?? "") + (left.map { ", " + $0 } ?? "") }
    }

    /// The name and the state of each wired input. The state is nil if the input cannot be read.
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

    /// The names and the counts of events at the door since the start. A count is nil if the report lacks it.
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
