import Encoding

/// What came of a crowd.
package struct CrowdFigures: Sendable {
    /// Visitors who have gone, odd ones included, and attackers who have given up for a while.
    package internal(set) var visitors = 0
    /// See `visitors`.
    package internal(set) var attackers = 0
    /// Visitors who were told that they may pass, and those who were told that they may not.
    package internal(set) var accepted = 0
    /// See `accepted`.
    package internal(set) var rejected = 0
    /// Visitors, not counting odd ones, who were told nothing.
    package internal(set) var unserved = 0
    /// Visitors who were told the contrary of what they should have been, and attackers who may pass.
    package internal(set) var wrong = 0
    /// Connections.
    package internal(set) var connections = 0
    /// Pulses of all gates, and records that tell of one.
    package internal(set) var pulses = 0
    /// See `pulses`.
    package internal(set) var recordedPulses = 0
    /// Records by the name of their result.
    package internal(set) var records: [String: Int] = [:]
    /// Intents that never had an outcome.
    package internal(set) var openIntents = 0
    /// Rules that a kiosk broke, and what phones or controllers found against the protocol; the first of each gate.
    package internal(set) var faults: [String] = []
    /// From the first arrival to the end of the last that was counted in.
    package internal(set) var time = Duration.zero
    /// Visitors who were told a verdict within ``time``.
    package internal(set) var served = 0
    /// From standing before the gate with the phone out to hearing the verdict, in the order of hearing.
    package internal(set) var waiting: [Duration] = []
    /// From the last link's coming about to hearing the verdict, in the same order.
    package internal(set) var linked: [Duration] = []
    /// SHA-256 over all turns of all kiosks, with their times and packets, as hexadecimal digits.
    package internal(set) var digest = ""
    /// Whether everybody was gone at the end.
    package internal(set) var isOver = false

    /// Visits a minute at each gate.
    package func visitsAMinute(gates: Int) -> Double {
        guard time > .zero else { return 0 }
        return Double(served) / Double(max(1, gates)) * (Duration.seconds(60) / time)
    }

    /// Whether nobody was let in wrongly, everybody with a credential was told, and records and pulses agree.
    package var isRight: Bool {
        wrong + unserved + openIntents == 0 && faults.isEmpty && pulses == recordedPulses && isOver
            && records["accepted", default: 0] == pulses && accepted <= pulses
    }
}

extension [Duration] {
    /// That share (0 … 1) of these times is no longer; zero where there are none.
    package func percentile(_ share: Double) -> Duration {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .zero }
        let rank = (Double(sorted.count) * share).rounded(.up)
        return sorted[Swift.min(Swift.max(Int(rank) - 1, 0), sorted.count - 1)]
    }
}
