/// The position of the result picture relative to its text: next to it on a wide display, above or below it
/// on a tall one.
package enum SignPlace: String, CaseIterable, Sendable {
    /// The result picture is left of its text, or above it.
    case first
    /// The result picture is right of its text, or below it.
    case last
    /// The picture for accepted is before its text and all others are after it: the position alone shows the
    /// verdict.
    case apart

    /// Returns whether the result picture is after its text.
    func isLast(go isGo: Bool) -> Bool {
        switch self {
        case .first: false
        case .last: true
        case .apart: !isGo
        }
    }
}
