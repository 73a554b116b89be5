import Encoding
import Kiosk

/// The door on the status page: a badge next to the headline unless the mode is normal, the text of the tile about
/// the gate, and a card.
struct DoorCard {
    private let report: StatusReport
    private let words: DoorWords
    private let since: String?

    /// Creates the card for the status report `report`. `zone` is the difference of local time from UTC in seconds,
    /// positive to the east.
    init(_ report: StatusReport, at now: Timestamp, zone: Int) {
        self.report = report
        words = DoorWords(report.door)
        since = words.since(now: now, zone: zone)
    }

    /// The mode as HTML for the headline, such as "Locked down by order since 14:02"; empty if the mode is normal or
    /// unknown.
    var badge: String {
        guard let mode = words.mode(since) else { return "" }
        let mark = isLocked ? "⊘" : "⇄"
        return "<p class=\"state warn\">\(mark) \(mode.prefix(1).uppercased() + mode.dropFirst())</p>"
    }

    /// The mode for the title of the window, such as ", locked down by order"; empty if the mode is normal or
    /// unknown.
    var title: String { words.mode.map { ", " + $0 } ?? "" }

    /// The text of the tile about the gate; nil if it is unknown. In free passage the gate is open although its relay
    /// is not energised, so the text is "free".
    var gate: String? {
        guard let gate = report.gate else { return nil }
        guard let gate else { return "none" }
        guard let isOpen = gate.isOpen else { return nil }
        if isOpen { return "open" }
        guard words.mode != nil else { return "shut" }
        return isLocked ? "locked" : "free"
    }

    /// The card as HTML: the mode, the wired inputs and the counts of events.
    var html: String {
        guard let door = report.door, door != StatusReport.Door() else { return "" }
        let inputs = words.inputs
        let counts =
            inputs.isEmpty ? [] : words.counts.enumerated().filter { $0.offset == 0 || $0.element.count ?? 0 > 0 }
        let mode: [(name: String, html: String?)] = [
            ("mode", words.mode ?? "normal service"), ("in force", since), ("ends automatically", words.left),
            ("light", report.light?.rawValue),
        ]
        return Markup.list(
            mode + inputs.map { ($0.name, $0.level ?? "cannot be read") }
                + counts.map { ($0.element.name, $0.element.count.map(String.init)) })
    }

    private var isLocked: Bool { report.door?.mode == .locked }
}
