import Encoding

/// The times of the pulses of a Wiegand frame.
package struct WiegandTiming: Hashable, Sendable {
    /// The minimum length of a pulse.
    package var pulse: Duration
    /// The minimum time from the beginning of one pulse to the beginning of the next.
    package var interval: Duration

    /// Creates the times from the minimum length of a pulse and the minimum interval.
    package init(pulse: Duration = .microseconds(50), interval: Duration = .milliseconds(2)) {
        (self.pulse, self.interval) = (pulse, interval)
    }
}

/// A frame that is sent on two wires, pulse by pulse. For the present time it returns the wire that must be active.
///
/// Each time is counted from the instant at which a wire has reached its wanted state. Therefore no pulse or gap is
/// shorter than configured; on a busy machine they are longer.
struct WiegandTrain {
    /// The measured pulses and gaps of a frame.
    struct Lateness: Hashable {
        /// The longest pulse, and the longest gap between two pulses. Each is measured from the request of its first
        /// change to the completion of its second change, so the true time on the wire is not longer.
        var pulse: Duration = .zero
        var gap: Duration = .zero
    }

    private enum Phase {
        case idle
        case ready
        /// The beginning of a pulse was requested. The pulse counts as begun at the next call of ``wanted(at:)``.
        case rising
        case high(since: Instant)
        /// The end of the pulse was requested. The pulse counts as ended at the next call of ``wanted(at:)``.
        case falling
        case low(since: Instant)
    }

    private let bits: [Bool]
    private let timing: WiegandTiming
    private var phase = Phase.idle
    private var index = 0
    /// The instants at which the last change (`asked`) and the change before it (`before`) were requested.
    private var asked: Instant?
    private var before: Instant?
    private(set) var lateness = Lateness()

    /// Creates a frame that has not been started.
    init(_ bits: [Bool], _ timing: WiegandTiming) { (self.bits, self.timing) = (bits, timing) }

    /// Whether no frame is being sent.
    var isIdle: Bool { if case .idle = phase { true } else { false } }

    /// Whether the whole frame may have been sent: its last bit was requested.
    var mayBeWhole: Bool {
        switch phase {
        case .idle, .ready: false
        case .rising, .high, .falling, .low: index == bits.count - 1
        }
    }

    /// Whether a controller may have misread the last frame. SIA's AC-01 specifies pulses of 20 to 100 µs at
    /// intervals of at most 20 ms. Controllers tolerate longer times, but no tolerance beyond a millisecond is
    /// documented.
    var isDoubtful: Bool {
        lateness.pulse > timing.pulse + .milliseconds(1) || lateness.gap > timing.interval + .milliseconds(20)
    }

    /// Makes a frame begin at the next call of ``wanted(at:)``. Does nothing while a frame is being sent, or if the
    /// frame is empty.
    mutating func start() {
        guard isIdle, !bits.isEmpty else { return }
        (phase, index, asked, lateness) = (.ready, 0, nil, Lateness())
    }

    /// Breaks the frame off, because a wire failed.
    mutating func abort() { phase = .idle }

    /// Returns the wire that must be active (false: data 0, true: data 1; nil: neither), and the instant at which
    /// this function must be called again (nil: after the next ``start()``). The caller must set the wires before it
    /// calls this function again.
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
