/// The position of the picture of a result relative to its text: left or right of it on a wide display, above or
/// below it on a tall one.
package enum SignPlace: String, CaseIterable, Sendable {
    /// The picture is left of its text, or above it.
    case first
    /// The picture is right of its text, or below it.
    case last
    /// The picture for accepted is before its text, and all other pictures are after their text. So even the position
    /// shows the verdict.
    case apart

    /// Returns whether the picture of a result is after its text. `isGo`: the result is accepted.
    func isLast(go isGo: Bool) -> Bool {
        switch self {
        case .first: false
        case .last: true
        case .apart: !isGo
        }
    }
}
