import Clocks
import Courier
import Credentials
import Encoding
import Foundation
import GateService
import HTTPTransport
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Synchronization
import TestKit
import Testing
import TrustFiles

/// The refresher with a scripted server: its requests, the copies that it keeps, and those that stay
/// unchanged.
@Suite struct TrustRefresherTests {
    /// A server that gives prepared answers and records the requests.
    private final class Server: ResourceFetching {
        let answers: Mutex<[Result<ResourceFetcher.Answer, ResourceFetcher.Failure>]>
        let asked = Recorder<String>()

        init(_ answers: [Result<ResourceFetcher.Answer, ResourceFetcher.Failure>]) { self.answers = Mutex(answers) }

        func fetch(
            _ url: WebURL, entityTag: String?, limit: Int
        ) async throws(ResourceFetcher.Failure) -> ResourceFetcher.Answer {
            asked.add("\(url.place)\(url.target) \(entityTag ?? "-") \(limit)")
            let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            return try (answer ?? .failure(.unresolved)).get()
        }

        var questions: [String] { asked.all }
    }

    private let fixture: TrustFixture
    private let reports = Reports()
    private let now = WallTime(utc: Timestamp(seconds: 1_795_000_000), provenance: .given)

    init() throws { fixture = try TrustFixture() }

    private func verifiers(_ policy: VerificationPolicy = .init()) throws -> CurrentVerifier {
        CurrentVerifier(
            Verifier(trust: try fixture.state.read().directory.store, policy: policy), siteKey: .sample(7))
    }

    private func document(_ number: Int, id: Text = TrustFixture.id) -> ResourceFetcher.Answer {
        .content(Array(TrustFixture.document(number, id: id).utf8), entityTag: "\"\(number)\"")
    }

    /// Returns the outcomes of one attempt after another.
    private func attempts(
        _ server: Server, hosts: Set<Text> = [], clock: WallTime? = nil
    ) async throws -> [String] {
        let refresher = TrustRefresher(state: fixture.state, hosts: hosts, fetcher: server)
        let resource = try #require(RefreshResource.document(TrustFixture.id))
        var outcomes: [String] = []
        for _ in 0..<max(1, server.answers.withLock { $0.count }) {
            let outcome = await refresher.refresh(
                resource, by: try verifiers().current, copy: fixture.state.copies().first, at: clock ?? now)
            switch outcome {
            case .changed: outcomes.append("changed")
            case .unchanged: outcomes.append("unchanged")
            case .failed(let failure): outcomes.append("\(failure)")
            }
        }
        return outcomes
    }

