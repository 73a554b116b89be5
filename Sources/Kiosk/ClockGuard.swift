package import Encoding
import Reasons

/// Judges how far the machine's date can be trusted, so that a clock that falls back, jumps ahead or contradicts the
/// ledger cannot make the gate admit a visitor.
///
/// The guard is a value that handles readings of the machine's clocks and reports faults of the date. It compares the
/// date with:
/// - the newest record and the day on which the program was made, which are lower bounds that the monotonic clock
///   carries forward;
/// - the previous reading, whose difference shows a step;
/// - the date that was confirmed since the machine was started (``ConfirmedDate``);
/// - the battery-backed clock, which counts only as long as it still shows the same date as the system;
/// - the first date that a time server gave, and the newest date that was ever believed; only for a date that a time
///   server gives.
///
/// If a time server's date differs from one of these last two dates by more than ``contradiction``, the gate does not
/// trust it until an operator accepts it (``accept(_:)``). If only a time server says how long the machine was off,
/// rules with opening hours must also be satisfied at an ``EarlierDate``.
package struct ClockGuard: Sendable {
    /// One reading of the machine's clocks.
    package struct Reading: Hashable, Sendable {
        /// The system's date, right or wrong.
        package var utc: Timestamp
        /// The time on the monotonic clock at the moment of the reading.
        package var monotonic: Instant
        /// Whether the system reports that a time server synchronises its clock.
        package var isSynchronised: Bool
        /// The state of the battery-backed clock, compared with the system's date.
        package var hardware: HardwareClock
        /// Whether the date is the one that the machine saved at its last stop, advanced by the time since
        /// the start.
        package var isSaved: Bool
        /// Whether the battery-backed clock does not answer now, whatever it showed before.
        package var isSilent: Bool

        /// Creates a reading from the values of its properties.
        package init(
            utc: Timestamp, monotonic: Instant, isSynchronised: Bool, hardware: HardwareClock, isSaved: Bool = false,
            isSilent: Bool = false
        ) {
            self.utc = utc
            self.monotonic = monotonic
            self.isSynchronised = isSynchronised
            self.hardware = hardware
            self.isSaved = isSaved
            self.isSilent = isSilent
        }
    }

    /// The largest difference between a date and the known dates at which the gate still trusts the date.
    package static let contradiction: Duration = .seconds(86_400)
    /// How long a synchronised clock must run without a step before the fault that reports the last step ends.
    package static let settling: Duration = .seconds(60)
    /// How long the battery-backed clock must have been wrong before its fault is reported: `patience` without a time
    /// server, `setting` with one. The second value is a little longer than the 11 minutes after which the kernel sets
    /// the clock.
    package static let (patience, setting): (Duration, Duration) = (.seconds(60), .seconds(900))
    /// How long a date to which the clock was moved must hold before it is confirmed, unless the configuration sets
    /// another duration.
    package static let usualSettle: Duration = .seconds(6 * 3600)
    /// The smallest skew that counts. With a smaller skew, a leap second would count as a step.
    package static let leastSkew: Duration = .seconds(2)

    private enum Finding {
        case believed(WallTime.Provenance)
        /// The date is before the lower bound.
        case behind
        /// The date was set forward by no trusted source while the machine was running.
        case ahead
        case contradicted
    }

    private let skew: Duration
    private let made: Timestamp
    /// Since when the battery-backed clock has been wrong; nil if it is not.
    private var hardwareSince: Instant?
    /// The lower bound of the date: at first the newest record's date, later the newest date that was believed. A date
    /// from a time server may lower the bound.
    private var bound: DatedInstant?
    /// A lower bound like ``bound`` that only an operator can lower, so that a clock cannot be set back in steps.
    private var highest: DatedInstant?
    /// Whether ``bound`` is a date of this start of the machine, and whether a time server vouched for it.
    private var (isOwn, isVouched) = (false, false)
    /// The first date of this start of the machine that a time server vouched for without doubt. Steps of the
    /// clock are measured from this date, so that many small steps lead no further than one large step.
    private var limit: DatedInstant?
    private var dates: ConfirmedDate
    private var earlier: EarlierDate
    private let isAuthenticated: Bool
    private var isContradicted = false
    private var last: DatedInstant?
    private var (steps, steppedAt): (Int, Instant?) = (0, nil)
    private var synchronisedAt: Instant?
    private var present: Set<ReasonCode> = []

    /// The state that the next start of the program needs. Nil before the first reading, and as long as no confirmed
    /// date is known that more than a saved date supports.
    package var memory: ClockMemory? {
        guard let last, dates.good != nil || earlier.date != nil else { return nil }
        let (highest, limit) = dates.good == nil ? (nil, nil) : (highest, limit)
        return ClockMemory(
            at: last.at, confirmed: dates.good, highest: highest, limit: limit, earlier: earlier.date,
            suspicion: earlier.suspicion)
    }

    /// The date that the gate assumes, as of the last reading of the clocks.
    package private(set) var time: WallTime

    /// Creates a guard that has handled no reading yet.
    ///
    /// - Parameters:
    ///   - newest: The date of the newest record; nil at a new gate.
    ///   - skew: The largest difference of two clocks that is no step; ``leastSkew`` replaces a smaller value.
    ///   - settle: How long a date to which the clock was moved must hold before it is confirmed.
    ///   - memory: The value of ``memory`` when the program ended; after a restart of the machine, the result of
    ///     ``ClockMemory/afterRestart(at:)``. Without a memory the newest record's date is the last confirmed one.
    ///   - isAuthenticated: Whether the time server is known to be the operator's (`clock.authenticated`).
    ///   - made: The day on which this program was made: no earlier date is right.
    ///   - now: The instant from which the newest record's date is carried forward.
    package init(
        newest: Timestamp?, skew: Duration, settle: Duration = Self.usualSettle, memory: ClockMemory? = nil,
        isAuthenticated: Bool = false, made: Timestamp = Timestamp(seconds: 0), at now: Instant
    ) {
        self.skew = max(skew, Self.leastSkew)
        dates = ConfirmedDate(skew: self.skew, settle: settle, kept: memory?.confirmed)
        limit = memory?.limit
        (self.made, self.isAuthenticated) = (made, isAuthenticated)
        bound = newest.map { DatedInstant(utc: max($0, made), at: now) }
        highest = [bound, memory?.highest].compactMap(\.self).max { $0.carried(to: now) < $1.carried(to: now) }
        time = WallTime(utc: newest ?? Timestamp(seconds: 0), provenance: .unset)
        earlier = EarlierDate(
            memory == nil ? bound : memory?.earlier, skew: self.skew, settle: settle,
            suspicion: memory?.suspicion ?? .nothing)
    }

    /// Handles a reading of the clocks, which must not be older than the previous reading. Returns the faults
    /// that begin or end.
    package mutating func handle(_ look: Reading) -> [HealthReport] {
        var reports = noteStep(look)
        let finding = judge(look)
        believe(look, finding)
        reports += report(.clockContradicted, isContradicted || isDeadBattery(look), detail: difference(look))
        reports += noteHardware(look)
        reports += noteDoubt()
        if let since = steppedAt, case .believed(.synchronised) = finding,
            since.duration(to: look.monotonic) >= Self.settling
        {
            steppedAt = nil
            reports += report(.clockStepped, false)
        }
        return reports
    }

    /// Handles a date that an operator read at the instant in `date` and declared right. This date replaces all
    /// earlier knowledge, and the next reading is judged by it alone. A date before the program was made is wrong and
    /// is ignored.
    package mutating func accept(_ date: DatedInstant) -> [HealthReport] {
        if date.utc < made { return [] }
        bound = date
        highest = bound
        (isOwn, isVouched, limit, isContradicted) = (false, false, nil, false)
        (last, steppedAt) = (nil, nil)
        dates.accept(date)
        earlier.confirm()
        (time.alternative, time.lastConfirmed) = (nil, nil)
        return [.clockContradicted, .clockStepped, .clockUnconfirmed].flatMap { report($0, false) }
    }

    // MARK: - Faults

    private mutating func noteStep(_ look: Reading) -> [HealthReport] {
        defer { last = DatedInstant(utc: look.utc, at: look.monotonic) }
        guard let step = last?.carried(to: look.monotonic).duration(to: look.utc), abs(step) > skew else { return [] }
        steps += 1
        steppedAt = look.monotonic
        present.insert(.clockStepped)
        let seconds = abs(step).components.seconds
        return [.present(.clockStepped, count: steps, detail: "\(seconds) s \(step < .zero ? "back" : "forward")")]
    }

    private mutating func noteHardware(_ look: Reading) -> [HealthReport] {
        // Report a clock that has fallen silent, although the date that it showed before still counts.
        guard let trouble = look.hardware.trouble ?? (look.isSilent ? HardwareClock.silent.trouble : nil) else {
            hardwareSince = nil
            return report(.clockHardware, false)
        }
        let since = hardwareSince ?? look.monotonic
        hardwareSince = since
        let patience = look.isSynchronised ? Self.setting : Self.patience
        return since.duration(to: look.monotonic) < patience ? [] : report(.clockHardware, true, detail: trouble)
    }

    private mutating func noteDoubt() -> [HealthReport] {
        func words(_ date: Timestamp) -> String { date.rfc3339.prefix(16) + "Z" }
        let doubt =
            time.alternative.map { "\(words(time.utc)) or \(words($0))" }
            ?? time.lastConfirmed.map { "\(words(time.utc)); confirmed before the start: \(words($0))" }
        return report(.clockUnconfirmed, doubt != nil, detail: doubt)
    }

    private mutating func report(_ code: ReasonCode, _ isPresent: Bool, detail: String? = nil) -> [HealthReport] {
        if isPresent { return present.insert(code).inserted ? [.present(code, detail: detail)] : [] }
        return present.remove(code) == nil ? [] : [.over(code)]
    }

    private func difference(_ look: Reading) -> String? {
        highest.map { newest in
            let difference = newest.carried(to: look.monotonic).duration(to: look.utc)
            return "\(abs(difference).components.seconds) s \(difference < .zero ? "before" : "after") the known time"
        }
    }

    /// Whether the hardware clock has lost its battery: it is behind the newest record by more than
    /// ``contradiction``.
    private func isDeadBattery(_ look: Reading) -> Bool {
        guard let highest, look.hardware != .absent, !look.isSynchronised else { return false }
        return look.utc < highest.carried(to: look.monotonic).advanced(by: .zero - Self.contradiction)
    }

    // MARK: - The trusted date

    private func judge(_ look: Reading) -> Finding {
        let now = look.monotonic
        // A date that a time server has set and that has not been moved since is as trusted as a date kept by
        // a battery, even without a battery-backed clock: the system's own clock has advanced it. Rules that
        // need a time server's confirmation from time to time use max-unsynced.
        let isTimed = look.hardware == .agrees || isVouched
        guard let bound, let highest else {
            if look.utc < made { return .believed(.unset) }
            return .believed(look.isSynchronised ? .synchronised : isTimed ? .rtc : look.isSaved ? .saved : .unset)
        }
        let date = bound.carried(to: now)
        if look.isSynchronised {
            if look.utc < highest.carried(to: now).advanced(by: .zero - Self.contradiction) { return .contradicted }
            if let limit, look.utc > limit.carried(to: now).advanced(by: Self.contradiction) {
                return .contradicted
            }
            return .believed(.synchronised)
        }
        if isContradicted { return .contradicted }
        if look.utc < date.advanced(by: .zero - skew) { return .behind }
        if isOwn, look.utc > date.advanced(by: skew) { return .ahead }
        return .believed(isTimed ? .rtc : .saved)
    }

    private mutating func believe(_ look: Reading, _ finding: Finding) {
        let now = look.monotonic
        let date = bound?.carried(to: now) ?? look.utc
        isContradicted = false
        switch finding {
        case .believed(let provenance):
            if provenance == .synchronised { synchronisedAt = now }
            time = WallTime(utc: look.utc, provenance: provenance)
            if provenance == .unset { break }
            let anchor = DatedInstant(utc: look.utc, at: now)
            if provenance == .synchronised || look.utc >= date { bound = anchor }
            (isOwn, isVouched) = (true, isVouched || provenance == .synchronised)
            time.alternative = dates.handle(time, at: now)
            // A date in doubt raises no bound, because only an operator could lower the bound again.
            if time.alternative != nil { break }
            if look.utc >= highest?.carried(to: now) ?? look.utc { highest = anchor }
            if provenance == .synchronised { limit = limit ?? anchor }
        case .behind:
            time = WallTime(utc: date.advanced(by: .zero - skew), provenance: .saved)
            time.alternative = dates.handle(time, at: now)
        case .ahead:
            time = WallTime(utc: date, provenance: .saved)
            time.alternative = dates.handle(time, at: now)
        case .contradicted:
            time = WallTime(utc: date, provenance: .unset)
            time.alternative = dates.handle(time, at: now)
            isContradicted = true
        }
        time.lastConfirmed = earlier.handle(
            time, look, isAuthenticated: isAuthenticated, isCalm: steppedAt == nil,
            isRenewed: dates.confirmed?.at == now)
        time.unsynchronised = synchronisedAt?.duration(to: now)
    }
}
