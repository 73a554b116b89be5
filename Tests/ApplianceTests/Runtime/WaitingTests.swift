import Clocks
import Encoding
import Foundation
import Glibc
import Kiosk
import LinuxIO
import Monitoring
import Observation
import Reasons
import Store
import Synchronization
import TestKit
import Testing
import VirtualKit

@testable import Appliance

/// The start without a ledger.
@Suite struct WaitingTests {
    /// The signals on the lamps during a wait.
    private final class Lamps: Sendable {
        let signals = Recorder<Signal>()
    }

    private let reports = Reports()
    private let lamps = Lamps()

    private func waiting(
        by time: VirtualTime, serve: @escaping @Sendable (StatusReporter) async -> Void = { _ in }
    ) -> Waiting {
        Waiting(
            report: reports.report, manager: ServiceManager(environment: [:]),
            show: { [lamps] signal in lamps.signals.add(signal) },
            identity: StatusReporter.Identity(name: "North", version: "1", start: 0, since: .zero, opens: true),
            clock: time.clock, spawner: time.spawner, serve: serve)
    }

    @Test func itIsTriedUntilItSucceeds() throws {
        let answers = Mutex<[StoreError]>([
            .diskFull(path: "/a"), .corrupt(path: "/a", detail: "torn"), .locked(path: "/a", owner: 7),
        ])
        let value = try VirtualTime.run { time in
            let began = time.now
            let value = try await waiting(by: time).forLedger { () async throws(StoreError) in
                if let error = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
                return 5
            }
            #expect(began.duration(to: time.now) == .seconds(3 * Waiting.pause))
            return value
        }
        #expect(value == 5 && reports.present.isEmpty)
        #expect(reports.details(.ledgerUnopened).map { $0.prefix(10) } == ["no space l", "/a is dama", "/a is in u"])
        // Each pause shows the fault and nothing else.
        let signals = lamps.signals.all
        #expect(signals.count == 3 * Waiting.pause && Set(signals) == [Signal([.red]), Signal([.amber])])
    }

    /// A regression test: `gatehouse status` reported a waiting service as "the service is not running: start
    /// it".
    @Test func requestsMeanwhileGetTheReason() throws {
        let answer = Mutex<StatusReport?>(nil)
        try VirtualTime.run { time in
            let hasClosed = Mutex(false)
            let waiting = waiting(by: time) { reporter in
                let said = await reporter.report()
                answer.withLock { $0 = said }
                try? await time.clock.sleep(for: .seconds(86_400))
                hasClosed.withLock { $0 = true }
            }
            _ = try await waiting.forLedger { () async throws(StoreError) in
                if answer.withLock({ $0 == nil }) { throw .locked(path: "/a", owner: 7) }
            }
            #expect(hasClosed.withLock { $0 }, "the socket is free for the service")
        }
        let status = try #require(answer.withLock { $0 })
        #expect(status.state == .fault && status.light == .fault)
        #expect(status.name == "North" && status.radio?.state == .down)
        let fault = status.faults?.first
        #expect(fault?.code == Text(ReasonCode.ledgerUnopened.text))
        #expect(fault?.detail?.contains("process 7") == true)
    }

    /// Blocks the thread as a migration does. Returns the messages to systemd until `count` of them begin
    /// with `word`, or until the limit.
    private static func work(
        _ socket: ManagerSocket, until word: String, _ count: Int, within limit: Duration = .seconds(30)
    ) -> [String] {
        var heard: [String] = []
        let end = ContinuousClock.now + limit
        while heard.count(where: { $0.hasPrefix(word) }) < count, ContinuousClock.now < end {
            usleep(1000)
            heard += socket.messages()
        }
        return heard
    }

    /// Returns what `body` returns, after attempts that extend systemd's timeouts every few milliseconds of real time.
    private func extended(
        _ socket: ManagerSocket, _ body: @escaping @Sendable () throws(StoreError) -> [String]
    ) throws -> [String] {
        let heard = try VirtualTime.run { time in
            var waiting = waiting(by: time)
            waiting.patience = SystemdTimeoutExtension(socket.manager, every: .milliseconds(5), limit: .seconds(60))
            return try await waiting.forLedger { () async throws(StoreError) in try body() }
        }
        return try #require(heard)
    }

    /// A regression test: the migration of an earlier version's ledger took more than a minute, and systemd
    /// ended each start after a minute.
    @Test(.tags(.realTime)) func systemdIsAskedToWaitForALongStart() throws {
        let socket = try ManagerSocket()
        let heard = try extended(socket) { Self.work(socket, until: "EXTEND_TIMEOUT_USEC=60000000\n", 3) }
        #expect(heard.count >= 3 && heard.allSatisfy { $0.hasSuffix("\nSTATUS=opening the ledger") }, "\(heard)")
        _ = socket.messages()  // messages between the last one that was read and the end
        #expect(Self.work(socket, until: "", 1, within: .milliseconds(50)) == [], "it is over")
    }

    /// A later attempt is subject to the watchdog, which began at the failure of the first one.
    @Test(.tags(.realTime)) func aLongAttemptThatIsNotTheFirstGivesSignsOfLife() throws {
        let socket = try ManagerSocket()
        let isFirst = Mutex(true)
        let heard = try extended(socket) { () throws(StoreError) in
            let wasFirst = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst { throw .absent(path: "/a") }
            return Self.work(socket, until: "WATCHDOG=1", 3)
        }
        #expect(heard.count >= 3 && heard.allSatisfy { $0 == "WATCHDOG=1" }, "\(heard)")
    }

    /// The messages stop at the limit, so that systemd ends an endless hang; a quick start sends none.
    @Test(.tags(.realTime)) func theExtensionsEndAtTheLimit() async throws {
        let socket = try ManagerSocket()
        let patience = SystemdTimeoutExtension(socket.manager, every: .milliseconds(5), limit: .milliseconds(20))
        let heard = await patience.during(.up) {
            Self.work(socket, until: "WATCHDOG=1", 4) + Self.work(socket, until: "", 1, within: .milliseconds(100))
        }
        #expect(heard.count == 4, "\(heard)")
        await SystemdTimeoutExtension(socket.manager).during(.up) {}
        #expect(socket.messages() == [])
    }

    /// A configuration with the right path takes effect by a restart: nothing else ends this wait.
    @Test func itEndsWhenItIsAskedTo() throws {
        let isAsked = Mutex(false)
        let value = try VirtualTime.run { time in
            var waiting = waiting(by: time) { _ in isAsked.withLock { $0 = true } }
            waiting.isAskedToEnd = { isAsked.withLock { $0 } }
            return try await waiting.forLedger { () async throws(StoreError) -> Int in throw .absent(path: "/a") }
        }
        #expect(value == nil && isAsked.withLock { $0 })
    }

    @Test func itEndsWithItsTask() throws {
        try VirtualTime.run { time in
            let waiting = waiting(by: time)
            let task = time.spawner.start("the start") {
                await #expect(throws: CancellationError.self) {
                    try await waiting.forLedger { () async throws(StoreError) -> Int in throw .absent(path: "/a") }
                }
            }
            try await time.clock.sleep(for: .seconds(3600))
            #expect(reports.present == [.ledgerUnopened])
            let before = time.now
            task.cancel()
            await task.value
            #expect(time.now == before)
        }
    }
}
