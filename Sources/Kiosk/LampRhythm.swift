import Encoding

/// How a lamp is lit. No rhythm flashes more than twice in a second: three flashes are safe for
/// photosensitive people (W3C WCAG 2.2, 2.3.1).
package enum LampRhythm: String, CaseIterable, Sendable {
    /// The lamp is on all the time.
    case steady
    /// The lamp is on for 1.5 s and off for half a second.
    case gap
    /// The lamp is on and off for a second each.
    case slow
    /// The lamp is on for 0.3 s and off for 0.2 s.
    case quick

    /// How long the lamp is on, and then off; nil: always on.
    var beat: (on: Duration, off: Duration)? {
        switch self {
        case .steady: nil
        case .gap: (.milliseconds(1500), .milliseconds(500))
        case .slow: (.seconds(1), .seconds(1))
        case .quick: (.milliseconds(300), .milliseconds(200))
        }
    }
}
