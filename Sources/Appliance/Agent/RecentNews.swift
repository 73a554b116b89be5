import Encoding

/// What was said of late, so that the log hears of a change and never of the same thing over and over: a text of a destination counts as
/// news once in ``pause``, and ``limit`` texts of each destination in that time, whatever a peer makes up.
struct RecentNews: Sendable {
    /// How long a text is no news.
    static let pause = Duration.seconds(600)
    /// Texts of one destination in that time.
    static let limit = 64

    private var said: [Text: [(text: String, at: ContinuousClock.Instant)]] = [:]

    /// Whether the text is news of that destination.
    mutating func take(_ text: String, of name: Text, at now: ContinuousClock.Instant) -> Bool {
        var texts = (said[name] ?? []).filter { now - $0.at < Self.pause }
        defer { said[name] = texts }
        guard texts.count < Self.limit, !texts.contains(where: { Text($0.text) == Text(text) }) else { return false }
        texts.append((text, now))
        return true
    }
}
