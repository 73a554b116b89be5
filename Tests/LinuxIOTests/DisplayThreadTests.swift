import Encoding
import Glibc
import Synchronization
import TestKit
import Testing

@testable import Displays
@testable import LinuxIO

/// A display device whose behaviour the test controls.
private final class Double: DisplayDevice {
    /// The state that the test and the device share.
    final class Board: Sendable {
        struct State {
            var shown: [DisplayScene] = []
            var attempts = 0
            var closings = 0
            var fails = false
            var hangs = false
        }

        let state = Mutex(State())

        func waits(_ isTrue: (State) -> Bool) -> Bool { blocksUntil { isTrue(state.withLock { $0 }) } }
    }

    let detail: DisplayDetail
    private let board: Board

    init(_ board: Board, _ detail: DisplayDetail) { (self.board, self.detail) = (board, detail) }

    func show(_ scene: DisplayScene) throws(DisplayFailure) {
        board.state.withLock { $0.attempts += 1 }
        while board.state.withLock({ $0.hangs }) { usleep(1000) }
        if board.state.withLock({ $0.fails }) { throw DisplayFailure("away", remedy: "Plug it in.") }
        board.state.withLock { $0.shown.append(scene) }
    }

    func close() { board.state.withLock { $0.closings += 1 } }
}

@Suite("Display thread", .timeLimit(.minutes(1)), .tags(.realTime))
struct DisplayThreadTests {
    private let board = Double.Board()
    private let words = Recorder<String?>()

    private func thread(_ detail: DisplayDetail = .lively) throws -> DisplayThread {
        try DisplayThread(
            retries: .milliseconds(20)...(.milliseconds(80)), make: { [board] in Double(board, detail) },
            told: { [words] failure in words.add(failure?.description) })
    }

    private func scene(_ code: String) -> DisplayScene {
        var scene = DisplayScene(name: "G")
        scene.code = code
        return scene
    }

    @Test("a slow device skips outdated scenes, and the caller never waits")
    func slow() throws {
        let thread = try thread()
        board.state.withLock { $0.hangs = true }
        thread.show(scene("first"))
        #expect(board.waits { $0.attempts == 1 })
        #expect(thread.busySince != nil)
        for number in 0..<1000 { thread.show(scene("\(number)")) }
        #expect(!thread.flush(within: .milliseconds(20)))
        board.state.withLock { $0.hangs = false }
        #expect(thread.flush(within: .seconds(20)))
        #expect(board.state.withLock { $0.shown.map(\.code) } == ["first", "999"])
        #expect(thread.busySince == nil)
    }

    @Test("what differs only in what the device does not show is not drawn again")
    func same() throws {
        let thread = try thread(.still)
        var told = scene("a")
        thread.show(told)
        #expect(thread.flush(within: .seconds(20)))
        told.guests = [.init(mark: "3f2a", stage: .receiving(percent: 50))]
        told.news = [.init(number: 1, text: "one")]
        thread.show(told)
        #expect(thread.flush(within: .seconds(20)))
        #expect(board.state.withLock { $0.attempts } == 1)
    }

    @Test("a device that fails is closed and tried again with the newest scene, ever more slowly")
    func failing() throws {
        let thread = try thread()
        board.state.withLock { $0.fails = true }
        thread.show(scene("old"))
        #expect(board.waits { $0.closings >= 3 })
        let began = SystemClock.now()
        let attempts = board.state.withLock { $0.attempts }
        for number in 0..<100 { thread.show(scene("\(number)")) }
        let more = board.state.withLock { $0.attempts } - attempts
        #expect(more <= Int(began.duration(to: SystemClock.now()) / .milliseconds(80)) + 1, "news do not hurry it")
        // One attempt may already have an older scene; the attempt after it has the newest.
        let closings = board.state.withLock { $0.closings }
        #expect(board.waits { $0.closings >= closings + 2 })
        board.state.withLock { $0.fails = false }
        #expect(thread.flush(within: .seconds(20)))
        #expect(board.state.withLock { $0.shown.map(\.code) } == ["99"])
        // The recovery is reported after the scene is shown.
        #expect(blocksUntil { words.last == .some(nil) })
        #expect(words.all.first == "away. Plug it in.")
    }

    @Test("it ends with its last owner, and lets go of the device")
    func end() throws {
        do {
            let thread = try thread()
            thread.show(scene("a"))
            #expect(thread.flush(within: .seconds(20)))
        }
        #expect(board.waits { $0.closings == 1 })
    }
}
