import Encoding

/// What the check of one format finds out on its way, kept up to the stage that failed so that the verdict can tell it.
struct Evidence {
    /// What a record may say of the credential.
    var summary: CredentialSummary
    /// Findings that did not decide.
    var findings: [Reason] = []
    /// Members that no signature covers, as JSON pointers.
    var unsigned: [String] = []
    /// Under which context the proof options of a linked-data proof matched.
    var proofContext: ProofContext?
    /// The signed claims of each credential that passed its own stages: one, or as many as a presentation holds. They
    /// reach the policy and nothing else: no verdict, record or log.
    var claims: [SignedClaims] = []
    /// Where each of ``claims`` stands in what was received, as JSON pointers; empty for a bare credential.
    var places: [String] = []
    /// What the credentials say of their status.
    var questions: [StatusQuestion] = []
    /// What the stored status lists said, an answer for each entry.
    var status: [StatusAnswer] = []
    /// Whether a holder proved possession of the key that every credential names as its subject's.
    var holderProven = false
    /// Contexts inside the credential.
    var inlineContexts: [JSONObject] = []

    init(_ summary: CredentialSummary) { self.summary = summary }

    /// Takes over what was found about a credential that stands at `pointer` in a presentation.
    mutating func absorb(_ inner: Evidence, at pointer: String) {
        summary = inner.summary
        findings += inner.findings.map { $0.moved(to: pointer + ($0.pointer ?? "")) }
        unsigned += inner.unsigned.map { pointer + $0 }
        proofContext = proofContext ?? inner.proofContext
        claims += inner.claims
        for context in inner.inlineContexts where !inlineContexts.contains(context) { inlineContexts.append(context) }
        places += inner.claims.map { _ in pointer }
        questions += inner.questions.map {
            var question = $0
            question.place = pointer + question.place
            return question
        }
        status += inner.status.map {
            var answer = $0
            answer.pointer = pointer + answer.pointer
            return answer
        }
    }
}
