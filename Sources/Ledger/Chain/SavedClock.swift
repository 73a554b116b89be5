package import Encoding

/// The last date that the gate saved: a lower bound for the next start of hardware without a battery-backed clock.
package enum SavedClock {
    /// Returns the date to save after the clock gave the date `heard`.
    ///
    /// A synchronised (or given) date replaces the saved date, even if it is earlier. So a gate that once had a wrong
    /// year is corrected. A battery-backed or continued date replaces the saved date only if it is later. A clock that
    /// was never set gives no information.
    package static func merge(kept: Timestamp?, heard: WallTime) -> Timestamp? {
        // An ambiguous date is not a bound.
        guard heard.possible.count == 1 else { return kept }
        return switch heard.provenance {
        case .unset: kept
        case .saved, .rtc: max(kept ?? heard.utc, heard.utc)
        case .synchronised, .given: heard.utc
        }
    }
}
