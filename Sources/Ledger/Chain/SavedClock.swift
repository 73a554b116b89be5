package import Encoding

/// The last date that the box wrote down: a lower bound for the next start, when there is no battery-backed clock.
package enum SavedClock {
    /// What to keep after hearing `heard`.
    ///
    /// A synchronised (or given) date replaces whatever was kept, also downwards: that is how a box that once believed
    /// in a wrong year is healed. A battery-backed or carried-on date only raises it; a clock that was never set says
    /// nothing.
    package static func merge(kept: Timestamp?, heard: WallTime) -> Timestamp? {
        // A date that is in doubt is no bound.
        guard heard.possible.count == 1 else { return kept }
        return switch heard.provenance {
        case .unset: kept
        case .saved, .rtc: max(kept ?? heard.utc, heard.utc)
        case .synchronised, .given: heard.utc
        }
    }
}
