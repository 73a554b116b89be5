import Aries
import Encoding
import Kiosk
import Mailboxes
import Reasons
import Testing

@testable import Courier

/// The actions that result from the notices of connections, mailboxes and destinations.
@Suite struct NoticeCoreTests {
    private static let date = Timestamp(seconds: 1_767_225_600)

    /// The actions, without the lines of the log, as short texts.
    private func names(_ actions: [NoticeCore.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .log: nil
            case .report(let report): "\(report.isPresent ? "fault" : "over") \(report.code.text)"
            case .tellOthers(let code, _, let name): "tell \(code.text) of \(name)"
            case .wake: "wake"
            case .retry(let name, _): "retry all but \(name)"
            case .delete(let ids, let name): "delete \(ids.count) of \(name)"
            case .dropMailbox: "drop"
            case .finishDeletion(let id): "forget \(id)"
            case .contradict: "contradict"
            }
        }
    }

    private func link(_ notice: AgentNotice, _ name: Text = "primary") -> NoticeCore.Event {
        .link(notice, of: name, date: Self.date)
    }

    /// A fault is reported while it lasts, and the other destinations are notified of it at most once in ten minutes.
    @Test func aFaultIsReportedOnceToEachDestination() {
        var core = NoticeCore()
        var now = Instant.zero
        let failure = link(.unreachable(.unreachable))
        let first = names(core.handle(failure, at: now))
        #expect(first == ["fault fault.agent-unreachable", "tell fault.agent-unreachable of primary"])
        let again = names(core.handle(failure, at: now))
        let back = names(core.handle(link(.reachable), at: now))
        #expect(again.isEmpty && back == ["over fault.agent-unreachable", "retry all but primary"])
        let second = names(core.handle(failure, at: now))
        #expect(second == ["fault fault.agent-unreachable"])
        _ = core.handle(link(.reachable), at: now)
        now = now.advanced(by: NoticeCore.pause)
        let late = names(core.handle(failure, at: now))
        #expect(late.last == "tell fault.agent-unreachable of primary")
    }

    /// Two servers that fail and succeed by turns do not make the gate retry without end.
    @Test func theOthersAreNotRetriedWithoutEnd() {
        var core = NoticeCore()
        var (now, retries) = (Instant.zero, 0)
        for round in 0..<600 {
            let name: Text = round % 2 == 0 ? "primary" : "copy"
            for notice in [AgentNotice.unreachable(.unreachable), .reachable] {
                let actions = core.handle(link(notice, name), at: now)
                retries += actions.count { if case .retry = $0 { true } else { false } }
            }
            now = now.advanced(by: .milliseconds(100))
        }
        #expect(retries == 7, "one at once, and one every ten seconds")
    }

    /// A retry that follows another one too soon is delayed, once for all destinations.
    @Test func aRetryIsDelayedAndNotLost() {
        var core = NoticeCore()
        var times: [Instant] = []
        for (name, second) in [("primary", 0), ("copy", 3), ("primary", 4), ("copy", 30)] as [(Text, Int)] {
            let now = Instant.zero.advanced(by: .seconds(second))
            for action in core.handle(link(.reachable, name), at: now) {
                guard case .retry(let spared, let time) = action else { continue }
                #expect(spared == name)
                times.append(time)
            }
        }
        #expect(times == [0, 10, 30].map { Instant.zero.advanced(by: .seconds($0)) })
    }

    /// A server that accepts pings and refuses records is not retried by its own pings.
    @Test func noDestinationCausesItsOwnRetry() {
        var core = NoticeCore()
        var retries: [Text] = []
        for second in 0..<600 {
            for notice in [AgentNotice.reachable, .unreachable(.unreachable)] {
                for action in core.handle(link(notice, "copy"), at: Instant.zero.advanced(by: .seconds(second))) {
                    if case .retry(let spared, _) = action { retries.append(spared) }
                }
            }
        }
        #expect(retries.count == 61 && retries.allSatisfy { $0 == "copy" })
    }

    /// A fault of two destinations ends with the second one.
    @Test func aFaultOfTwoDestinationsEndsWithTheSecond() {
        var core = NoticeCore()
        for name in ["primary", "copy"] as [Text] { _ = core.handle(link(.silent, name), at: .zero) }
        let first = names(core.handle(link(.heard), at: .zero))
        let second = names(core.handle(link(.heard, "copy"), at: .zero))
        #expect(first == ["fault fault.agent-silent"] && second == ["over fault.agent-silent"])
    }

    @Test func theServiceIsGivenItsWork() {
        var core = NoticeCore()
        let point = ReportPoint(ledger: "l", position: 7, hash: [])
        let found = [
            link(.tookOver(position: 0)), link(.replaced(["a", "b"])), link(.mailboxDenied(.denied)),
            .mailbox(.replaced("c")), link(.behind(point)),
        ].map { names(core.handle($0, at: .zero)) }
        #expect(Array(found.prefix(4)) == [["wake"], ["delete 2 of primary"], ["drop"], ["forget c"]])
        #expect(found.last?.last == "contradict")
    }

    @Test func aReceiptHasItsDate() {
        var core = NoticeCore()
        _ = core.handle(link(.confirmed(position: 3)), at: .zero)
        let receipts = core.receipts
        #expect(receipts == ["primary": Self.date])
    }

    /// The part that could not use the courier's database, its failure and its recovery.
    private static let parts: [(failure: NoticeCore.Event, end: NoticeCore.Event)] = [
        (.link(.storeFailed("broken"), of: "primary", date: date), .link(.stored, of: "primary", date: date)),
        (.link(.storeFailed("broken"), of: "primary", date: date), .link(.retired, of: "primary", date: date)),
        (
            .link(.storeFailed("broken"), of: "primary", date: date),
            .removed("primary", isEmpty: false, isConnected: false)
        ),
        (.destination(.storeFailed("broken"), of: "primary"), .destination(.stored, of: "primary")),
        (.mailbox(.storeFailed("broken")), .mailbox(.stored)),
        (.step(.opening, failure: "broken"), .step(.opening, failure: nil)),
        (.step(.preparation, failure: "broken"), .step(.preparation, failure: nil)),
        (.step(.deletion, failure: "broken"), .step(.deletion, failure: nil)),
    ]

    /// A file that fails after its opening is a fault, which ends with the next success of the same part.
    @Test(arguments: parts.indices) func aFailureOfTheDatabaseIsAFault(part: Int) {
        var core = NoticeCore()
        let (failure, end) = Self.parts[part]
        let first = names(core.handle(failure, at: .zero))
        let again = names(core.handle(failure, at: .zero))
        let over = names(core.handle(end, at: .zero))
        #expect(first == ["fault fault.agent-unreadable"] && again.isEmpty, "\(first) \(again)")
        #expect(over == ["over fault.agent-unreadable"], "\(over)")
    }

    /// The success of one part does not end the fault of another, and a connection does not end it either.
    @Test func eachPartEndsItsOwnFault() {
        var core = NoticeCore()
        for notice in [AgentNotice.storeFailed("links"), .connected(did: "d"), .tookOver(position: 0)] {
            _ = core.handle(link(notice), at: .zero)
        }
        _ = core.handle(.destination(.storeFailed("destination"), of: "primary"), at: .zero)
        let first = names(core.handle(.destination(.stored, of: "primary"), at: .zero))
        let faults = core.faults.of("primary")
        let second = names(core.handle(link(.stored), at: .zero))
        #expect(first == ["fault fault.agent-unreadable"] && faults == [.agentUnreadable])
        #expect(second == ["over fault.agent-unreadable"] && core.faults.of("primary").isEmpty)
    }

    /// While the database is not open, every destination has the fault. Unusable keys stay a fault after the opening.
    @Test func theOpeningConcernsEveryDestination() {
        var core = NoticeCore()
        _ = core.handle(.step(.opening, failure: "a.db.courier does not answer"), at: .zero)
        for name in ["primary", "copy"] as [Text] {
            let faults = core.faults.of(name)
            #expect(faults == [.agentUnreadable])
        }
        _ = core.handle(.keys("2 stored under another key"), at: .zero)
        let opened = core.handle(.step(.opening, failure: nil), at: .zero)
        let details = opened.compactMap { if case .report(let report) = $0 { report.detail } else { nil } }
        #expect(names(opened) == ["fault fault.agent-unreadable"] && details == ["2 stored under another key"])
        let faults = core.faults.of("primary")
        #expect(faults.isEmpty)
    }

    /// A lost connection is a fault until a new connection is made. It stays a fault when an older connection takes
    /// over, because the operator may have deleted the older connection.
    @Test func aLossEndsWithANewConnection() {
        var core = NoticeCore()
        let lost = names(core.handle(.destination(.lost("the file is absent"), of: "primary"), at: .zero))
        let opened = names(core.handle(.step(.opening, failure: nil), at: .zero))
        let unconnected = names(core.handle(.destination(.unconnected, of: "primary"), at: .zero))
        let older = names(core.handle(link(.tookOver(position: 0)), at: .zero))
        let removed = names(core.handle(.removed("primary", isEmpty: true, isConnected: false), at: .zero))
        let faults = core.faults.of("primary")
        let new = names(core.handle(link(.connected(did: "did:peer:new")), at: .zero))
        #expect(lost.first == "fault fault.agent-unreadable" && opened.isEmpty && unconnected.isEmpty)
        #expect(!older.contains("over fault.agent-unreadable") && removed.isEmpty && faults == [.agentUnreadable])
        #expect(new == ["over fault.agent-unreadable"])
    }

    /// Deleting the last connection clears the faults that depend on it.
    @Test func aDestinationWithoutConnectionsHasNoFaults() {
        var core = NoticeCore()
        for notice in [AgentNotice.silent, .ended] { _ = core.handle(link(notice), at: .zero) }
        _ = core.handle(.removed("primary", isEmpty: false, isConnected: true), at: .zero)
        let served = core.faults.of("primary")
        _ = core.handle(.removed("primary", isEmpty: true, isConnected: false), at: .zero)
        let empty = core.faults.of("primary")
        #expect(served == [.agentSilent] && empty.isEmpty)
    }
}
