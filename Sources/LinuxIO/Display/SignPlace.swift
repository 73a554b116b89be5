/// The position of a sign relative to its text: beside it on a wide display, above or below it on a tall one.
package enum SignPlace: String, CaseIterable, Sendable {
    /// Left, or above.
    case first
    /// Right, or below.
    case last
    /// The sign for accepted is first and all others are last: the position alone shows the verdict.
    case apart

    /// Returns whether the sign is after its text.
    func isLast(go isGo: Bool) -> Bool {
        switch self {
        case .first: false
        case .last: true
        case .apart: !isGo
        }
    }
}
