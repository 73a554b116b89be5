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

@testable import Appliance

/// The start without a ledger.
@Suite(.tags(.realTime)) struct WaitingTests {
    /// The signals on the lamps during a wait.
    private final class Lamps: Sendable {
        let signals = Recorder<Signal>()
    }

    private let reports = Reports()
    private let lamps = Lamps()

    private var waiting: Waiting { waiting { _ in } }

    private func waiting(_ serve: @escaping @Sendable (StatusReporter) async -> Void) -> Waiting {
        Waiting(
            report: reports.report, manager: ServiceManager(environment: [:]),
            show: { [lamps] signal in lamps.signals.add(signal) },
            identity: StatusReporter.Identity(name: "North", version: "1", start: 0, since: .zero, opens: true),
            clock: .system, spawner: .system, serve: serve,
            attempts: 3, second: .milliseconds(1))
    }

    @Test func itIsTriedUntilItSucceeds() async throws {
        let answers = Mutex<[StoreError]>([
            .diskFull(path: "/a"), .corrupt(path: "/a", detail: "torn"), .locked(path: "/a", owner: 7),
        ])
        let value = try await waiting.forLedger { () async throws(StoreError) in
            if let error = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
            return 5
        }
        #expect(value == 5 && reports.present.isEmpty)
        #expect(reports.details(.ledgerUnopened).map { $0.prefix(10) } == ["no space l", "/a is dama", "/a is in u"])
        // Each pause shows the fault and nothing else.
        let signals = lamps.signals.all
        #expect(signals.count == 9 && Set(signals) == [Signal([.red]), Signal([.amber])])
    }

    /// A regression test: `gatehouse status` reported a waiting service as "the service is not running: start
    /// it".
    @Test func requestsMeanwhileGetTheReason() async throws {
        let answer = Mutex<StatusReport?>(nil)
        let hasClosed = Mutex(false)
        let waiting = waiting { reporter in
            let said = await reporter.report()
            answer.withLock { $0 = said }
            try? await Task.sleep(for: .seconds(60))
            hasClosed.withLock { $0 = true }
        }
        _ = try await waiting.forLedger { () async throws(StoreError) in
            if answer.withLock({ $0 == nil }) { throw .locked(path: "/a", owner: 7) }
        }
        #expect(hasClosed.withLock { $0 }, "the socket is free for the service")
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

    /// A regression test: the migration of an earlier version's ledger took more than a minute, and systemd
    /// ended each start after a minute.
    @Test func systemdIsAskedToWaitForALongStart() async throws {
        let socket = try ManagerSocket()
        var waiting = waiting
        waiting.patience = SystemdTimeoutExtension(socket.manager, every: .milliseconds(5), limit: .seconds(60))
        let heard = try #require(
            try await waiting.forLedger { () async throws(StoreError) in
                Self.work(socket, until: "EXTEND_TIMEOUT_USEC=60000000\n", 3)
            })
        #expect(heard.count >= 3 && heard.allSatisfy { $0.hasSuffix("\nSTATUS=opening the ledger") }, "\(heard)")
        _ = socket.messages()  // messages between the last one that was read and the end
        #expect(Self.work(socket, until: "", 1, within: .milliseconds(50)) == [], "it is over")
    }

    /// A later attempt is subject to the watchdog, which began at the failure of the first one.
    @Test func aLongAttemptThatIsNotTheFirstGivesSignsOfLife() async throws {
        let socket = try ManagerSocket()
        var waiting = waiting
        waiting.patience = SystemdTimeoutExtension(socket.manager, every: .milliseconds(5), limit: .seconds(60))
        let isFirst = Mutex(true)
        let heard = try #require(
            try await waiting.forLedger { () async throws(StoreError) in
                if isFirst.withLock({
                    let was = $0; $0 = false; return was
                }) {
                    throw .absent(path: "/a")
                }
                return Self.work(socket, until: "WATCHDOG=1", 3)
            })
        #expect(heard.count >= 3 && heard.allSatisfy { $0 == "WATCHDOG=1" }, "\(heard)")
    }

    /// The messages stop at the limit, so that systemd ends an endless hang; a quick start sends none.
    @Test func theExtensionsEndAtTheLimit() async throws {
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
    @Test(.timeLimit(.minutes(1))) func itEndsWhenItIsAskedTo() async throws {
        let isAsked = Mutex(false)
        var waiting = waiting { _ in isAsked.withLock { $0 = true } }
        waiting.isAskedToEnd = { isAsked.withLock { $0 } }
        let value = try await waiting.forLedger { () async throws(StoreError) -> Int in throw .absent(path: "/a") }
        #expect(value == nil && isAsked.withLock { $0 })
    }

    @Test func itEndsWithItsTask() async throws {
        let task = Task { [waiting] in
            try await waiting.forLedger { () async throws(StoreError) -> Int in throw .absent(path: "/a") }
        }
        #expect(await becomesTrue { reports.present == [.ledgerUnopened] })
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
