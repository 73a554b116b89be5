import Encoding

/// What is wired to the box besides the relay, and tells how it goes at the gate.
package enum DoorInput: String, CaseIterable, Sendable {
    /// The turnstile's feedback or a light barrier: one activation a person.
    case passage
    /// The button inside (REX): one activation asks for one opening.
    case request = "request-to-exit"
    /// The door contact: active while the door is open.
    case contact
    /// The lid of the box or a loop through the wiring: active while somebody has opened it.
    case tamper
    /// The fire panel's contact: active while it reports a fire.
    case fire
}

/// A mechanical contact seen through its bouncing: a level counts when it has held for a while.
///
/// It goes by the times of the edges and not by those of their arrival: several edges that arrive late together are told apart.
struct Debounce: Sendable {
    /// A change that counts.
    struct Change: Hashable, Sendable {
        let isActive: Bool
        /// When the level changed, which is before it counted.
        let at: Instant
    }

    /// How long a level must hold.
    let time: Duration
    /// The level that counts.
    private(set) var isActive: Bool
    /// Since when the line shows the other level.
    private var since: Instant?

    init(_ time: Duration, isActive: Bool) {
        (self.time, self.isActive) = (time, isActive)
    }

    /// When a change counts if nothing else comes; nil: none is under way.
    var deadline: Instant? { since?.advanced(by: time) }

    /// An edge to that level; returns the changes that count by then.
    mutating func take(_ level: Bool, at instant: Instant) -> [Change] {
        let earlier = advance(to: instant)
        if level == isActive {
            since = nil
        } else if since == nil {
            since = instant
        }
        return earlier + advance(to: instant)
    }

    /// Time has moved on.
    mutating func advance(to now: Instant) -> [Change] {
        guard let began = since, let deadline, now >= deadline else { return [] }
        since = nil
        isActive.toggle()
        return [Change(isActive: isActive, at: began)]
    }
}
