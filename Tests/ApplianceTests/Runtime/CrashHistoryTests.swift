import Courier
import Encoding
import Foundation
import TestKit
import Testing

/// Crashes of the program, and the server that is left out because of them.
@Suite struct CrashHistoryTests {
    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    /// Asks for permission to contact the servers, one after another, at that second; returns the
    /// permissions.
    @discardableResult
    private func ask(_ servers: Text..., at second: Int64, in history: inout CrashHistory) -> [Bool] {
        servers.map { history.mayAsk($0, at: at(second)) }
    }

    @Test func theServerBeforeTwoCrashesIsLeftOut() {
        var history = CrashHistory()
        ask("good:443", at: 1, in: &history)
        ask("bad:443", at: 2, in: &history)
        history.crashed(at: at(10))
        #expect(history.leftOut.isEmpty, "one crash says nothing")
        ask("bad:443", at: 11, in: &history)
        history.crashed(at: at(70))
        #expect(history.leftOut == ["bad:443"] && history.count == 2)
        let third = ask("bad:443", "good:443", at: 71, in: &history)
        #expect(third == [false, true])
    }

    /// A server that answers late is found although others were contacted after it.
    @Test func eachFurtherCrashLeavesOutOneMore() {
        var history = CrashHistory()
        for start in 0..<4 as Range<Int64> {
            ask("late:443", at: 100 * start, in: &history)
            ask("mediator:443", at: 100 * start + 20, in: &history)
            ask("lists:443", at: 100 * start + 30, in: &history)
            history.crashed(at: at(100 * start + 40))
        }
        #expect(history.leftOut == ["lists:443", "mediator:443", "late:443"])
        // A server that was contacted long before the last one is not suspected.
        var other = CrashHistory()
        for start in 0..<3 as Range<Int64> {
            ask("early:443", at: 200 * start, in: &other)
            ask("a\(start):443", at: 200 * start + 61, in: &other)
            other.crashed(at: at(200 * start + 70))
        }
        #expect(other.leftOut.isEmpty)
    }

    @Test func crashesFarApartLeaveNoServerOut() {
        var history = CrashHistory()
        for start in 1...20 as ClosedRange<Int64> {
            ask("a:443", at: start * 3601 - 1, in: &history)
            history.crashed(at: at(start * 3601))
        }
        #expect(history.leftOut.isEmpty && history.count == 20)
        // A crash before which no server was contacted leaves no server out.
        history.crashed(at: at(72_021))
        #expect(history.leftOut.isEmpty)
    }

    @Test func theStoredDataAreBounded() throws {
        var history = CrashHistory()
        for start in 0..<300 as Range<Int64> {
            for server in 0..<20 { ask(Text("server\(start % 150)-\(server).example:443"), at: start, in: &history) }
            history.crashed(at: at(start))
        }
        ask("last:443", at: 300, in: &history)
        #expect(history.crashes.count == 20 && history.leftOut.count <= 8 && history.count == 300)
        let bytes = history.bytes(boot: "b")
        #expect(try #require(CrashHistory(bytes, boot: "b", at: at(400))) == history && bytes.count < 8192)
    }

    @Test func onlyItsOwnStartOfTheMachineCounts() {
        var history = CrashHistory()
        ask("a:443", at: 1, in: &history)
        history.crashed(at: at(5))
        ask("b:443", at: 6, in: &history)
        let bytes = history.bytes(boot: "one")
        #expect(CrashHistory(bytes, boot: "one", at: at(6)) == history)
        #expect(
            CrashHistory(bytes, boot: "two", at: at(6)) == nil && CrashHistory(bytes, boot: "one", at: at(5)) == nil)
        for junk in [
            "", "one", "one\nx\n\n\n\n", "one\n1\n\n5\n\n", "one\n1\n\n\nx a:443\n", "one two\n1\n\n\n\n",
        ] { #expect(CrashHistory(Array(junk.utf8), boot: "one", at: at(6)) == nil, "\(junk)") }
        #expect(
            CrashHistory(Array("one\n0\n\n\n\n".utf8), boot: "one", at: at(6)) == nil, "a crash is a line with words")
    }

    @Test func theHistorySurvivesACrashAndNotAnOrderlyEnd() throws {
        let folder = MemoryFolder.place("crashes").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func open() -> CrashLog { CrashLog(folder: folder, boot: "b", now: { Instant(nanoseconds: 5) }) }
        var book = open()
        #expect(book.known == CrashHistory() && book.mayAsk("bad:443"))
        // The log is released without an orderly end, as after a crash of the program.
        book = open()
        #expect(book.known.count == 1 && book.known.leftOut.isEmpty && book.mayAsk("bad:443"))
        book = open()
        #expect(book.known.leftOut == ["bad:443"] && !book.mayAsk("bad:443"))
        book.end()
        book = open()
        #expect(book.known == CrashHistory() && book.mayAsk("bad:443"))
        let none = CrashLog(folder: nil, boot: "b", now: { .zero })
        #expect(none.known == CrashHistory() && none.mayAsk("bad:443"))
    }
}
