import Encoding
import LinkedData
import Reasons

/// The facts in the signed options of a proof, each with all its values.
struct ProofFacts {
    let created: [Timestamp]
    let expires: [Timestamp]
    /// The challenges in the proof. A value that is not text becomes an empty text, which equals no gate's challenge or
    /// name.
    let challenges: [Text]
    let domains: [Text]

    /// Reads the facts of options whose text is signed. For a signature over statements, these facts are only a first
    /// check: after the verification, the facts are read from the statements.
    ///
    /// - Parameter isDated: Whether the suite belongs to Data Integrity 1.0, where `created` is a date-time (section
    ///   2.1). In older suites `created` may have any value.
    init(text proof: Located<JSONObject>, isDated: Bool, profile: Profile) throws(Rejection) {
        func texts(_ name: Text) -> [Text] {
            guard let member = proof.value[name], !member.isNull else { return [] }
            return (member.array ?? [member]).map { $0.string ?? "" }
        }
        func dates(_ name: Text, isRequired: Bool) throws(Rejection) -> [Timestamp] {
            guard let member = proof.value[name], !member.isNull else { return [] }
            return try Self.dates([member.string], name, at: proof.pointer, profile, isRequired: isRequired)
        }
        created = try dates("created", isRequired: isDated)
        expires = try dates("expires", isRequired: true)
        challenges = texts("challenge")
        domains = texts("domain")
    }

    /// Reads the facts of options whose statements are signed. Each list has the values of one property. A value that
    /// is not text is nil.
    init(
        created: [Text?], expires: [Text?], challenges: [Text?], domains: [Text?], isDated: Bool, at pointer: String,
        profile: Profile
    ) throws(Rejection) {
        self.created = try Self.dates(created, "created", at: pointer, profile, isRequired: isDated)
        self.expires = try Self.dates(expires, "expires", at: pointer, profile, isRequired: true)
        self.challenges = challenges.map { $0 ?? "" }
        self.domains = domains.map { $0 ?? "" }
    }

    /// Runs the proof stage: checks that the proof is not dated in the future and has not expired.
    func check(at pointer: String, in verificationContext: VerificationContext) throws(Rejection) {
        guard verificationContext.checksDates else { return }
        let (now, skew) = (verificationContext.clock.utc, verificationContext.policy.clockSkew)
        guard expires.allSatisfy({ now <= $0.advanced(by: skew) }) else {
            throw Rejection(.proofExpired, at: Pointer.append(pointer, "expires"))
        }
        guard created.allSatisfy({ $0 <= now.advanced(by: skew) }) else {
            throw Rejection(.validityNotYet, at: Pointer.append(pointer, "created"))
        }
    }

    private static func dates(
        _ texts: [Text?], _ name: Text, at pointer: String, _ profile: Profile, isRequired: Bool
    ) throws(Rejection) -> [Timestamp] {
        var dates: [Timestamp] = []
        for text in texts {
            if let date = text.flatMap({ Timestamp(rfc3339: $0.string, zoneRequired: profile == .strict) }) {
                dates.append(date)
            } else if isRequired {
                throw Rejection(.proofMalformed, at: Pointer.append(pointer, name))
            }
        }
        return dates
    }
}
