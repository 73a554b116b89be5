import Encoding
import Testing

@testable import Tuvali

/// The time limit of every state of a session, and the actions at the limit.
@Suite struct TimeLimitTests {
    /// The reaction of a session to a phone that falls silent in a state: the time until the session begins to end, and
    /// the actions at that time.
    struct Row: CustomTestStringConvertible, Sendable {
        let stage: TestVisit.Stage
        let limit: Duration
        let actions: [SessionAction]
        let outcome: SessionOutcome
        var testDescription: String { "\(stage)" }
    }

    static let rows: [Row] = [
        Row(
            stage: .advertising, limit: .seconds(300), actions: [.stopAdvertising, .ended(.abandoned(.keyExpired))],
            outcome: .abandoned(.keyExpired)),
        Row(stage: .connected, limit: .seconds(10), actions: [.dropLink], outcome: .abandoned(.notIdentified)),
        Row(
            stage: .keyed, limit: .seconds(120), actions: [.dropLink],
            outcome: .abandoned(.nothingSent)),
        Row(
            stage: .receiving, limit: .seconds(30), actions: [.failed(.silence), .dropLink],
            outcome: .failed(.silence)),
        Row(
            stage: .reportAsked, limit: .seconds(30),
            actions: [.failed(.silence), .dropLink],
            outcome: .failed(.silence)),
        // The silence begins at the wallet's last write, 5 ms before the report.
        Row(
            stage: .reportSent, limit: .milliseconds(29_995),
            actions: [.failed(.silence), .dropLink],
            outcome: .failed(.silence)),
        Row(
            stage: .assembled, limit: .seconds(30), actions: [.failed(.silence), .dropLink],
            outcome: .failed(.silence)),
        Row(
            stage: .delivered, limit: .seconds(15),
            actions: [.failed(.noVerdict), .dropLink],
            outcome: .failed(.noVerdict)),
        Row(
            stage: .successSent, limit: .milliseconds(14_995),
            actions: [.failed(.noVerdict), .dropLink], outcome: .failed(.noVerdict)),
        Row(stage: .told, limit: .seconds(30), actions: [.dropLink], outcome: .delivered(status: true)),
    ]

    @Test func theTableNamesEveryState() {
        #expect(Self.rows.map(\.stage) == TestVisit.Stage.allCases)
    }

    @Test(arguments: rows) func silenceEnds(row: Row) throws {
        var driver = try TestVisit(at: row.stage).driver
        let begun = driver.log.count
        driver.advance(row.limit - .nanoseconds(1))
        let early = driver.log.dropFirst(begun).map(\.action)
        #expect(early.allSatisfy { if case .notify = $0 { true } else { false } })
        let before = driver.log.count
        driver.advance(.nanoseconds(1))
        #expect(driver.log.dropFirst(before).map(\.action) == row.actions)
        guard row.stage != .advertising else { return }

        // The link is dropped at once; the session ends when the host reports the end of the link.
        #expect(driver.actions.last == .dropLink)
        var confirmed = driver
        #expect(confirmed.give(.linkLost) == [.ended(row.outcome)])
        #expect(confirmed.session.deadline == nil)
        // The session also ends if the host does not report the end of the link.
        driver.advance(.seconds(3) - .nanoseconds(1))
        #expect(driver.outcomes == [])
        driver.advance(.nanoseconds(1))
        #expect(driver.outcomes == [row.outcome])
        #expect(driver.session.deadline == nil)
    }

    @Test(arguments: TestVisit.Stage.allCases) func aTimerThatComesHoursLateEndsTheSessionToo(stage: TestVisit.Stage)
        throws
    {
        var session = try TestVisit(at: stage).driver.session
        var actions: [SessionAction] = []
        for hour in 1...20 {
            actions += session.handle(.timer, at: Instant(nanoseconds: 0).advanced(by: .seconds(3600 * hour)))
        }
        #expect(session.deadline == nil)
        #expect(actions.filter { if case .ended = $0 { true } else { false } }.count == 1)
    }

    @Test(arguments: TestVisit.Stage.allCases) func aTimerThatComesEarlyDoesNothing(stage: TestVisit.Stage) throws {
        var driver = try TestVisit(at: stage).driver
        let deadline = driver.session.deadline
        #expect(driver.give(.timer) == [])
        #expect(driver.session.deadline == deadline)
    }

    @Test func reportFollowsItsRequest() throws {
        var visit = try TestVisit(at: .reportAsked)
        let asked = visit.driver.now
        visit.driver.advance(.seconds(1))
        #expect(visit.driver.times(.transferReportResponse) == [asked.advanced(by: .milliseconds(5))])
    }

    @Test func twoRequestsWithinTheHoldBackGetOneReport() throws {
        var visit = try TestVisit(at: .reportAsked)
        visit.driver.advance(.milliseconds(3))
        let asked = visit.driver.now
        visit.driver.give(.write(.transferReportRequest, [1]))
        visit.driver.advance(.seconds(1))
        #expect(visit.driver.times(.transferReportResponse) == [asked.advanced(by: .milliseconds(5))])
    }

