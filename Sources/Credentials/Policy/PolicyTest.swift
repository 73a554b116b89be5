package import Encoding
import Reasons

/// A test case in a policy file: `[[test]]`.
package struct PolicyTest: Sendable {
    /// The presented credential.
    package enum Subject: Sendable {
        /// A verified credential that the policy file describes.
        case verified(PolicyTestCredential)
        /// A verified credential with its claims in the JSON file `file`. The path is as written in the policy file.
        case claims(file: Text, PolicyTestCredential)
        /// A wallet's payload in the file `file`, to be verified against the trust directory `trust`. The paths are as
        /// written in the policy file.
        case payload(file: Text, trust: Text)
    }

    /// The name of the test, in the operator's words.
    package var name: Text
    /// The line in the policy file.
    package var line: Int
    /// The clock at the gate.
    package var clock: WallTime
    /// The direction of the gate; nil if the gate has no configured direction.
    package var direction: GateDirection?
    /// Whether the credential or its subject was already presented within the replay window.
    package var wasSeen = false
    /// The presented credential.
    package var subject: Subject
    /// The expected verdict.
    package var decision: VerdictDecision
    /// The rule that must accept the credential, or whose code (`policy.` and the id) must be the reason of the
    /// refusal; nil if any rule may decide.
    package var rule: Text?
    /// The code of the expected reason; nil if the test case expects no particular code.
    package var code: Text?
}

/// A credential as described by a test case.
package struct PolicyTestCredential: Sendable {
    /// The verified claims of the credential.
    package var claims: SignedClaims
    /// The groups to which the credential's issuer belongs.
    package var groups: [Text] = []
    /// The answers of the status lists.
    package var status: [StatusAnswer] = []
    /// Whether the holder proved possession of the credential's key.
    var holderProven = false
}

extension SignedClaims {
    /// Returns the same claims with another document, which a test case can supply in a file.
    package func with(_ document: JSON) -> SignedClaims {
        SignedClaims(
            format: format, issuer: issuer, types: types, text: .described(document, as: format),
            graph: deferred?.graph, contexts: ListedContexts(document["@context"] ?? .null), validFrom: validFrom,
            validUntil: validUntil, signed: signed, subjects: subjects)
    }
}

extension SignedText {
    /// Creates the text of a credential that a test case describes. If the format allows withholding, a missing member
    /// may have been withheld.
    static func described(_ document: JSON, as format: CredentialFormat) -> SignedText {
        SignedText(document, hidesMembers: [.vcSDJWT, .dcSDJWT, .sdJWT].contains(format))
    }
}

/// The result of a test case.
package struct PolicyTestResult: Sendable {
    /// Whether the test case had the expected result.
    package let passed: Bool
    /// The verdict; nil if the test case could not be run.
    package let decision: VerdictDecision?
    /// The code of the first reason; nil if the test case could not be run.
    package let code: Text?
    /// The id of the accepting rule; nil if no rule accepted.
    package let rule: Text?
    /// The rules that were evaluated.
    package let notes: [RuleNote]
    /// The reason, in plain words, why the test case could not be run; nil if the test case ran.
    package let failure: String?

    private init(
        passed: Bool, decision: VerdictDecision?, code: Text?, rule: Text?, notes: [RuleNote], failure: String?
    ) {
        (self.passed, self.decision, self.code, self.rule) = (passed, decision, code, rule)
        (self.notes, self.failure) = (notes, failure)
    }

    /// Creates the result of a test that could not be run.
    package init(failure: String) {
        self.init(passed: false, decision: nil, code: nil, rule: nil, notes: [], failure: failure)
    }

    /// Creates the result of a test that was run.
    package init(
        _ test: PolicyTest, decision: VerdictDecision, code: Text, rule: Text?, notes: [RuleNote]
    ) {
        let codes = [
            test.code, test.decision == .reject ? test.rule.map { Text(ReasonCode.policy($0.string).text) } : nil,
        ]
        let isRight =
            decision == test.decision && codes.allSatisfy { $0 == nil || $0 == code }
            && (test.decision == .reject || test.rule == nil || test.rule == rule)
        self.init(passed: isRight, decision: decision, code: code, rule: rule, notes: notes, failure: nil)
    }
}

extension GatePolicy {
    /// Runs a test case on a described credential, with the same rules as a visit.
    package func run(_ test: PolicyTest, on credential: PolicyTestCredential) -> PolicyTestResult {
        let policy = VerificationPolicy(self, direction: test.direction)
        let subject = PolicyCase(
            claims: credential.claims, status: credential.status,
            holder: credential.holderProven ? .proven : .missing, wasSeen: test.wasSeen)
        let (issuer, groups) = (credential.claims.issuer, credential.groups)
        var question = PolicyQuestion(
            self, of: policy, about: [subject], at: test.clock,
            knowing: PolicyKnowledge(
                groups: { groups.contains($0) ? [issuer] : nil }, pinned: nil, profile: policy.profile(over: nil),
                work: RuleWork(Limits().ruleNodes)))
        let decided = question.decide()
        switch decided.outcome {
        case .accept(let rule, _):
            return PolicyTestResult(
                test, decision: .accept, code: Text(ReasonCode.ok.text), rule: rule, notes: decided.notes)
        case .reject(let reason):
            return PolicyTestResult(
                test, decision: .reject, code: Text(reason.code.text), rule: nil, notes: decided.notes)
        }
    }
}
