import Clocks
import Credentials
import Encoding
import Foundation
import GateService
import Kiosk
import Ledger
import LinuxIO
import Reasons
import Settings
import Synchronization
import TestKit
import Testing
import TrustFiles
import Workbench

/// Credentials that were accepted a moment ago, and trust and rules that change during visits.
@Suite("The verifier in force")
struct CurrentVerifierTests {
    private let trust: TrustStore
    private let payload: [UInt8]
    private let date: WallTime

    init() throws {
        trust = try TrustStore(Samples.trust)
        payload = Samples.credential
        date = WallTime(utc: try #require(Timestamp(rfc3339: "2026-06-01T09:00:00Z")), provenance: .given)
    }

    private func at(_ seconds: Int64) -> Instant { Instant(nanoseconds: seconds * 1_000_000_000) }

    private func rules(_ text: String) throws -> VerificationPolicy {
        VerificationPolicy(try GatePolicy.parse(Array(("id = \"p\"\nversion = \"1\"\n" + text).utf8)))
    }

    @Test("a credential that opened the gate is known again until the window is over, in any spelling")
    func window() throws {
        let gate = Gate(Verifier(trust: trust))
        #expect(gate.visit(payload, date, at(0)).isAccepted)
        #expect(gate.visit(payload, date, at(30)).code == .replaySeen)
        let spaced = Array(" ".utf8) + payload + Array("\n".utf8)
        #expect(gate.visit(spaced, date, at(30)).code == .replaySeen)
        #expect(gate.visit(payload, date, at(31)).isAccepted, "a refusal does not lengthen the window")
        #expect(gate.visit(payload, date, at(32)).code == .replaySeen)
    }

    @Test("a visit that is accepted and then fails locks no owner out; meanwhile a second phone opens nothing")
    func reserved() throws {
        let gate = Gate(Verifier(trust: trust))
        let owner = gate.begin(payload, date, at(0))
        #expect(owner.verdict.isAccepted)
        #expect(gate.visit(payload, date, at(1)).code == .replaySeen, "while the owner is on the way")
        gate.verifiers.settle(owner.visit, .released, at: at(1))
        #expect(gate.visit(payload, date, at(2)).isAccepted)
        // A visit that ends before its verdict.
        let late = VisitID("late")
        gate.verifiers.settle(late, .released, at: at(40))
        #expect(gate.verifiers.verify(payload, of: late, at: date, monotonic: at(40)).isAccepted)
        #expect(gate.visit(payload, date, at(41)).isAccepted)
    }

    @Test("two phones with one credential: while the pulse of the first is under way the second opens nothing")
    func underWay() throws {
        let gate = Gate(Verifier(trust: trust))
        var disk: [ReplayName] = []
        for (use, opens) in [(CredentialUse.released, true), (.used, false)] {
            let first = gate.begin(payload, date, at(0))
            #expect(first.verdict.isAccepted)
            #expect(disk.isEmpty)
            disk += gate.verifiers.settle(first.visit, .ordered, at: at(0))
            #expect(disk.count == 1, "a crash from here on leaves it used")
            #expect(gate.visit(payload, date, at(1)).code == .replaySeen, "the result is not known")
            let forgotten = gate.verifiers.settle(first.visit, use, at: at(2))
            disk.removeAll(where: forgotten.contains)
            #expect(disk.count == (opens ? 0 : 1))
            let next = gate.begin(payload, date, at(3))
            #expect(next.verdict.isAccepted == opens)
            gate.verifiers.settle(next.visit, .released, at: at(3))
        }
        #expect(gate.visit(payload, date, at(31)).isAccepted, "the window begins with the order")
    }

    @Test("admitted credentials are known after a restart, by names that only the site key makes")
    func restart() throws {
        var gate = Gate(Verifier(trust: trust))
        let first = gate.begin(payload, date, at(0))
        #expect(first.verdict.isAccepted)
        let names = gate.verifiers.settle(first.visit, .ordered, at: at(0))
        #expect(gate.verifiers.settle(first.visit, .used, at: at(0)).isEmpty)
        #expect(gate.visit(payload, date, at(1)).code == .replaySeen)
        #expect(names.count == 1)
        var memory = ReplayMemory(window: .seconds(30))
        memory.recall(names.map { ($0, date.utc) }, at: date, now: at(0))
        gate = Gate(Verifier(trust: trust), memory: memory)
        #expect(gate.visit(payload, date, at(30)).code == .replaySeen)
        #expect(gate.visit(payload, date, at(31)).isAccepted)
        gate = Gate(Verifier(trust: trust), key: 8, memory: memory)
        #expect(gate.visit(payload, date, at(30)).isAccepted, "under another key the names say nothing")
    }

    @Test("what was refused is not remembered")
    func refusedIsForgotten() throws {
        let gate = Gate(Verifier(trust: trust))
        var unset = date
        unset.provenance = .unset
        #expect(gate.visit(payload, unset, at(0)).code == .clockUntrusted)
        #expect(gate.visit(payload, date, at(1)).isAccepted)
    }

    @Test("new trust data count for the next visit; what was accepted stays known")
    func newTrust() throws {
        let gate = Gate(Verifier(trust: try TrustStore(TrustMaterial())))
        #expect(gate.visit(payload, date, at(0)).code == .issuerUntrusted)
        gate.verifiers.replace(trust: trust)
        let verdict = gate.visit(payload, date, at(0))
        #expect(verdict.isAccepted && verdict.trust == trust.version)
        gate.verifiers.replace(trust: try TrustStore(Samples.trust))
        #expect(gate.visit(payload, date, at(1)).code == .replaySeen)
    }

    @Test("new rules count for the next visit, and so does their window")
    func newRules() throws {
        let gate = Gate(Verifier(trust: trust))
        #expect(gate.visit(payload, date, at(0)).isAccepted)
        gate.verifiers.replace(policy: try rules("replay.window = \"5s\"\n[[accept]]\nid = \"all\""))
        #expect(gate.visit(payload, date, at(5)).code == .replaySeen)
        #expect(gate.visit(payload, date, at(6)).rule == "all")
        gate.verifiers.replace(policy: try rules("[[accept]]\nid = \"none\"\ntypes = \"urn:none\""))
        #expect(gate.visit(payload, date, at(60)).code == .policyNoMatch)
        #expect(gate.verifiers.current.trust.version == trust.version)
    }

    @Test("trust and the rules that came with them change in one step; what was accepted stays known by the new window")
    func newTrustAndRules() throws {
        let gate = Gate(Verifier(trust: try TrustStore(TrustMaterial())))
        gate.verifiers.replace(trust: trust, policy: try rules("replay.window = \"5s\"\n[[accept]]\nid = \"all\""))
        let verdict = gate.visit(payload, date, at(0))
        #expect(verdict.isAccepted && verdict.rule == "all" && verdict.trust == trust.version)
        #expect(gate.visit(payload, date, at(5)).code == .replaySeen)
        #expect(gate.visit(payload, date, at(6)).isAccepted, "the window of the new rules")
        let patient = try rules("replay.window = \"60s\"\n[[accept]]\nid = \"all\"")
        gate.verifiers.replace(trust: try TrustStore(Samples.trust), policy: patient)
        #expect(gate.visit(payload, date, at(30)).code == .replaySeen)
        gate.verifiers.replace(trust: try TrustStore(TrustMaterial()), policy: patient)
        #expect(gate.visit(payload, date, at(200)).code == .issuerUntrusted)
    }

    @Test("of many who present one credential at the same moment exactly one is accepted, while trust and rules change")
    func crowd() async throws {
        let gate = Gate(Verifier(trust: trust))
        let (payload, date, now, trust) = (payload, date, at(0), trust)
        let policy = try rules("[[accept]]\nid = \"all\"")
        let codes = await withTaskGroup(of: ReasonCode.self) { group in
            for number in 0..<32 {
                group.addTask { gate.visit(payload, date, now).code }
                if number.isMultiple(of: 8) { gate.verifiers.replace(trust: trust) }
                if number == 20 { gate.verifiers.replace(policy: policy) }
            }
            return await group.reduce(into: [ReasonCode: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(codes == [.ok: 1, .replaySeen: 31])
    }

    @Test("a flagged return is accepted each time, with a warning")
    func flag() throws {
        let gate = Gate(
            Verifier(trust: trust, policy: try rules("replay.action = \"flag\"\n[[accept]]\nid = \"all\"")))
        #expect(gate.visit(payload, date, at(0)).reasons.map(\.code.text) == ["ok", "policy.all"])
        let again = gate.visit(payload, date, at(1))
        #expect(again.isAccepted && again.reasons.last?.code == .replaySeen)
    }
}

/// Visits, one after another, through a verifier in force: accepted ones open the gate.
private struct Gate: Sendable {
    let verifiers: CurrentVerifier
    private let count: Counter

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)
        func next() -> Int { value.add(1, ordering: .relaxed).newValue }
    }

    init(_ verifier: Verifier, key: UInt8 = 7, memory: ReplayMemory = ReplayMemory(window: .zero)) {
        verifiers = CurrentVerifier(verifier, siteKey: .sample(key), memory: memory)
        count = Counter()
    }

    func begin(_ payload: [UInt8], _ date: WallTime, _ now: Instant) -> (visit: VisitID, verdict: Verdict) {
        let visit = VisitID("visit \(count.next())")
        return (visit, verifiers.verify(payload, of: visit, at: date, monotonic: now))
    }

    func visit(_ payload: [UInt8], _ date: WallTime, _ now: Instant) -> Verdict {
        let (visit, verdict) = begin(payload, date, now)
        if verdict.isAccepted { verifiers.settle(visit, .ordered, at: now) }
        verifiers.settle(visit, verdict.isAccepted ? .used : .released, at: now)
        return verdict
    }
}

extension SiteKey {
    /// A key of one byte, repeated.
    static func sample(_ byte: UInt8) -> SiteKey {
        guard let key = SiteKey([UInt8](repeating: byte, count: byteCount)) else { preconditionFailure() }
        return key
    }
}

@Suite("Policy files")
struct PolicyFileTests {
    private let path = Vectors.repository.appendingPathComponent("deploy/policy.toml").path

    @Test("the example fulfils its own test cases, and has every kind of outcome")
    func example() throws {
        let policy = try PolicyFile.load(path)
        var trial = PolicyCheck(policy, path: path)
        #expect(policy.tests.count >= 20)
        var codes: Set<Text> = []
        for test in policy.tests {
            let result = trial.run(test)
            #expect(result.passed, "\(test.name): \(String(describing: result))")
            codes.formUnion([result.code].compactMap(\.self))
        }
        let rules = policy.accept.map(\.id) + policy.deny.map(\.id)
        let named = Set(policy.tests.compactMap(\.rule))
        #expect(named == Set(rules), "every rule has a test")
        #expect(codes.isSuperset(of: ["ok", "policy.no-match", "policy.expired", "replay.seen", "clock.untrusted"]))
    }

    @Test("every key of a policy is explained in the example")
    func keys() throws {
        let text = String(decoding: try Vectors.bytes(URL(fileURLWithPath: path)), as: UTF8.self)
        for key in [
            "valid-until", "profile", "zone", "skew", "minimum", "max-unsynced", "window", "key", "action", "formats",
            "types",
            "issuers", "contexts", "subjects", "credentials", "direction", "hours", "days", "from", "to", "require",
            "when",
            "status", "purposes", "when-stale", "when-missing", "max-age", "holder", "replay", "claim", "age",
            "issued-within",
            "remaining", "all", "any", "not", "equals", "in", "contains", "contains-any", "contains-all", "starts-with",
            "exists", "at-least", "at-most", "above", "below", "before", "after", "on-or-before", "on-or-after",
        ] {
            #expect(text.contains(key), "\(key)")
        }
    }

    @Test("names of time zones bring their summer time")
    func zones() throws {
        let berlin = try #require(CivilZone.named("Europe/Berlin"))
        for (date, offset) in [
            ("2026-01-01T00:00:00Z", 3600), ("2026-03-29T00:59:59Z", 3600), ("2026-03-29T01:00:00Z", 7200),
            ("2026-10-25T00:59:59Z", 7200), ("2026-10-25T01:00:00Z", 3600), ("2040-07-01T00:00:00Z", 7200),
        ] {
            #expect(berlin.offset(at: try #require(Timestamp(rfc3339: date))) == offset, "\(date)")
        }
        #expect(CivilZone.named("Asia/Kolkata")?.offset(at: Timestamp(seconds: 1_790_000_000)) == 19_800)
        #expect(CivilZone.named("Mars/Olympus") == nil)
    }

    @Test("a file that cannot be used is named with lines and remedies")
    func broken() {
        let error = #expect(throws: PolicyLoadError.self) { try PolicyFile.load("/nowhere/policy.toml") }
        #expect(error?.description.hasPrefix("/nowhere/policy.toml: does not exist. ") == true)
    }
}

@Suite("A policy that changes")
struct PolicyServiceTests {
    @Test("a changed file is taken over once it is at rest; one with a mistake leaves the old rules in force")
    func change() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("policy.toml")
        func write(_ version: String, _ more: String = "") throws {
            try Data("id = \"p\"\nversion = \"\(version)\"\n[[accept]]\nid = \"all\"\n\(more)".utf8).write(to: file)
        }
        try write("1")
        let defaults = VerificationPolicy(profile: .compat)
        let first = VerificationPolicy(try PolicyFile.load(file.path), over: defaults)
        let verifiers = CurrentVerifier(
            Verifier(trust: try TrustStore(Samples.trust), policy: first), siteKey: .sample(7))
        let log = try LogSink(.file(folder.appendingPathComponent("log").path), minimum: .debug)
        let (state, reports) = (PolicyState(path: file.path, folder: folder.path + "/kept"), Reports())
        let service = PolicyService(
            state, over: defaults, direction: .in, verifiers: verifiers, log: log, report: reports.report,
            clock: .system)
        await service.turn()
        await service.turn()
        #expect(verifiers.current.policy.version == first.version, "nothing has changed")

        try write("2")
        await service.turn()
        #expect(verifiers.current.policy.version == first.version, "somebody may still be writing")
        await service.turn()
        #expect(verifiers.current.policy.version.hasPrefix("p@2 "))
        #expect(verifiers.current.policy.statedProfile == .compat && verifiers.current.policy.direction == .in)

        try write("3", "colour = 1\n")
        for _ in 0..<4 { await service.turn() }
        #expect(verifiers.current.policy.version.hasPrefix("p@2 "))
        #expect(reports.present == [.policyFile] && reports.details(.policyFile).count == 1, "told once")
        #expect(reports.details(.policyFile).first?.contains("colour is not a known key") == true)
        // A restart finds the same rules.
        #expect(state.begin(log, reports.report).version == "2")
        try FileManager.default.removeItem(at: file)
        for _ in 0..<2 { await service.turn() }
        #expect(verifiers.current.policy.version.hasPrefix("p@2 "))
        #expect(reports.details(.policyFile).last?.contains("does not exist") == true)
        // A pipe in the place of the file does not block, either.
        #expect(mkfifo(file.path, 0o600) == 0)
        for _ in 0..<2 { await service.turn() }
        #expect(verifiers.current.policy.version.hasPrefix("p@2 "))
        #expect(state.begin(log, reports.report).version == "2")
        try FileManager.default.removeItem(at: file)
        try write("2")
        for _ in 0..<2 { await service.turn() }
        #expect(reports.present.isEmpty, "back to what is in force")
        try write("4")
        for _ in 0..<2 { await service.turn() }
        #expect(verifiers.current.policy.version.hasPrefix("p@4 "))
        #expect(state.begin(log, reports.report).version == "4" && reports.present.isEmpty)
    }

    @Test("a start without usable rules admits no visitor, and reports it, until the file comes")
    func start() async throws {
        let folder = try TrustFixture()
        let log = try quietLog(in: folder)
        let (path, reports) = (folder.path + "/policy.toml", Reports())
        let state = PolicyState(path: path, folder: folder.path + "/kept")
        let none = state.begin(log, reports.report)
        #expect(none.accept.isEmpty && reports.present == [.policyFile])
        #expect(reports.details(.policyFile).first?.hasSuffix("Until then no visitor is admitted.") == true)
        let verifiers = CurrentVerifier(
            Verifier(trust: try TrustStore(Samples.trust), policy: VerificationPolicy(none)), siteKey: .sample(7))
        let date = WallTime(utc: Samples.validDate, provenance: .given)
        let judge = { verifiers.verify(Samples.credential, of: VisitID("a"), at: date, monotonic: .zero) }
        #expect(judge().code == .policyNoMatch)
        let service = PolicyService(
            state, over: VerificationPolicy(), direction: nil, verifiers: verifiers, log: log, report: reports.report,
            clock: .system)
        try folder.write("policy.toml", "id = \"p\"\nversion = \"1\"\n[[accept]]\nid = \"all\"\n")
        for _ in 0..<2 { await service.turn() }
        #expect(judge().isAccepted && reports.present.isEmpty)
        // The copy of another file's rules is not used for this file.
        let other = PolicyState(path: folder.path + "/other.toml", folder: folder.path + "/kept")
        #expect(other.begin(log, reports.report).accept.isEmpty)
    }
}
