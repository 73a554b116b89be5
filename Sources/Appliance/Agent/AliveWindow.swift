import Aries
import Encoding
import Ledger

/// What was sent and is not confirmed yet, where an answered ping is what confirms.
struct AliveWindow {
    /// Reports before a ping.
    static let reports = 32
    /// How long a ping may stay without answer.
    static let answer = Duration.seconds(15)
    /// Pings without answer that make a peer silent.
    static let unanswered = 3

    /// The position of the last entry that was handed out.
    private(set) var position: Int
    private(set) var isSilent = false
    private var confirmed: Int
    private var reports = 0
    /// What the open ping covers, and when it was sent.
    private var ping: (position: Int, at: Instant)?
    private var unanswered = 0

    init(confirmed: Int) { (position, self.confirmed) = (confirmed, confirmed) }

    /// Whether a report may go out.
    var isOpen: Bool { ping == nil && reports < Self.reports && !isSilent }

    /// An entry is handed out; `isReport`: it is a message of its own.
    mutating func hand(out entry: LedgerEntry, isReport: Bool) {
        position = entry.position
        reports += isReport ? 1 : 0
    }

    /// Whether a ping is to be sent now; `isIdle`: there is no entry to hand out.
    mutating func wantsPing(isIdle: Bool, at now: Instant) -> Bool {
        if let ping {
            guard ping.at.advanced(by: Self.answer) <= now else { return false }
            unanswered += 1
            if unanswered >= Self.unanswered { (isSilent, position, reports) = (true, confirmed, 0) }
        } else if reports == 0 || !isIdle && reports < Self.reports {
            return false
        }
        ping = (position, now)
        return true
    }

    /// When ``wantsPing(isIdle:at:)`` is to be asked again.
    var deadline: Instant? { ping.map { $0.at.advanced(by: Self.answer) } }

    /// A ping was answered. Returns the position that is confirmed by it; nil: nothing new.
    mutating func answered() -> Int? {
        let wasSilent = isSilent
        (isSilent, unanswered, reports) = (false, 0, 0)
        guard let ping = ping.take(), !wasSilent, ping.position > confirmed else { return nil }
        confirmed = ping.position
        return confirmed
    }
}
