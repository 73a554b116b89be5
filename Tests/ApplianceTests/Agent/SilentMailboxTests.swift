import Aries
import Clocks
import Credentials
import DIDComm
import Encoding
import Foundation
import HTTPTransport
import Mailboxes
import Reasons
import Store
import Synchronization
import TestKit
import Testing

@testable import Courier

/// A mailbox over real sockets whose mediator becomes silent: the gate raises a fault, long before the
/// transport times out, and clears it when the mediator answers again.
@Suite(.timeLimit(.minutes(10)), .tags(.realTime)) struct SilentMailboxTests {
    /// A connection that needs an address at the mailbox, and ignores everything that it receives.
    private final class Receiver: MailReceiver {
        let id: Text = "connection"
        func take(_ address: MailboxAddress, for key: Verkey) async {}
        func refuse(_ key: Verkey) async {}
        func take(_ message: MailboxMessage) async {}
    }

    /// Each kind of silence with a mediator of its own, all at the same time, because nearly all of the time
    /// is waiting.
    @Test func silenceIsAFaultUntilAnAnswer() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for silence in AgentSilence.allCases {
                for hasPickup in [false, true] {
                    group.addTask { try await silenceIsAFaultUntilAnAnswer(hasPickup, silence) }
                }
            }
            try await group.waitForAll()
        }
    }

    private func silenceIsAFaultUntilAnAnswer(_ hasPickup: Bool, _ silence: AgentSilence) async throws {
        let server = try SocketAgent(hasPickup: hasPickup)
        let faults = FaultBook()
        var settings = HTTPExchange.Settings()
        (settings.allowsPlainHTTP, settings.timeLimit) = (true, .seconds(100))
        try await HTTPExchange.withExchange(settings) { exchange in
            var limits = AgentConnection.Limits()
            (limits.firstRetry, limits.longestRetry) = (.milliseconds(10), .milliseconds(100))
            var mediator = Mediator.Configuration(
                connection: .init(label: "kiosk", limits: limits), allowsPlainHTTP: true)
            (mediator.limits.idle, mediator.limits.answer) = (.milliseconds(200), .milliseconds(300))
            (mediator.limits.life, mediator.limits.silence) = (.milliseconds(300), .milliseconds(500))
            let memory = Memory()
            let invitation = server.invitation
            let mail = MailboxManager(
                .invitation("file"),
                MailboxManager.Dependencies(
                    exchange: exchange, store: memory, settings: mediator,
                    invitation: { _ in try Invitation(invitation) }, refused: memory, clock: .system,
                    notice: { faults.take($0) }, pause: .milliseconds(20)))
            let running = Task { await mail.run() }
            let key = try #require(KeyPair(seed: Secret((0..<32).map { _ in UInt8.random(in: 0...255) })))
            await mail.open(Receiver(), key: key)
            func wait(_ what: String, until isDone: @Sendable () async -> Bool) async throws {
                let until = ContinuousClock.now + .seconds(60)
                while await !isDone() {
                    guard ContinuousClock.now < until else { throw Late(what: what) }
                    try await Task.sleep(for: .milliseconds(5))
                }
            }
            var isFaulty: Bool { faults.isFaulty }
            /// Lets time pass without a stall of the machine, which would count as silence, too.
            func pass(_ time: Duration) async throws {
                let last = ContinuousClock.now + .seconds(60)
                var began = ContinuousClock.now
                while began.duration(to: .now) < time {
                    let step = ContinuousClock.now
                    try await Task.sleep(for: .milliseconds(20))
                    guard step.duration(to: .now) > .milliseconds(120), step < last else { continue }
                    try await wait("heard again after a stop") { !isFaulty }
                    began = .now
                }
            }
            try await wait("registered") { memory.kept.first.map { Self.isRegistered($0.snapshot) } ?? false }
            for _ in 0..<2 {
                try await pass(.milliseconds(1500))
                #expect(!isFaulty, "nothing is waited for: \(silence), pickup \(hasPickup)")
                let began = ContinuousClock.now
                server.fallSilent(silence)
                try await wait("told of \(silence)") { isFaulty }
                print(
                    "mailbox: \(silence) (pickup: \(hasPickup)) told after \(ContinuousClock.now - began) over a socket"
                )
                server.fallSilent(nil)
                try await wait("heard again after \(silence)") { !isFaulty }
            }
            running.cancel()
            await running.value
        }
    }

    /// The faults of the mailbox, from its notices.
    private final class FaultBook: Sendable {
        private let faults = Mutex(AgentFaults())
        func take(_ notice: MailboxNotice) { faults.withLock { _ = $0.take(notice) } }
        var isFaulty: Bool { faults.withLock { $0.of(MailboxManagerCore.destination).contains(.agentMailbox) } }
    }

    private struct Late: Error { let what: String }

    private static func isRegistered(_ snapshot: [UInt8]) -> Bool {
        (try? JSON.parse(snapshot))?["address"] != nil
    }
}
