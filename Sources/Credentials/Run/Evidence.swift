import Encoding

/// The data that a check has collected for the verdict, up to its end or the stage that failed. The data concern one
/// credential, or a presentation or DeviceResponse and each credential in it.
struct Evidence {
    /// The data about the credential that a record may contain. The pointers in the other members begin at the
    /// credential's place.
    var summary: CredentialSummary
    /// The findings that did not determine the verdict.
    var findings: [Reason] = []
    /// Members that no signature covers, as JSON pointers.
    var unsigned: [String] = []
    /// The context under which the options of a linked-data proof matched; nil if no such proof was verified.
    var proofContext: ProofContext?
    /// The inline contexts of the credential.
    var inlineContexts: [JSONObject] = []
    /// The signed claims, set after the credential has passed its stages. Only the policy reads them; no verdict,
    /// record or log contains them.
    var claims: SignedClaims?
    /// The status information of the credential, for the status stage; nil until the credential is verified, and for an
    /// mdoc without a status.
    var question: StatusQuestion?
    /// The answers of the stored status lists, one for each status entry.
    var status: [StatusAnswer] = []
    /// The result of checking the holder's proof of possession.
    var holder = HolderProof.missing
    /// Whether the credential names a key of its holder. If so, no proof with another key counts.
    var namesHolderKey = false
    /// The evidence about each checked credential of a presentation or DeviceResponse, in order.
    private(set) var presented: [Evidence] = []
    /// The index in ``credentials`` of the credential that ended the verification; nil if none did.
    private(set) var failed: Int?

    init(_ summary: CredentialSummary) { self.summary = summary }

    /// The evidence about each credential: this evidence for a single credential, otherwise the evidence about the
    /// presented credentials.
    var credentials: [Evidence] { presented.isEmpty ? [self] : presented }

    /// The evidence about the whole payload, to which the findings about all presented credentials are added.
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

    /// Checks the next credential of a presentation, at `place`, and stores the evidence about the credential.
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

    /// Runs `work` on the evidence about each of ``credentials``, until an error. ``failed`` then has the index of the
    /// presented credential.
    mutating func forEachCredential(_ work: (inout Evidence) throws(Rejection) -> Void) throws(Rejection) {
        if presented.isEmpty { return try work(&self) }
        for index in presented.indices {
            do throws(Rejection) { try work(&presented[index]) } catch {
                failed = index
                throw error.inside(presented[index].summary.place)
            }
        }
    }

    /// Sets ``holder``. `signers`: all signers of the presentation. `counting`: the signers whose signatures count
    /// (``HolderProofRule``). The signers are the holders if they are the subjects of all credentials. A person who
    /// presents another person's credential together with their own has not proved to be the subject of both. A person
    /// who is one of several subjects has not proved to be each of them.
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
