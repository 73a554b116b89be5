import Credentials
import Encoding
import Ledger
import Tuvali

extension Visit {
    /// How the visit ended, as a record tells it.
    func makeOutcome(
        _ result: Outcome.Result, _ reasons: [Outcome.Reason], _ verdict: Verdict?, at now: Instant
    ) -> Outcome {
        let session = statistics.map { statistics in
            Outcome.Session(
                transport: "tuvali", milliseconds: Int(began.duration(to: now).milliseconds),
                chunks: statistics.chunks, crcErrors: statistics.crcErrors, retries: statistics.retries)
        }
        // What the gate did for an accepted visitor is known when the pulse is over: the kiosk fills it in.
        var outcome = Outcome(
            result, reasons: reasons, credential: verdict.map { Outcome.Credential($0.credential, as: $0.format) },
            session: session, gate: .shut,
            software: Outcome.Software(
                name: "gatehouse", version: Text(settings.softwareVersion), trust: verdict.map { Text($0.trust) },
                policy: verdict.map { Text($0.policy) }))
        if let verdict {
            outcome.others =
                verdict.decisive.dropFirst().map { Outcome.Credential($0, as: $0.format) }
                + verdict.others.map { Outcome.Credential($0, as: $0.format, isDated: false) }
        }
        return outcome
    }
}

extension Outcome.Credential {
    /// What a record says of a credential. The dates of a credential that did not decide are left out.
    init(_ summary: CredentialSummary, as format: CredentialFormat?, isDated: Bool = true) {
        self.init(
            format: Text(format?.rawValue ?? "unknown"), issuer: summary.issuer, types: summary.types,
            validFrom: isDated ? summary.validFrom : nil, validUntil: isDated ? summary.validUntil : nil)
    }
}

extension Outcome.Reason {
    /// A record keeps the text of a code of the one table, and nothing else of it.
    init(_ code: ReasonCode, pointer: Text? = nil) { self.init(Text(code.text), pointer: pointer) }
}

extension Verdict {
    /// By what a record names the credentials that decided. Each has a digest as soon as its proof was looked at, which
    /// is before anything is accepted, and for dates after it is refused.
    var signedDigests: [[UInt8]] {
        let digests = decisive.map(\.signedDigest).prefix { $0 != nil }.compactMap(\.self)
        return digests.isEmpty ? [authenticDigest].compactMap(\.self) : digests
    }
}
