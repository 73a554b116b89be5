package import Encoding

/// The last date that the gate has saved. On hardware without a battery-backed clock, the date at the next start is not
/// earlier than this date.
package enum SavedClock {
    /// Returns the date to save, given the saved date `kept` and the clock's present date `heard`. Nil if no date is
    /// known.
    ///
    /// A synchronised or given date replaces the saved date even if it is earlier, so that a wrong saved year is
    /// corrected. A battery-backed or continued date replaces it only if it is later. The date of a clock that was
    /// never set is ignored.
    package static func merge(kept: Timestamp?, heard: WallTime) -> Timestamp? {
        // A date that may be one of two is no lower bound.
        guard heard.possible.count == 1 else { return kept }
        return switch heard.provenance {
        case .unset: kept
        case .saved, .rtc: max(kept ?? heard.utc, heard.utc)
        case .synchronised, .given: heard.utc
        }
    }
}