    @Test func keepsWhatIsNewAndAsksWithItsTag() async throws {
        let server = Server([.success(document(1)), .success(.unchanged), .success(document(2)), .success(document(2))])
        #expect(try await attempts(server) == ["changed", "unchanged", "changed", "unchanged"])
        #expect(
            server.questions == [
                "issuer.example:443/.well-known/did.json - 262144",
                "issuer.example:443/.well-known/did.json \"1\" 262144",
                "issuer.example:443/.well-known/did.json \"1\" 262144",
                "issuer.example:443/.well-known/did.json \"2\" 262144",
            ])
        #expect(try fixture.state.read().directory.material.documents == [Array(TrustFixture.document(2).utf8)])
        #expect(try fixture.state.read().directory.store.confirmed(TrustFixture.id) == now.utc)
    }

    @Test func theOldCopyStaysAfterAnyFailure() async throws {
        let page = ResourceFetcher.Answer.content(Array("<html>".utf8), entityTag: nil)
        let failures: [ResourceFetcher.Failure] = [
            .privateAddress, .unresolved, .redirected, .status(404), .tooLarge, .timeout, .exchange(.untrusted),
        ]
        let server = Server(
            [.success(document(1)), .success(page), .success(document(9, id: "did:web:other.example"))]
                + failures.map { .failure($0) })
        let outcomes = try await attempts(server)
        #expect(outcomes.first == "changed" && outcomes.count == 10)
        #expect(outcomes.dropFirst().allSatisfy { $0 != "changed" && $0 != "unchanged" })
        #expect(Set(outcomes).count == 10)
        #expect(try fixture.state.read().directory.material.documents == [Array(TrustFixture.document(1).utf8)])
    }

    @Test func onlyListedHostsAreAsked() async throws {
        let server = Server([.success(document(1))])
        #expect(try await attempts(server, hosts: ["other.example:443"]) == ["the host is not listed in trust.hosts"])
        #expect(try await attempts(server, hosts: ["issuer.example:8443"]) == ["the host is not listed in trust.hosts"])
        #expect(server.questions.isEmpty)
        #expect(try await attempts(server, hosts: ["issuer.example:443"]) == ["changed"])
        // A status list at another host is not fetched merely because an entry names it.
        try fixture.write(
            "directory/issuers.toml", TrustFixture.issuers("status-lists = [\"https://elsewhere.example/1\"]"))
        let refresher = TrustRefresher(state: fixture.state, hosts: [], fetcher: server)
        let list = try #require(RefreshResource.statusList("https://elsewhere.example/1"))
        let outcome = await refresher.refresh(list, by: try verifiers().current, copy: nil, at: now)
        guard case .failed(.hostNotListed) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.questions.count == 1)
    }

    @Test func withoutADateNothingIsFetched() async throws {
        let server = Server([.success(document(1))])
        let clock = WallTime(utc: now.utc, provenance: .unset)
        #expect(try await attempts(server, clock: clock) == ["the date is not trusted"])
        #expect(server.questions.isEmpty)
    }

    /// A gate that was off from the evening to the morning: a document that it fetches in the morning is
    /// confirmed in the morning.
    @Test func documentsFetchedAfterAPowerOffHaveTheNewDate() async throws {
        var clock = now
        clock.lastConfirmed = now.utc.advanced(by: .seconds(-14 * 3600))
        #expect(try await attempts(Server([.success(document(1))]), clock: clock) == ["changed"])
        #expect(try fixture.state.read().directory.store.confirmed(TrustFixture.id) == now.utc)
        #expect(try await attempts(Server([.success(.unchanged)]), clock: clock) == ["unchanged"])
        #expect(try fixture.state.read().directory.store.confirmed(TrustFixture.id) == now.utc)
        // After a change of the clock, the copy may be as old as the earlier date says.
        clock.alternative = now.utc.advanced(by: .seconds(-3600))
        #expect(try await attempts(Server([.success(.unchanged)]), clock: clock) == ["unchanged"])
        #expect(try fixture.state.read().directory.store.confirmed(TrustFixture.id) == clock.alternative)
    }

    @Test func anAnswerToAQuestionThatWasNotAskedIsNone() async throws {
        #expect(try await attempts(Server([.success(.unchanged)])) == ["the server answers 304"])
    }

    // MARK: - The service

    private func service(
        _ server: Server, _ verifiers: CurrentVerifier, refreshes: Bool = true, beginning: TrustReading? = nil,
        policy: (@Sendable (GatePolicy?) -> VerificationPolicy)? = nil
    ) throws -> TrustService {
        var settings = TrustService.Options()
        if refreshes { settings.plan = RefreshPlan.Settings() }
        return TrustService(
            settings: settings, state: fixture.state, beginning: beginning,
            refresher: TrustRefresher(state: fixture.state, hosts: [], fetcher: server), verifiers: verifiers,
            policy: policy, clock: .system, wallTime: { [now] in now }, log: try quietLog(in: fixture),
            report: reports.report)
    }

    /// A moment at which everything of a new plan is due.
    private var later: Instant { SystemClock.now().advanced(by: .seconds(3600)) }

    @Test func aBundleComesIntoForceWhileTheServiceRuns() async throws {
        let verifiers = try verifiers()
        let service = try service(Server([]), verifiers, refreshes: false)
        try fixture.state.install(fixture.bundle(7))
        await service.turn(at: .zero)
        #expect(verifiers.current.trust.version.hasPrefix("sha256:"))  // a person may be copying files at that moment
        await service.turn(at: .zero)
        #expect(verifiers.current.trust.version.hasPrefix("bundle 7 "))
    }

    @Test func rulesThatComeWithABundleComeIntoForceWithIt() async throws {
        let verifiers = try verifiers()
        let service = try service(Server([]), verifiers, refreshes: false) { rules in
            rules.map { VerificationPolicy($0, over: VerificationPolicy()) } ?? VerificationPolicy()
        }
        let policy = "id = \"gate\"\nversion = \"7\"\n[[accept]]\nid = \"all\"\n"
        try fixture.state.install(fixture.bundle(7, ["issuers.toml": TrustFixture.issuers(), "policy.toml": policy]))
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.policy.rules?.id == "gate")
        try fixture.state.install(fixture.bundle(8))
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.policy.rules == nil && verifiers.current.trust.version.hasPrefix("bundle 8 "))
    }

    @Test func aMistakeInAFileLeavesTheDataInForce() async throws {
        let verifiers = try verifiers()
        let version = verifiers.current.trust.version
        let service = try service(Server([]), verifiers, refreshes: false)
        try fixture.write("directory/issuers.toml", "[[issuer]\n")
        for _ in 0..<3 { await service.turn(at: .zero) }
        #expect(verifiers.current.trust.version == version)
        #expect(reports.present.contains(.trustUnusable) && reports.details(.trustUnusable).count == 1)
        #expect(reports.details(.trustUnusable).first?.contains("issuers.toml:1: ") == true)
        try fixture.write("directory/issuers.toml", TrustFixture.issuers("groups = [\"mended\"]"))
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.trust.members(ofGroup: "mended") != nil)
        #expect(reports.present == [.trustBundle], "one is still to be imported")
    }

    /// After a start with nothing, no issuer is trusted, and files that are added are used.
    @Test func filesMissingAtTheStartAreUsedWhenTheyAppear() async throws {
        try fixture.write("directory/issuers.toml", "[[issuer]\n")
        let beginning = try fixture.state(keys: []).begin(reports.report)
        let verifiers = CurrentVerifier(
            Verifier(trust: beginning.directory.store, policy: VerificationPolicy()), siteKey: .sample(7))
        let service = try service(Server([]), verifiers, refreshes: false, beginning: beginning)
        #expect(verifiers.current.trust.listedIssuers.isEmpty && reports.present == [.trustUnusable])
        await service.turn(at: .zero)
        #expect(verifiers.current.trust.listedIssuers.isEmpty)
        try fixture.write("directory/issuers.toml", TrustFixture.issuers())
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(
            verifiers.current.trust.listedIssuers.map(\.id) == [TrustFixture.id]
                && !reports.present.contains(.trustUnusable))
    }

    /// The fault may not show in names, sizes and times of the files: permissions, a disk that fails.
    @Test func unchangedFilesThatCouldNotBeUsedAreTriedAgain() async throws {
        try fixture.write("directory/issuers.toml", "profile = 7777777\n")
        let file = fixture.path + "/directory/issuers.toml"
        let (date, good) = (Date(timeIntervalSince1970: 1_790_000_000), TrustFixture.issuers())
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        let beginning = try fixture.state.begin(reports.report)
        let verifiers = CurrentVerifier(
            Verifier(trust: beginning.directory.store, policy: VerificationPolicy()), siteKey: .sample(7))
        // The valid content has the same size, and the file keeps its inode.
        let handle = try #require(FileHandle(forWritingAtPath: file))
        handle.write(Data(good.utf8))
        try handle.truncate(atOffset: UInt64(good.utf8.count))
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        let service = try service(Server([]), verifiers, refreshes: false, beginning: beginning)
        await service.turn(at: SystemClock.now())
        #expect(verifiers.current.trust.listedIssuers.count == 1)
    }

    @Test func aBundleThatIsSpoiltOrDeletedUnderTheServiceLeavesItInForce() async throws {
        try fixture.state.install(fixture.bundle(3))
        let beginning = try fixture.state.begin(reports.report)
        let verifiers = CurrentVerifier(
            Verifier(trust: beginning.directory.store, policy: VerificationPolicy()), siteKey: .sample(7))
        let service = try service(Server([]), verifiers, refreshes: false, beginning: beginning)
        #expect(FileManager.default.fileExists(atPath: fixture.state.lastGoodPath), "kept at the start")
        try fixture.write("state/bundle", "spoilt")
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.trust.version.hasPrefix("bundle 3 ") && reports.present == [.trustBundle])
        try FileManager.default.removeItem(atPath: fixture.state.bundlePath)
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.trust.version.hasPrefix("bundle 3 ") && reports.present == [.trustBundle])
        // The next start finds the same, and the next import ends the fault.
        #expect(try fixture.state.read().directory.store.version.hasPrefix("bundle 3 "))
        try fixture.state.install(fixture.bundle(4))
        for _ in 0..<2 { await service.turn(at: .zero) }
        #expect(verifiers.current.trust.version.hasPrefix("bundle 4 ") && reports.present.isEmpty)
        try FileManager.default.removeItem(atPath: fixture.state.bundlePath)
        #expect(try fixture.state.read().directory.store.version.hasPrefix("bundle 4 "), "kept when it came into force")
    }

    @Test func fetchedCopiesComeIntoForceAndNoneIsRequestedTwice() async throws {
        let verifiers = try verifiers()
        let server = Server([.success(document(1))])
        let service = try service(server, verifiers)
        try fixture.write("directory/issuers.toml", TrustFixture.issuers("groups = [\"a\"]"))
        for _ in 0..<2 { await service.turn(at: .zero) }  // takes the file over and makes a plan for it
        await service.turn(at: later)
        #expect(verifiers.current.trust.keys(of: TrustFixture.id)?.isEmpty == true)
        #expect(server.questions.count == 1)
        await service.turn(at: SystemClock.now().advanced(by: .seconds(600)))
        #expect(server.questions.count == 1)
    }

    @Test func nothingAtTheGateMakesARequest() async throws {
        let verifiers = try verifiers()
        let server = Server([])
        let service = try service(server, verifiers)
        try fixture.write("directory/issuers.toml", TrustFixture.issuers("groups = [\"a\"]"))
        for _ in 0..<2 { await service.turn(at: .zero) }
        let stranger =
            "{\"issuer\": \"did:web:stranger.example\", \"credentialStatus\": \"https://tracker.example/me\"}"
        for _ in 0..<10 { _ = verifiers.verify(Array(stranger.utf8), of: VisitID("a"), at: now, monotonic: .zero) }
        await service.turn(at: .zero)
        #expect(server.questions.isEmpty)
        await service.turn(at: later)
        #expect(server.questions == ["issuer.example:443/.well-known/did.json - 262144"])
    }

    @Test func aVisitUnderWayKeepsWhatItBeganWith() async throws {
        let verifiers = try verifiers()
        let service = try service(Server([]), verifiers, refreshes: false)
        let old = verifiers.current.trust.version
        let during = Mutex<String?>(nil)
        // A slow verification, and a change of trust during it.
        let verifier = verifiers.current
        try fixture.state.install(fixture.bundle(8))
        for _ in 0..<2 { await service.turn(at: .zero) }
        let verdict = verifier.verify(Array("{}".utf8), at: now) { _ in
            during.withLock { $0 = verifiers.current.trust.version }
        }
        #expect(verdict.trust == old)
        #expect(during.withLock { $0 }?.hasPrefix("bundle 8 ") == true)
        #expect(
            verifiers.verify(Array("{}".utf8), of: VisitID("a"), at: now, monotonic: .zero).trust.hasPrefix("bundle 8 ")
        )
    }
}
