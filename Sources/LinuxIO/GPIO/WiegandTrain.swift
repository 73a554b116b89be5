import Encoding

/// How long the bits of Wiegand frames last.
package struct WiegandTiming: Hashable, Sendable {
    /// How long a pulse is at least.
    package var pulse: Duration
    /// From one pulse to the next at least.
    package var interval: Duration

    /// Those times.
    package init(pulse: Duration = .microseconds(50), interval: Duration = .milliseconds(2)) {
        (self.pulse, self.interval) = (pulse, interval)
    }
}

/// A frame on its way to two wires, pulse after pulse. Told what time it is, it says which wire shall be active.
///
/// Lengths are counted from when a wire has become what it was to be, so that nothing is ever shorter than it was asked for; a
/// machine that is busy makes it longer.
struct WiegandTrain {
    /// How one frame came out.
    struct Lateness: Hashable {
        /// The longest pulse, and the longest time from the end of one to the beginning of the next: from when the one change was
        /// asked for to when the other was done, so that no wire was slower than that.
        var pulse: Duration = .zero
        var gap: Duration = .zero
    }

    private enum Phase {
        case idle
        case ready
        /// A pulse was asked for; it has begun when we are asked next.
        case rising
        case high(since: Instant)
        /// The end of the pulse was asked for.
        case falling
        case low(since: Instant)
    }

    private let bits: [Bool]
    private let timing: WiegandTiming
    private var phase = Phase.idle
    private var index = 0
    /// When the last change was asked for, and when the one before it.
    private var asked: Instant?
    private var before: Instant?
    private(set) var lateness = Lateness()

    /// A frame that nobody has started.
    init(_ bits: [Bool], _ timing: WiegandTiming) { (self.bits, self.timing) = (bits, timing) }

    /// Whether no part of a frame is on its way.
    var isIdle: Bool { if case .idle = phase { true } else { false } }

    /// Whether every bit of the frame on its way may have gone out: the last one was asked for.
    var mayBeWhole: Bool {
        switch phase {
        case .idle, .ready: false
        case .rising, .high, .falling, .low: index == bits.count - 1
        }
    }

    /// Whether a controller may have taken the last frame for something else. SIA's AC-01 knows pulses of 20 to 100 µs that come at
    /// most 20 ms after each other, and controllers bear some more; beyond a millisecond nobody says.
    var isDoubtful: Bool {
        lateness.pulse > timing.pulse + .milliseconds(1) || lateness.gap > timing.interval + .milliseconds(20)
    }

    /// Lets a frame begin with the next question, unless one is on its way or there is none.
    mutating func start() {
        guard isIdle, !bits.isEmpty else { return }
        (phase, index, asked, lateness) = (.ready, 0, nil, Lateness())
    }

    /// Forgets the rest of the frame: a wire did not do as it was told.
    mutating func abort() { phase = .idle }

    /// The wire that is to be active (false: data 0, true: data 1), nil for neither, and when to ask again; nil: when there is
    /// another frame. Asked again once that is so.
    mutating func wanted(at now: Instant) -> (wire: Bool?, until: Instant?) {
        switch phase {
        case .idle: return (nil, nil)
        case .ready:
            (phase, before, asked) = (.rising, nil, now)
            return (bits[index], now)
        case .rising:
            if let before { lateness.gap = max(lateness.gap, before.duration(to: now)) }
            phase = .high(since: now)
            return (bits[index], now.advanced(by: timing.pulse))
        case .high(let since):
            let end = since.advanced(by: timing.pulse)
            if now < end { return (bits[index], end) }
            (phase, before, asked) = (.falling, asked, now)
            return (nil, now)
        case .falling:
            if let before { lateness.pulse = max(lateness.pulse, before.duration(to: now)) }
            phase = .low(since: now)
            return (nil, now.advanced(by: timing.interval - timing.pulse))
        case .low(let since):
            let end = since.advanced(by: timing.interval - timing.pulse)
            if now < end { return (nil, end) }
            index += 1
            (phase, before, asked) = (index < bits.count ? .rising : .idle, asked, now)
            return index < bits.count ? (bits[index], now) : (nil, nil)
        }
    }
}
