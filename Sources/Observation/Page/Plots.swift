import Encoding
import Ledger

/// Makes the pictures of the status page as HTML. A picture becomes as wide as the page allows, and the text next to
/// it does not change its size. Each picture has a description in words.
enum Plots {
    /// The number of minutes that one column of the picture of a day covers.
    private static let column = 10
    /// The number of minutes of a day that are drawn.
    private static let drawn = 24 * 60

    /// Returns the picture of a day's visits, with a column for each ten minutes. `now` is the number of minutes
    /// since midnight.
    static func throughput(_ day: DailyStatistics, now: Int) -> String {
        let columns = stride(from: 0, to: drawn, by: column).map { start in
            day.minutes[start..<start + column].reduce(into: (accepted: 0, rejected: 0, failed: 0)) {
                $0.accepted += Int($1.accepted)
                $0.rejected += Int($1.rejected)
                $0.failed += Int($1.failed)
            }
        }
        let most = max(columns.map { $0.accepted + $0.rejected + $0.failed }.max() ?? 0, column)
        var shapes = ""
        for (place, column) in columns.enumerated() {
            var top = most
            for (kind, count) in [("good", column.accepted), ("bad", column.rejected), ("other", column.failed)]
            where count > 0 {
                top -= count
                shapes +=
                    "<rect class=\"\(kind)\" x=\"\(place * 10 + 1)\" y=\"\(top)\" width=\"8\" height=\"\(count)\"/>"
            }
        }
        let words = "Visits per minute over the day: \(summary(day))"
        return """
            <p class="soft">Top of the plot: \(Metric.decimal(most, 1)) per minute, the mean of ten minutes</p>
            <svg class="plot" viewBox="0 0 \(drawn) \(most)" preserveAspectRatio="none" role="img" aria-label="\(words)">\
            <path class="grid" d="\(grid(most))"/>\(shapes)\(marker(now, most))</svg>
            \(axis)
            <ul class="key"><li class="good">\(sample("good"))accepted</li><li class="bad">\(sample("bad"))rejected</li>\
            <li class="other">\(sample("other"))failed</li></ul>
            """
    }

    /// Returns the description of the picture of a day's visits.
    static func summary(_ day: DailyStatistics) -> String {
        guard let busiest = day.busiest else { return "no visits yet" }
        return Words.count(day.total, "visit", "visits") + ", at most \(busiest.visits) in a minute, at "
            + clock(minute: busiest.minute)
    }

    /// Returns the picture of the state of the radio from midnight until now. `now` is the number of minutes since
    /// midnight.
    static func radio(_ day: DailyStatistics, now: Int) -> String {
        var (shapes, start) = ("", 0)
        let past = min(max(0, now + 1), drawn)
        while start < past {
            let state = day.radio[start]
            let end = day.radio[start..<past].firstIndex { $0 != state } ?? past
            // The states also have different heights, for readers who cannot distinguish the colours.
            let (kind, top) =
                switch state {
                case .unknown: ("empty", 7)
                case .up: ("good", 3)
                case .down: ("bad", 0)
                }
            shapes +=
                "<rect class=\"\(kind)\" x=\"\(start)\" y=\"\(top)\" width=\"\(end - start)\" height=\"\(10 - top)\"/>"
            start = end
        }
        let down = day.radio.count { $0 == .down }
        let known = day.radio[..<past].firstIndex { $0 != .unknown }
        let since = known.map { " since \(clock(minute: $0))" } ?? ""
        let words =
            (down == 0 ? "the radio was not seen down" : "seen down in " + Words.count(down, "minute", "minutes"))
            + since
        return """
            <svg class="strip" viewBox="0 0 \(drawn) 10" preserveAspectRatio="none" role="img" \
            aria-label="The radio over the day: \(words)">\(shapes)\(marker(now, 10))</svg>
            \(axis)
            <p class="soft">Today: \(words). Low grey: no data, for example before the service started.</p>
            """
    }

    /// Returns the picture of a period of validity, with the part that has passed. The dates are in seconds since
    /// 1970.
    static func span(_ name: String, from begin: Int, to end: Int, now: Int) -> String {
        let part = end > begin ? min(max(0, (now - begin) * 1000 / (end - begin)), 1000) : 1000
        let kind = now >= end ? "bad" : end - now < 14 * 86_400 && part > 500 ? "warn" : "good"
        let words = now >= end ? "ended \(Words.distance(end, from: now))" : "ends \(Words.distance(end, from: now))"
        return """
            <svg class="strip" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" \
            aria-label="\(name): \(part / 10) per cent of its validity has passed; it \(words)">\
            <rect class="empty" width="1000" height="10"/><rect class="\(kind)" width="\(part)" height="10"/></svg>
            <div class="axis"><span>\(date(begin))</span><span>\(words)</span><span>\(date(end))</span></div>
            """
    }

    /// Returns a table whose rows have a bar each. The longest bar has the full width.
    static func bars(_ caption: String, _ rows: [(label: String, count: Int, kind: String)]) -> String {
        let most = max(1, rows.map(\.count).max() ?? 1)
        let body = rows.map { row in
            let width = row.count == 0 ? 0 : max(1, row.count * 100 / most)
            return "<tr><td>\(row.label)</td><td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
                + "aria-hidden=\"true\"><rect class=\"empty\" width=\"100\" height=\"10\"/>"
                + "<rect class=\"\(row.kind)\" width=\"\(width)\" height=\"10\"/></svg></td><td>\(row.count)</td></tr>"
        }
        return
            "<table class=\"bars\"><caption>\(caption)</caption><tbody>\n\(body.joined(separator: "\n"))\n</tbody></table>"
    }

    /// Returns the time of day, such as 14:02, that is `minute` minutes after midnight.
    static func clock(minute: Int) -> String { two(minute / 60) + ":" + two(minute % 60) }

    /// Returns the day of a date in seconds since 1970, such as 2026-12-31.
    static func date(_ seconds: Int) -> String { String(Timestamp(seconds: Int64(seconds)).rfc3339.prefix(10)) }

    static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    private static let axis =
        "<div class=\"axis\" aria-hidden=\"true\"><span>00:00</span><span>06:00</span><span>12:00</span><span>18:00</span>"
        + "<span>24:00</span></div>"

    private static func grid(_ height: Int) -> String {
        [6, 12, 18].map { "M\($0 * 60) 0V\(height)" }.joined()
    }

    private static func marker(_ now: Int, _ height: Int) -> String {
        now < drawn ? "<path class=\"now\" d=\"M\(now) 0V\(height)\"/>" : ""
    }

    private static func sample(_ kind: String) -> String {
        "<svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"\(kind)\" width=\"10\" height=\"10\"/></svg>"
    }
}
