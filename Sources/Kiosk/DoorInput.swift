import Encoding

/// An input that is wired to the box in addition to the relay, and shows what happens at the passage.
package enum DoorInput: String, CaseIterable, Sendable {
    /// The turnstile's feedback or a light barrier: one activation for each person.
    case passage
    /// The button inside (REX): one activation asks for one opening.
    case request = "request-to-exit"
    /// The door contact: active while the door is open.
    case contact
    /// The lid of the box or a loop through the wiring: active while it is open.
    case tamper
    /// The fire panel's contact: active while it reports a fire.
    case fire
}

/// The debouncing of a mechanical contact: a level counts when it has been stable for some time.
///
/// The type uses the times of the edges and not the times of their arrival. So it distinguishes several edges
/// that arrive late together.
struct Debounce: Sendable {
    /// A change of the debounced level.
    struct Change: Hashable, Sendable {
        let isActive: Bool
        /// When the level of the line changed, which is earlier than the moment at which the change counts.
        let at: Instant
    }

    /// How long a new level must be stable before it counts.
    let time: Duration
    /// The debounced level.
    private(set) var isActive: Bool
    /// Since when the line shows the opposite of the debounced level; nil if both are equal.
    private var since: Instant?

    init(_ time: Duration, isActive: Bool) {
        (self.time, self.isActive) = (time, isActive)
    }

    /// When a change counts if no other edge follows; nil when no change is under way.
    var deadline: Instant? { since?.advanced(by: time) }

    /// Handles an edge to `level` at `instant`. Returns the changes that count by then.
    mutating func take(_ level: Bool, at instant: Instant) -> [Change] {
        let earlier = advance(to: instant)
        if level == isActive {
            since = nil
        } else if since == nil {
            since = instant
        }
        return earlier + advance(to: instant)
    }

    /// Handles the passing of time up to `now`. Returns the changes that count by then.
    mutating func advance(to now: Instant) -> [Change] {
        guard let began = since, let deadline, now >= deadline else { return [] }
        since = nil
        isActive.toggle()
        return [Change(isActive: isActive, at: began)]
    }
}
