import Encoding

/// The door on the page: a badge beside the headline while it is not in ordinary service, what the tile of the gate says, and a card.
struct DoorCard {
    private let report: JSON
    private let words: DoorWords
    private let since: String?

    /// Of that report. `zone`: seconds east of UTC.
    init(_ report: JSON, at now: Timestamp, zone: Int) {
        self.report = report
        words = DoorWords(report["door"])
        since = words.since(now: now, zone: zone)
    }

    /// What holds in place of ordinary service, for the headline: "Locked down by order since 14:02". Empty in ordinary service.
    var badge: String {
        guard let mode = words.mode(since) else { return "" }
        let mark = isLocked ? "⊘" : "⇄"
        return "<p class=\"state warn\">\(mark) \(mode.prefix(1).uppercased() + mode.dropFirst())</p>"
    }

    /// The same for the title of the window: ", locked down by order".
    var title: String { words.mode.map { ", " + $0 } ?? "" }

    /// What stands in the tile of the gate. While everybody passes, its relay is shut: that is not what people see.
    var gate: String? {
        if report["gate"] == .null { return "none" }
        guard let isOpen = report.at(["gate", "open"])?.bool else { return nil }
        if isOpen { return "open" }
        guard words.mode != nil else { return "shut" }
        return isLocked ? "locked" : "free"
    }

    /// The card: the mode at least, and what is wired.
    var html: String {
        guard let door = report["door"]?.object, !door.isEmpty else { return "" }
        let inputs = words.inputs
        let counts =
            inputs.isEmpty ? [] : words.counts.enumerated().filter { $0.offset == 0 || $0.element.count ?? 0 > 0 }
        let mode: [(name: String, html: String?)] = [
            ("mode", words.mode ?? "ordinary service"), ("in force", since), ("ends by itself", words.left),
            ("light", report["light"]?.string.map { Markup.escaped($0.string) }),
        ]
        return Markup.list(
            mode + inputs.map { ($0.name, $0.level ?? "cannot be read") }
                + counts.map { ($0.element.name, $0.element.count.map(String.init)) })
    }

    private var isLocked: Bool { report.at(["door", "mode"])?.string == "locked" }
}
