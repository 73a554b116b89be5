package import Encoding

/// The last date that the gate saved: a lower bound for the next start, when the hardware has no
/// battery-backed clock.
package enum SavedClock {
    /// Returns the date to keep after the clock gave the date `heard`.
    ///
    /// A synchronised (or given) date replaces the kept date, even if it is earlier. This corrects a gate
    /// that once had a wrong year. A battery-backed or continued date replaces the kept date only if it is
    /// later. A clock that was never set gives no information.
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