    /// The verdict immediately follows SUCCESS and is repeated for wallets that were not listening yet.
    @Test func verdictFollowsTheReportAndIsRepeated() throws {
        var visit = try TestVisit(at: .delivered)
        let asked = visit.driver.now
        visit.driver.give(.verdict(accepted: false))
        visit.driver.advance(.seconds(40))
        let report = asked.advanced(by: .milliseconds(5))
        #expect(visit.driver.times(.transferReportResponse).last == report)
        let early = [0, 40, 120, 300].map { report.advanced(by: .milliseconds($0)) }
        let late = (1..<30).map { report.advanced(by: .seconds($0)) }
        #expect(visit.driver.times(.verificationStatus) == early + late)
        #expect(Set(visit.driver.notified(.verificationStatus)) == [[1]])
        #expect(visit.driver.notified(.disconnect) == [])
        #expect(visit.driver.outcomes == [.delivered(status: false)])
    }

    @Test func verdictWithoutPausesIsSentOnce() throws {
        var settings = SessionSettings()
        settings.verdict = Repetition(after: .milliseconds(40))
        var visit = try TestVisit(at: .delivered, settings: settings)
        let asked = visit.driver.now
        visit.driver.give(.verdict(accepted: true))
        visit.driver.advance(.seconds(40))
        #expect(visit.driver.times(.verificationStatus) == [asked.advanced(by: .milliseconds(45))])
        #expect(visit.driver.outcomes == [.delivered(status: true)])
    }

    /// A pause of zero must not cause an endless loop.
    @Test func noPauseIsTooShort() throws {
        var settings = SessionSettings()
        settings.verdict.pauses = [.zero]
        settings.report.pauses = [.seconds(-1)]
        var visit = try TestVisit(at: .reportSent, settings: settings)
        visit.driver.advance(.seconds(1))
        #expect(visit.driver.notified(.transferReportResponse).count == 201)
    }

    @Test func lateVerdictGoesOutAtOnce() throws {
        var visit = try TestVisit(at: .successSent)
        visit.driver.advance(.seconds(5))
        #expect(visit.driver.give(.verdict(accepted: true)) == [.notify(.verificationStatus, [0])])
        #expect(visit.driver.give(.verdict(accepted: false)) == [])
        visit.driver.advance(.milliseconds(40))
        #expect(visit.driver.notified(.verificationStatus) == [[0], [0]])
        #expect(visit.driver.give(.linkLost) == [.ended(.delivered(status: true))])
    }

    @Test func aLateTimerStillSendsTheVerdictAfterTheReport() throws {
        var visit = try TestVisit(at: .delivered)
        visit.driver.give(.verdict(accepted: true))
        var session = visit.driver.session
        let late = visit.driver.now.advanced(by: .milliseconds(900))
        #expect(
            session.handle(.timer, at: late)
                == [.notify(.transferReportResponse, [1, 0, 0]), .notify(.verificationStatus, [0])])
        #expect(session.deadline == late.advanced(by: .milliseconds(40)))
    }

    /// The wallet repeats its request within the hold-back of the last report or after it.
    @Test(arguments: [3, 60, 150]) func walletThatKeepsAskingGetsItsVerdictAllTheSame(milliseconds: Int) throws {
        var visit = try TestVisit(at: .delivered)
        visit.driver.give(.verdict(accepted: true))
        for _ in 0..<32_000 / milliseconds {
            visit.driver.give(.write(.transferReportRequest, [1]))
            visit.driver.advance(.milliseconds(milliseconds))
        }
        #expect(visit.driver.notified(.verificationStatus).count == 33)
        #expect(visit.driver.actions.last == .dropLink)
    }

    @Test func startingOverCancelsTheReportThatWasAskedFor() throws {
        var visit = try TestVisit(at: .reportAsked)
        visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
        visit.driver.advance(.seconds(20))
        #expect(visit.driver.notified(.transferReportResponse) == [])
    }

    /// The report is repeated as long as the session waits, so that a phone that begins to listen late still receives
    /// it.
    @Test func unansweredReportIsRepeatedToTheEnd() throws {
        var visit = try TestVisit(at: .reportSent)
        let sent = visit.driver.now
        visit.driver.advance(.seconds(60))
        let wanted = [0, 2, 4, 9, 19, 29].map { sent.advanced(by: .seconds($0)) }
        #expect(visit.driver.times(.transferReportResponse) == wanted)
        #expect(Set(visit.driver.notified(.transferReportResponse)) == [[0, 0, 1, 0, 1]])
        #expect(visit.driver.errors == [.silence])
    }

    @Test func noReportIsRepeatedWhileChunksCome() throws {
        var visit = try TestVisit(at: .reportSent)
        visit.driver.advance(.milliseconds(1900))
        visit.driver.give(.write(.submitResponse, visit.chunks[1]))
        visit.driver.advance(.seconds(20))
        #expect(visit.driver.notified(.transferReportResponse).count == 1)
    }

    @Test func busyWalletCannotHoldTheGateForEver() throws {
        var visit = try TestVisit(at: .receiving)
        for _ in 0..<59 {
            visit.driver.advance(.seconds(10))
            visit.driver.give(.write(.responseSize, TestWallet.size(visit.sealed)))
            visit.driver.give(.write(.submitResponse, visit.chunks[1]))
        }
        #expect(visit.driver.errors == [])
        visit.driver.advance(.seconds(10))
        #expect(visit.driver.errors == [.transferTooLong])
    }

    @Test func idleWritesDoNotProlongTheChoice() throws {
        var visit = try TestVisit(at: .keyed)
        for _ in 0..<12 {
            visit.driver.advance(.seconds(10) - .nanoseconds(1))
            visit.driver.give(.write(.submitResponse, visit.chunks[0]))
            visit.driver.give(.write(.identify, visit.wallet.identify))
        }
        #expect(visit.driver.outcomes == [])
        visit.driver.advance(.seconds(1))
        #expect(visit.driver.actions.last == .dropLink)
    }
}
