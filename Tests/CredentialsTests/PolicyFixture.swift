import Encoding
import LinkedData
import Reasons
import Testing

@testable import Credentials

/// Rules from text, evaluated for credentials that are described in place.
enum PolicyFixture {
    /// 2026-06-01 was a Monday.
    static let noon = Timestamp(rfc3339: "2026-06-01T12:00:00Z") ?? Timestamp(seconds: 0)
    static let issuer: Text = "did:web:works.example"
    static let staff: Text = "https://works.example/ns#StaffPass"

    /// Parses a policy with these lines after a standard head.
    static func parse(_ text: String, zones: (Text) -> CivilZone? = { _ in nil }) throws(PolicyFileError) -> GatePolicy
    {
        try GatePolicy.parse(Array(("id = \"p\"\nversion = \"1\"\n" + text).utf8), zones: zones)
    }

    /// Returns a policy with one accept rule, `r`, with this condition.
    static func requiring(_ condition: String, top: String = "") throws -> GatePolicy {
        try parse("\(top)\n[[accept]]\nid = \"r\"\nrequire = [ \(condition) ]\n")
    }

    /// Returns the problems of a policy with that text; empty if there are none.
    static func problems(_ text: String) -> [PolicyFileError.Problem] {
        do {
            _ = try parse(text)
            return []
        } catch { return error.problems }
    }

    static func claims(
        _ document: JSON, types: [Text] = [staff], issuer: Text = issuer, format: CredentialFormat = .jwtVC,
        graph: StatementGraph? = nil, hasText: Bool = false, from: String? = "2026-01-01T00:00:00Z",
        until: String? = "2027-01-01T00:00:00Z",
        subject: Text? = nil, digest: UInt8 = 1
    ) -> SignedClaims {
        SignedClaims(
            format: format, issuer: issuer, types: types,
            text: hasText || graph == nil ? .described(document, as: format) : nil,
            graph: graph, contexts: ListedContexts(document["@context"] ?? .null),
            validFrom: from.flatMap { Timestamp(rfc3339: $0) }, validUntil: until.flatMap { Timestamp(rfc3339: $0) },
            signed: SignedContent(digest: [UInt8](repeating: digest, count: 32)),
            subjects: CredentialSubjects([subject].compactMap(\.self)))
    }

    /// Returns signed statements about this node.
    static func graph(_ quads: [Quad], root: Term = .blank("c")) -> StatementGraph {
        StatementGraph(Dataset(quads), root: root)
    }

    /// The code and the pointer of the result; an acceptance is `ok` with the rule.
    struct Answer: Equatable {
        var code: String
        var at: String?
        var rule: Text?
    }

    static func ask(
        _ policy: GatePolicy, _ cases: [PolicyCase], at now: Timestamp = noon,
        provenance: WallTime.Provenance = .synchronised, unsynchronised: Duration? = nil,
        direction: GateDirection? = nil, groups: [Text: Set<Text>] = [:], pinned: [Text: JSON] = [:]
    ) -> Answer {
        var question = PolicyQuestion(
            policy, of: VerificationPolicy(policy, direction: direction), about: cases,
            at: WallTime(utc: now, provenance: provenance, unsynchronised: unsynchronised),
            knowing: PolicyKnowledge(
                groups: { groups[$0] }, pinned: JSONLDProcessor(contexts: ContextDocuments(pinned)),
                profile: policy.profile ?? .strict, work: RuleWork(Limits().ruleNodes)))
        switch question.decide().outcome {
        case .accept(let rule, _): return Answer(code: "ok", rule: rule)
        case .reject(let reason): return Answer(code: reason.code.text, at: reason.pointer)
        }
    }

    /// Returns whether one document fulfils one condition.
    static func fulfils(
        _ condition: String, _ claims: SignedClaims, top: String = "", at now: String? = nil,
        pinned: [Text: JSON] = [:]
    ) throws -> Bool {
        let instant = try now.map { try #require(Timestamp(rfc3339: $0)) } ?? noon
        let policy = try requiring(condition, top: top)
        return ask(policy, [PolicyCase(claims: claims)], at: instant, pinned: pinned).code == "ok"
    }

    static func fulfils(_ condition: String, _ document: String, top: String = "", at now: String? = nil) throws -> Bool
    {
        try fulfils(condition, claims(JSON.parse(document)), top: top, at: now)
    }
}
