import Encoding
import Kiosk
import Reasons

/// The faults of the destinations, which are reported as faults of the gate. A fault is in force while at least one
/// destination has it.
struct AgentFaults: Sendable {
    /// The effects of an event.
    struct Change: Hashable, Sendable {
        /// The reports to make, in this order.
        var reports: [HealthReport] = []
        /// The fault that the destination did not have before; nil if the event adds none.
        var added: ReasonCode?
    }

    /// The details by fault and destination.
    private var found: [ReasonCode: [Text: String]] = [:]

    /// Returns the faults of a destination.
    func of(_ name: Text) -> [ReasonCode] { Health.codes.filter { found[$0]?[name] != nil } }

    /// Handles an event on a connection of the destination `name`.
    mutating func take(_ notice: AgentNotice, of name: Text) -> Change {
        switch notice {
        case .connected: clear([.agentUnconnected, .agentEnded, .agentUnreadable, .agentSilent], name)
        case .tookOver:
            // A refusal or claim by the agent of another connection is no evidence about the agent of this connection.
            clear(
                [.agentUnconnected, .agentEnded, .agentUnreadable, .agentSilent, .reportsRefused, .agentClaims], name)
        case .alive: clear([.agentSilent, .agentUnreachable], name)
        case .reachable: clear([.agentUnreachable], name)
        case .unreachable: set(.agentUnreachable, name, notice.text)
        case .handshakeRefused, .unanswered, .gaveUp: set(.agentUnconnected, name, notice.text)
        case .silent: set(.agentSilent, name, notice.text)
        case .heard: clear([.agentSilent], name)
        case .held, .setAside, .pastUnread: set(.reportsRefused, name, notice.text)
        case .released: clear([.reportsRefused], name)
        // The reports stay lost, so the fault stays until the next start.
        case .pastGivenUp: set(.reportsDropped, name, notice.text)
        case .behind: set(.ledgerBehind, name, notice.text)
        case .claimed: set(.agentClaims, name, notice.text)
        case .agreed: clear([.agentClaims], name)
        case .ended: set(.agentEnded, name, notice.text)
        case .found, .retired, .replaced, .rotated, .confirmed, .gone, .refill, .refused, .refusedAnswer, .acknowledged,
            .message, .problem, .discarded, .storeFailed, .quarantined, .mailboxDenied:
            Change()
        }
    }

    /// Handles an event of the mailbox.
    mutating func take(_ notice: MailboxNotice) -> Change {
        switch notice {
        case .failed, .reachability(_?), .invitationFailed, .otherMailbox, .unreadable, .tokenFailed:
            set(.agentMailbox, MailboxManagerCore.destination, notice.text)
        case .cannotListen: set(.agentWebhook, MailboxManagerCore.destination, notice.text)
        case .listens: clear([.agentWebhook], MailboxManagerCore.destination)
        case .serves, .reachability(nil), .givenUp, .dropped: clear([.agentMailbox], MailboxManagerCore.destination)
        case .adopted, .replaced, .quarantined, .closed, .storeFailed: Change()
        }
    }

    /// Handles an event of the destination `name` outside its connections.
    mutating func take(_ notice: DestinationNotice, of name: Text) -> Change {
        switch notice {
        case .unreadable, .lost: set(.agentUnreadable, name, notice.text)
        case .ended: set(.agentEnded, name, notice.text)
        case .neverAnswered: set(.agentUnconnected, name, notice.text)
        case .invitationFailed(_, _, isConnected: true), .usedBefore(isConnected: true): Change()
        case .invitationFailed, .usedBefore: set(.agentUnconnected, name, notice.text)
        // An earlier fault of this destination is more specific: keep it.
        case .unconnected: of(name).isEmpty ? set(.agentUnconnected, name, notice.text) : Change()
        case .invitationRead: clear([.agentUnconnected], name)
        case .storeFailed, .answeredOnce, .ofRequests: Change()
        }
    }

    /// Clears the faults of earlier connections: a connection now leads to the destination.
    mutating func isServed(_ name: Text) -> Change { clear([.agentUnconnected, .agentEnded], name) }

    /// Clears the faults of a destination that has no connections left. The faults that do not depend on a
    /// connection stay.
    mutating func forget(_ name: Text) -> Change {
        clear(Health.codes.filter { ![.ledgerBehind, .reportsDropped].contains($0) }, name)
    }

    private mutating func set(_ code: ReasonCode, _ name: Text, _ text: String) -> Change {
        let before = found[code, default: [:]].updateValue(text, forKey: name)
        return Change(
            reports: before == text ? [] : [.present(code, detail: "\(name): \(text)")],
            added: before == nil ? code : nil)
    }

    private mutating func clear(_ codes: [ReasonCode], _ name: Text) -> Change {
        var change = Change()
        for code in codes where found[code]?.removeValue(forKey: name) != nil {
            change.reports.append(
                found[code]?.first.map { .present(code, detail: "\($0.key): \($0.value)") } ?? .over(code))
        }
        return change
    }
}
