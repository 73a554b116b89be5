import Encoding
import Tuvali

/// Runs a session on a clock of its own and keeps the session's actions.
struct SessionDriver {
    private(set) var session: VerifierSession
    private(set) var now = Instant(nanoseconds: 1_000_000_000)
    /// Every action with its time.
    private(set) var log: [(at: Instant, action: SessionAction)] = []
    /// The verdict to give as soon as a payload is delivered.
    var verdict: Bool?

    init(key: VerifierKey, settings: SessionSettings = SessionSettings(), verdict: Bool? = nil) {
        session = VerifierSession(key: key, settings: settings, at: now)
        self.verdict = verdict
    }

    /// Passes one event to the session at the present time and returns the resulting actions.
    @discardableResult mutating func give(_ event: SessionEvent) -> [SessionAction] {
        var actions = session.handle(event, at: now)
        log += actions.map { (now, $0) }
        if let verdict, actions.contains(where: { if case .payload = $0 { true } else { false } }) {
            actions += give(.verdict(accepted: verdict))
        }
        return actions
    }

    /// Advances the clock and sends a timer event at each deadline on the way.
    mutating func advance(_ duration: Duration) {
        let end = now.advanced(by: duration)
        while let deadline = session.deadline, deadline <= end {
            now = max(now, deadline)
            give(.timer)
        }
        now = end
    }

    /// Advances the clock through at most `steps` deadlines until the session has ended. Returns whether it has ended.
    mutating func runOut(steps: Int = 100) -> Bool {
        for _ in 0..<steps {
            guard let deadline = session.deadline else { return true }
            now = max(now, deadline)
            give(.timer)
        }
        return session.deadline == nil
    }

    var actions: [SessionAction] { log.map(\.action) }

    var payloads: [TransferredPayload] {
        actions.compactMap { if case .payload(let payload) = $0 { payload } else { nil } }
    }

    var errors: [TuvaliError] {
        actions.compactMap { if case .failed(let error) = $0 { error } else { nil } }
    }

    var outcomes: [SessionOutcome] {
        actions.compactMap { if case .ended(let outcome) = $0 { outcome } else { nil } }
    }

    var notifications: [(characteristic: Characteristic, value: [UInt8])] {
        actions.compactMap {
            if case .notify(let characteristic, let value) = $0 { (characteristic, value) } else { nil }
        }
    }

    /// The values notified on one characteristic.
    func notified(_ characteristic: Characteristic) -> [[UInt8]] {
        notifications.filter { $0.characteristic == characteristic }.map(\.value)
    }

    /// The times of the notifications on one characteristic.
    func times(_ characteristic: Characteristic) -> [Instant] {
        log.compactMap { if case .notify(characteristic, _) = $0.action { $0.at } else { nil } }
    }
}

extension Characteristic {
    /// Finds the characteristic whose UUID has this text.
    init?(text: String) {
        guard let bytes = Hex.decode(text.filter { $0 != "-" }),
            let match = Characteristic.allCases.first(where: { $0.uuid(in: .b) == bytes })
        else { return nil }
        self = match
    }
}
