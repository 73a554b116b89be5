import Encoding
import Reasons

/// The stages that several formats share.
extension VerificationContext {
    /// Runs the validity stage: compares the dates of a credential with the clock. An `issued` date in the future is
    /// refused, too.
    func checkValidity(from: Timestamp?, until: Timestamp?, issued: Timestamp? = nil) throws(Rejection) {
        guard checksDates else { return }
        guard policy.trusts(clock) else { throw Rejection(.clockUntrusted) }
        let (now, skew) = (clock.utc, policy.clockSkew)
        for start in [from, issued] {
            if let start, now.advanced(by: skew) < start { throw Rejection(.validityNotYet) }
        }
        if let until, until.advanced(by: skew) < now { throw Rejection(.validityExpired) }
    }

    /// Returns the types from an untrusted source that a record may keep.
    func recordable(_ types: [Text]) -> [Text] {
        Array(types.filter { $0.utf8.count <= limits.recordedBytes }.prefix(limits.recordedTypes))
    }

    /// Returns the id if it is short enough for a record; otherwise nil.
    func recordable(_ id: Text) -> Text? { id.utf8.count <= limits.recordedBytes ? id : nil }
}

extension Rejection {
    /// Returns the rejection of a credential that shows no date although the holder may have withheld a date.
    /// `pointer`: the place of the date.
    static func withheldDate(at pointer: String) -> Rejection {
        Rejection(.shapeDates, .withheld(key: "withheld-expiry"), at: pointer)
    }
}
