import Encoding
import Kiosk
import Reasons
import Synchronization

/// The faults of the destinations, reported as faults of the gate. A fault is in force while at least one
/// destination has it.
final class AgentHealth: Sendable {
    private let report: HealthReporter
    /// The details by fault and destination.
    private let found = Mutex<[ReasonCode: [Text: String]]>([:])

    init(report: @escaping HealthReporter) { self.report = report }

    /// Returns the faults of a destination.
    func faults(of name: Text) -> [ReasonCode] {
        found.withLock { found in Health.codes.filter { found[$0]?[name] != nil } }
    }

    /// Handles an event on a connection of the destination `name`. Returns the fault that the event adds; nil
    /// if it adds no fault.
    func take(_ notice: AgentNotice, of name: Text) -> ReasonCode? {
        switch notice {
        case .connected, .tookOver:
            isServed(name)
            for code in [ReasonCode.agentUnreadable, .agentSilent] { clear(code, name) }
            // A refusal or claim by the agent of another connection says nothing about this one.
            if case .tookOver = notice { for code in [ReasonCode.reportsRefused, .agentClaims] { clear(code, name) } }
            return nil
        case .alive:
            for code in [ReasonCode.agentSilent, .agentUnreachable] { clear(code, name) }
            return nil
        case .reachable: return clear(.agentUnreachable, name)
        case .unreachable: return set(.agentUnreachable, name, notice.text)
        case .handshakeRefused, .unanswered: return set(.agentUnconnected, name, notice.text)
        case .silent: return set(.agentSilent, name, notice.text)
        case .heard: return clear(.agentSilent, name)
        case .held, .setAside, .pastUnread: return set(.reportsRefused, name, notice.text)
        case .released: return clear(.reportsRefused, name)
        // The reports stay lost, so the fault stays until the next start.
        case .pastGivenUp: return set(.reportsDropped, name, notice.text)
        case .behind: return set(.ledgerBehind, name, notice.text)
        case .claimed: return set(.agentClaims, name, notice.text)
        case .agreed: return clear(.agentClaims, name)
        case .ended: return set(.agentEnded, name, notice.text)
        case .found, .retired, .replaced, .rotated, .confirmed, .gone, .refill, .refused, .refusedAnswer, .acknowledged,
            .message, .problem, .discarded, .storeFailed, .quarantined, .mailboxDenied:
            return nil
        }
    }

    /// Handles an event of the mailbox. Returns the fault that the event adds; nil if it adds no fault.
    func take(_ notice: MailboxNotice) -> ReasonCode? {
        switch notice {
        case .failed, .reachability(_?), .invitationFailed, .otherMailbox, .unreadable, .tokenFailed:
            return set(.agentMailbox, MailboxManager.destination, notice.text)
        case .cannotListen: return set(.agentWebhook, MailboxManager.destination, notice.text)
        case .listens: return clear(.agentWebhook, MailboxManager.destination)
        case .serves, .reachability(nil), .givenUp, .dropped: return clear(.agentMailbox, MailboxManager.destination)
        case .adopted, .replaced, .quarantined, .closed, .storeFailed: return nil
        }
    }

    /// Handles an event of the destination `name` outside its connections. Returns the fault that the event
    /// adds; nil if it adds no fault.
    func take(_ notice: DestinationNotice, of name: Text) -> ReasonCode? {
        switch notice {
        case .unreadable: set(.agentUnreadable, name, notice.text)
        case .ended: set(.agentEnded, name, notice.text)
        case .invitationFailed(_, _, isConnected: true), .usedBefore(isConnected: true): nil
        case .invitationFailed, .usedBefore: set(.agentUnconnected, name, notice.text)
        // An earlier fault of this destination is more specific: keep it.
        case .unconnected: faults(of: name).isEmpty ? set(.agentUnconnected, name, notice.text) : nil
        case .storeFailed: nil
        case .invitationRead: clear(.agentUnconnected, name)
        case .answeredOnce: nil
        }
    }

    /// Clears the faults of earlier connections: a connection now leads to the destination.
    func isServed(_ name: Text) {
        for code in [ReasonCode.agentUnconnected, .agentEnded] { clear(code, name) }
    }

    /// Clears the faults of a destination that has no connections left. The faults that do not depend on a
    /// connection stay.
    func forget(_ name: Text) {
        for code in Health.codes where ![.ledgerBehind, .reportsDropped].contains(code) { clear(code, name) }
    }

    private func set(_ code: ReasonCode, _ name: Text, _ text: String) -> ReasonCode? {
        let before = found.withLock { $0[code, default: [:]].updateValue(text, forKey: name) }
        if before != text { report(.present(code, detail: "\(name): \(text)")) }
        return before == nil ? code : nil
    }

    @discardableResult
    private func clear(_ code: ReasonCode, _ name: Text) -> ReasonCode? {
        let (wasThere, other) = found.withLock { found in
            let wasThere = found[code]?.removeValue(forKey: name) != nil
            return (wasThere, found[code]?.first)
        }
        if wasThere { report(other.map { .present(code, detail: "\($0.key): \($0.value)") } ?? .over(code)) }
        return nil
    }
}
