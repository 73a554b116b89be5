import Encoding

/// The results of a crowd.
package struct CrowdFigures: Sendable {
    /// The number of visitors who have left, including visitors who leave early or whose phone behaves oddly (odd
    /// visitors).
    package internal(set) var visitors = 0
    /// The number of attackers who have given up.
    package internal(set) var attackers = 0
    /// The number of visitors whose wallet received the verdict accepted.
    package internal(set) var accepted = 0
    /// The number of visitors whose wallet received the verdict rejected.
    package internal(set) var rejected = 0
    /// The number of visitors without a verdict. Odd visitors are not counted.
    package internal(set) var unserved = 0
    /// The number of visitors with a wrong verdict, and of accepted attackers.
    package internal(set) var wrong = 0
    /// The number of connections made.
    package internal(set) var connections = 0
    /// The number of pulses at all gates.
    package internal(set) var pulses = 0
    /// The number of records that report a pulse.
    package internal(set) var recordedPulses = 0
    /// The number of records by the name of their result.
    package internal(set) var records: [String: Int] = [:]
    /// The number of intents without an outcome at the end.
    package internal(set) var openIntents = 0
    /// The violations of the kiosks' rules, and the protocol violations that phones or controllers detected. Of each
    /// gate, only the first 20 of either kind are listed.
    package internal(set) var faults: [String] = []
    /// The time from the first arrival to the end of the last counted visit.
    package internal(set) var time = Duration.zero
    /// The number of visitors who received a verdict within ``time``.
    package internal(set) var served = 0
    /// The times from the arrival at the gate to the verdict, in the order of the verdicts.
    package internal(set) var waiting: [Duration] = []
    /// The times from the start of the visitor's last link to the verdict, in the same order as ``waiting``.
    package internal(set) var linked: [Duration] = []
    /// The SHA-256 over all turns of all kiosks, with their times and packets, in hexadecimal.
    package internal(set) var digest = ""
    /// Whether all visitors had left at the end.
    package internal(set) var isOver = false

    /// Returns the visits per minute at each gate.
    package func visitsAMinute(gates: Int) -> Double {
        guard time > .zero else { return 0 }
        return Double(served) / Double(max(1, gates)) * (Duration.seconds(60) / time)
    }

    /// Whether no verdict is wrong or missing, no intent is open, no rule was violated, records and pulses agree, and
    /// all visitors have left.
    package var isRight: Bool {
        wrong + unserved + openIntents == 0 && faults.isEmpty && pulses == recordedPulses && isOver
            && records["accepted", default: 0] == pulses && accepted <= pulses
    }
}

extension [Duration] {
    /// Returns the time that the fraction `share` (0 to 1) of the times does not exceed; zero without times.
    package func percentile(_ share: Double) -> Duration {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .zero }
        let rank = (Double(sorted.count) * share).rounded(.up)
        return sorted[Swift.min(Swift.max(Int(rank) - 1, 0), sorted.count - 1)]
    }
}
