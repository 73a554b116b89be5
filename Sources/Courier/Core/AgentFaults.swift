import Encoding
import Kiosk
import Reasons

/// The faults of the destinations. The gate reports each as a fault of the gate, as long as at least one destination
/// has it.
struct AgentFaults: Sendable {
    /// The change that an event makes.
    struct Change: Hashable, Sendable {
        /// The reports about faults of the gate, in order.
        var reports: [HealthReport] = []
        /// The fault that the event adds to a destination; nil if it adds none.
        var added: ReasonCode?
    }

    /// The description of each fault, by fault and destination.
    private var found: [ReasonCode: [Text: String]] = [:]

    /// Returns the faults of a destination.
    func of(_ name: Text) -> [ReasonCode] { Health.codes.filter { found[$0]?[name] != nil } }

    /// Handles a notice of a connection to the destination `name`.
    mutating func take(_ notice: AgentNotice, of name: Text) -> Change {
        switch notice {
        case .connected: clear([.agentUnconnected, .agentEnded, .agentUnreadable, .agentSilent], name)
        case .tookOver:
            // A refusal or a claim by the agent of another connection is no evidence about the agent of this
            // connection.
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
        // The reports are lost permanently, so this fault stays until the next start.
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

    /// Handles a notice of the mailbox.
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

    /// Handles a notice of the destination `name` that is not about one of its connections.
    mutating func take(_ notice: DestinationNotice, of name: Text) -> Change {
        switch notice {
        case .unreadable, .lost: set(.agentUnreadable, name, notice.text)
        case .ended: set(.agentEnded, name, notice.text)
        case .neverAnswered: set(.agentUnconnected, name, notice.text)
        case .invitationFailed(_, _, isConnected: true), .usedBefore(isConnected: true): Change()
        case .invitationFailed, .usedBefore: set(.agentUnconnected, name, notice.text)
        // If the destination has another fault, that fault is more specific. Add none.
        case .unconnected: of(name).isEmpty ? set(.agentUnconnected, name, notice.text) : Change()
        case .invitationRead: clear([.agentUnconnected], name)
        case .storeFailed, .answeredOnce, .ofRequests: Change()
        }
    }

    /// Clears the faults of connections that were removed: another connection of the destination is connected.
    mutating func isServed(_ name: Text) -> Change { clear([.agentUnconnected, .agentEnded], name) }

    /// Clears the faults of a destination that has no connections any more, except those that do not depend on a
    /// connection.
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
