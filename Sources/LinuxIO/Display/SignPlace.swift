/// On which side of its words a sign stands: beside them on a wide display, above or below them on a tall one.
package enum SignPlace: String, CaseIterable, Sendable {
    /// Left, or above.
    case first
    /// Right, or below.
    case last
    /// That for go first and all others last: the place alone tells a verdict.
    case apart

    /// Whether a sign stands behind its words.
    func isLast(go isGo: Bool) -> Bool {
        switch self {
        case .first: false
        case .last: true
        case .apart: !isGo
        }
    }
}
