import Encoding

/// The notices that were logged recently. The filter keeps a repeated text out of the log. A text of a destination is
/// new if it was not logged within ``pause``. Within ``pause``, at most ``limit`` texts of each destination are new,
/// whatever a peer sends.
struct RepeatedNoticeFilter: Sendable {
    /// The time for which the same text is not logged again.
    static let pause = Duration.seconds(600)
    /// The maximum number of new texts of one destination within ``pause``.
    static let limit = 64

    private var said: [Text: [(text: String, at: Instant)]] = [:]

    /// Returns whether `text` is new for the destination `name`. If so, records it.
    mutating func take(_ text: String, of name: Text, at now: Instant) -> Bool {
        var texts = (said[name] ?? []).filter { $0.at.duration(to: now) < Self.pause }
        defer { said[name] = texts }
        guard texts.count < Self.limit, !texts.contains(where: { Text($0.text) == Text(text) }) else { return false }
        texts.append((text, now))
        return true
    }
}
