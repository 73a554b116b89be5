package import Encoding

/// A lamp of the status light. Each lamp has its own position as well as its colour, so no person has to distinguish
/// colours. Top to bottom: blue, amber, green, red (`hardware/pinout.toml`).
package enum Lamp: String, CaseIterable, Sendable {
    case blue, amber, green, red
}

/// What the status light and the sounder show at one moment.
package struct Signal: Hashable, Sendable {
    /// The lamps that are lit.
    package var lamps: Set<Lamp>
    /// Whether the sounder is on.
    package var tone: Bool

    /// Creates a signal from the lamps that are lit, and whether the sounder is on.
    package init(_ lamps: Set<Lamp> = [], tone: Bool = false) {
        self.lamps = lamps
        self.tone = tone
    }

    /// The signal with all lamps and the sounder off.
    package static let dark = Signal()
}

/// What the light and the sounder show to people. Every pattern differs from the others in more than colour:
/// by position, by rhythm and, for the verdicts, by tone. The rhythms that the cases describe apply unless an
/// operator chose others (``LampRhythms``).
package enum IndicatorPattern: String, CaseIterable, Sendable {
    /// A phone may connect: blue, a slow blink.
    case ready
    /// A phone may connect, and an operator should look after the gate: a slow blink of blue, and a short
    /// amber flash between.
    case attention
    /// A visitor chooses a credential: blue, steady.
    case connected
    /// The credential is arriving: blue, a quick blink.
    case receiving
    /// The credential is being verified: amber, steady.
    case checking
    /// Accepted, "go": green, steady, one long tone (``VerdictTones``); then ``ready``.
    case accepted
    /// Rejected, "stop": red, a quick blink, three short tones; then ``ready``.
    case rejected
    /// A transfer failed: two short amber flashes, no tone; then ``ready``. There was no verdict.
    case failed
    /// Lock-down, no visitor is admitted: red, with a short gap every two seconds.
    case locked
    /// Free passage: green, with the same gap as ``locked``, no tone.
    case free
    /// Gate out of order: red and amber alternately.
    case fault
    /// Gate not running: all lamps off.
    case off

    /// How long the pattern is shown before it ends by itself; nil for a pattern without such an end.
    package var end: Duration? {
        switch self {
        case .accepted, .rejected: .seconds(3)
        case .failed: .seconds(1)
        case .ready, .attention, .locked, .free, .connected, .receiving, .checking, .fault, .off: nil
        }
    }
}

/// The status light as a timeline: the lit lamps follow from the pattern and the time since it began.
///
/// A verdict is shown to its end. The progress of another visit waits for that end; a new verdict or a fault
/// does not wait.
package struct Indicator: Sendable {
    /// The pattern being shown.
    package private(set) var pattern: IndicatorPattern
    private(set) var since: Instant
    /// The visit to which the pattern belongs; nil if it belongs to none, for example when the gate is ready.
    private(set) var visit: VisitID?
    private var afterwards: (pattern: IndicatorPattern, visit: VisitID?)?
    private let rhythms: LampRhythms
    private let tones: VerdictTones
    /// The pattern that is shown in place of `ready`: `ready` itself, or another pattern during a fault, a lock-down
    /// or free passage.
    private var calm = IndicatorPattern.ready

    /// Shows `pattern` from `now` on, with the given rhythms of the lamps and tones of the verdicts.
    package init(
        _ pattern: IndicatorPattern = .off, rhythms: LampRhythms = LampRhythms(), tones: VerdictTones = VerdictTones(),
        at now: Instant
    ) {
        self.pattern = pattern
        self.rhythms = rhythms
        self.tones = tones
        since = now
    }

    /// Requests the pattern `asked` for the visit `visit`. The progress of a visit waits for the end of a
    /// verdict that is being shown.
    package mutating func show(_ asked: IndicatorPattern, for visit: VisitID? = nil, at now: Instant) {
        advance(to: now)
        switch asked {
        case .ready, .attention, .free, .connected, .receiving, .checking:
            if pattern.end != nil {
                afterwards = (asked, visit)
                return
            }
        case .accepted, .rejected, .failed, .locked, .fault, .off: break
        }
        let next = resolve(asked)
        self.visit = visit
        guard next != pattern || pattern.end != nil else { return }
        (pattern, since, afterwards) = (next, now, nil)
    }

    /// Until when the light shows a rejection; nil if it shows none.
    var rejectedUntil: Instant? { pattern == .rejected ? pattern.end.map { since.advanced(by: $0) } : nil }

    /// Sets the pattern that is shown in place of `ready`. If the light shows the previous such pattern, it changes at
    /// once.
    package mutating func rest(in next: IndicatorPattern, at now: Instant) {
        guard next != calm else { return }
        advance(to: now)
        if pattern == calm { (pattern, since) = (next, now) }
        calm = next
    }

    private func resolve(_ asked: IndicatorPattern) -> IndicatorPattern { asked == .ready ? calm : asked }

    /// Returns the lamps and the tone at `now`.
    package mutating func signal(at now: Instant) -> Signal {
        advance(to: now)
        return position(at: now).signal
    }

    /// When the signal may change next; nil when it changes only on request.
    package func nextChange(after now: Instant) -> Instant? { position(at: now).until }

    private mutating func advance(to now: Instant) {
        guard let end = pattern.end, now >= since + end else { return }
        (pattern, visit, since) = (resolve(afterwards?.pattern ?? .ready), afterwards?.visit, since + end)
        afterwards = nil
    }

    private func position(at now: Instant) -> (signal: Signal, until: Instant?) {
        let (isOn, change) = tones.tone(of: pattern, after: since.duration(to: now))
        let (lamps, until) = lamps(at: now)
        let changes = [until, change.map { since + $0 }, pattern.end.map { since + $0 }]
        return (Signal(lamps, tone: isOn), changes.compactMap { $0 }.min())
    }

    private func lamps(at now: Instant) -> (lamps: Set<Lamp>, until: Instant?) {
        let steps = rhythms.steps(of: pattern)
        if steps.count == 1 { return (steps[0].lamps, nil) }
        let cycle = steps.reduce(0) { $0 + $1.duration.nanoseconds }
        let elapsed = max(0, (now - since).nanoseconds)
        var start = since + .nanoseconds(elapsed - elapsed % cycle)
        for step in steps {
            let end = start + step.duration
            if now < end { return (step.lamps, end) }
            start = end
        }
        return (steps.last?.lamps ?? [], start)
    }
}

extension Instant {
    fileprivate static func + (instant: Instant, duration: Duration) -> Instant { instant.advanced(by: duration) }
    fileprivate static func - (end: Instant, start: Instant) -> Duration { start.duration(to: end) }
}
