import Encoding

/// The texts that were logged recently. With them the log gets each change, but not the same text again and
/// again. A text of a destination counts as news once per ``pause``. In that time at most ``limit`` texts of
/// each destination count as news, whatever a peer sends.
struct RepeatedNoticeFilter: Sendable {
    /// The time for which a repeated text is not logged again.
    static let pause = Duration.seconds(600)
    /// The limit of texts of one destination that count as news during one ``pause``.
    static let limit = 64

    private var said: [Text: [(text: String, at: Instant)]] = [:]

    /// Returns whether `text` is news of the destination `name`.
    mutating func take(_ text: String, of name: Text, at now: Instant) -> Bool {
        var texts = (said[name] ?? []).filter { $0.at.duration(to: now) < Self.pause }
        defer { said[name] = texts }
        guard texts.count < Self.limit, !texts.contains(where: { Text($0.text) == Text(text) }) else { return false }
        texts.append((text, now))
        return true
    }
}
