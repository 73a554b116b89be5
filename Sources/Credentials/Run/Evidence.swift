import Encoding

/// What a check finds out on its way, kept up to the stage that failed so that the verdict can tell it: about one credential, or
/// about a presentation or DeviceResponse and each credential in it.
struct Evidence {
    /// What a record may say of the credential. Pointers below begin at its place.
    var summary: CredentialSummary
    /// Findings that did not decide.
    var findings: [Reason] = []
    /// Members that no signature covers, as JSON pointers.
    var unsigned: [String] = []
    /// Under which context the proof options of a linked-data proof matched.
    var proofContext: ProofContext?
    /// Contexts inside the credential.
    var inlineContexts: [JSONObject] = []
    /// The signed claims, once the credential passed its own stages. They reach the policy and nothing else: no verdict, record
    /// or log.
    var claims: SignedClaims?
    /// What the credential says of its status.
    var question: StatusQuestion?
    /// What the stored status lists said, an answer for each entry.
    var status: [StatusAnswer] = []
    /// Whether a holder proved possession of the key that every credential names as its subject's.
    var holder = HolderProof.missing
    /// Whether the credential names a key of its holder, so that no other proof counts.
    var namesHolderKey = false
    /// Of each credential of a presentation or DeviceResponse that was looked at, in its order.
    private(set) var presented: [Evidence] = []
    /// Which of ``credentials`` ended the verification; nil where none did, or something else.
    private(set) var failed: Int?

    init(_ summary: CredentialSummary) { self.summary = summary }

    /// Of each credential: of itself where it is one, else of those that are presented.
    var credentials: [Evidence] { presented.isEmpty ? [self] : presented }

    /// With what was found about each credential as what was found about the whole.
    var whole: Evidence {
        if presented.isEmpty { return self }
        var all = self
        func gathered<Value>(_ list: KeyPath<Evidence, [Value]>, _ move: (inout Value, String) -> Void) -> [Value] {
            presented.flatMap { inner in
                inner[keyPath: list].map { value in
                    var value = value
                    move(&value, inner.summary.place)
                    return value
                }
            } + self[keyPath: list]
        }
        all.findings = gathered(\.findings) { if !$1.isEmpty { $0 = $0.moved(to: $1 + ($0.pointer ?? "")) } }
        all.unsigned = gathered(\.unsigned) { $0 = $1 + $0 }
        all.status = gathered(\.status) { $0.pointer = $1 + $0.pointer }
        all.inlineContexts = gathered(\.inlineContexts) { _, _ in }
        all.proofContext = presented.lazy.compactMap(\.proofContext).first ?? proofContext
        return all
    }

    /// Looks at the next credential of a presentation, which stands at `place`, and keeps what is found about it.
    mutating func present<Value>(
        at place: String, _ work: (inout Evidence) throws(Rejection) -> Value
    ) throws(Rejection) -> Value {
        var inner = Evidence(summary)
        defer {
            inner.summary.place = place
            presented.append(inner)
        }
        do throws(Rejection) { return try work(&inner) } catch {
            failed = presented.count
            throw error.inside(place)
        }
    }

    /// Goes on with each of ``credentials``.
    mutating func forEachCredential(_ work: (inout Evidence) throws(Rejection) -> Void) throws(Rejection) {
        if presented.isEmpty { return try work(&self) }
        for index in presented.indices {
            do throws(Rejection) { try work(&presented[index]) } catch {
                failed = index
                throw error.inside(presented[index].summary.place)
            }
        }
    }

    /// Notes who signed the presentation, and whose signatures count (``HolderProofRule``). They are its holders if they are the
    /// subjects of all its credentials: who brings his own with another's has not proven that both are his, and who is one of
    /// several subjects not that he is each.
    mutating func note(signers: [Text], counting: [Text]) {
        func areSubjects(_ ids: [Text]) -> Bool {
            presented.allSatisfy { inner in
                guard let subjects = inner.claims?.subjects, !inner.namesHolderKey || inner.holder == .proven else {
                    return false
                }
                return subjects.areKnown && subjects.ids.allSatisfy(ids.contains)
            }
        }
        holder = areSubjects(counting) ? .proven : areSubjects(signers) ? .unfit : .missing
    }
}
