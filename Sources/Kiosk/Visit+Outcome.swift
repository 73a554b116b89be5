import Credentials
import Encoding
import Ledger
import Reasons
import Tuvali

extension Visit {
    /// Makes the outcome of the visit for its record.
    func makeOutcome(
        _ result: Outcome.Result, _ findings: [Reason], _ verdict: Verdict?, at now: Instant
    ) -> Outcome {
        let session = statistics.map { statistics in
            Outcome.Session(
                transport: "tuvali", milliseconds: Int(began.duration(to: now).milliseconds),
                chunks: statistics.chunks, crcErrors: statistics.crcErrors, retries: statistics.retries)
        }
        // For an accepted visit, the kiosk replaces the value of `gate` when the pulse is over.
        var outcome = Outcome(
            result, reasons: findings.map(Outcome.Reason.init),
            credential: verdict.map { Outcome.Credential($0.credential, as: $0.format) }, session: session, gate: .shut,
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
    /// Describes a credential for a record. The dates of a credential are left out if the verdict does not
    /// depend on it.
    init(_ summary: CredentialSummary, as format: CredentialFormat?, isDated: Bool = true) {
        self.init(
            format: Text(format?.rawValue ?? "unknown"), issuer: summary.issuer, types: summary.types,
            validFrom: isDated ? summary.validFrom : nil, validUntil: isDated ? summary.validUntil : nil)
    }
}

extension Outcome.Reason {
    /// Makes a reason from a code of the table; a record keeps only the text of the code.
    init(_ code: ReasonCode) { self.init(Text(code.text)) }

    /// Makes a reason from a finding of the verification.
    init(_ finding: Reason) { self.init(Text(finding.code.text), pointer: finding.pointer.map { Text($0) }) }
}

extension Verdict {
    /// The digests by which a record names the credentials on which the verdict depends. Each credential has a digest
    /// as soon as its proof was examined. The proof is examined before any acceptance, and before a refusal because of
    /// dates.
    var signedDigests: [[UInt8]] {
        let digests = decisive.map(\.signedDigest).prefix { $0 != nil }.compactMap(\.self)
        return digests.isEmpty ? [authenticDigest].compactMap(\.self) : digests
    }
}
