import Encoding
import Testing

@testable import Courier

/// The notices of a destination that reach the log.
@Suite struct RepeatedNoticeFilterTests {
    private let start = Instant.zero

    @Test func aTextIsNewsOnce() {
        var news = RepeatedNoticeFilter()
        let told = [
            news.take("gone", of: "primary", at: start),
            news.take("gone", of: "primary", at: start.advanced(by: .seconds(599))),
            news.take("gone", of: "copy", at: start), news.take("back", of: "primary", at: start),
            news.take("gone", of: "primary", at: start.advanced(by: RepeatedNoticeFilter.pause)),
        ]
        #expect(told == [true, false, true, true, true])
    }

    /// A peer that invents a new text for each message.
    @Test func aFloodOfTextsIsBounded() {
        var news = RepeatedNoticeFilter()
        var said = 0
        for number in 0..<10_000 where news.take("problem \(number)", of: "primary", at: start) { said += 1 }
        #expect(said == RepeatedNoticeFilter.limit)
        let isNews = news.take("another", of: "primary", at: start.advanced(by: RepeatedNoticeFilter.pause))
        #expect(isNews)
    }
}
