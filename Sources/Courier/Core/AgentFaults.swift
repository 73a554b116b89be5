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

    /// A step of the service itself that uses the databases and concerns every destination.
    enum Step: Hashable, Sendable {
        /// The opening of the courier's database, up to the comparison with the ledger's cursors.
        case opening
        /// The creation and removal of destinations at the start.
        case preparation
        /// The deletion of connections.
        case deletion
    }

    /// The part of the courier that a fault comes from. The success of one part does not end the fault of another.
    private enum Source: Hashable {
        /// The agent of a destination, its connections or its invitations; or the mailbox.
        case agent(Text)
        /// The steps of a destination's links on the databases.
        case links(Text)
        /// The steps of a destination, or of the mailbox, on the courier's database.
        case steps(Text)
        /// A step of the service itself.
        case service(Step)
        /// The sealing keys of the databases, which are read only at the start.
        case keys

        /// The name of the destination; nil if the fault belongs to no single destination.
        var name: Text? {
            switch self {
            case .agent(let name), .links(let name), .steps(let name): name
            case .service, .keys: nil
            }
        }

        /// Returns whether the destination `name` has the fault.
        func concerns(_ name: Text) -> Bool {
            if case .service = self { true } else { self.name == name }
        }
    }

    /// The description of each fault, by fault and source.
    private var found: [ReasonCode: [Source: String]] = [:]

    /// Returns the faults of a destination.
    func of(_ name: Text) -> [ReasonCode] {
        Health.codes.filter { found[$0]?.keys.contains { $0.concerns(name) } == true }
    }

    /// Handles the result of a step of the service: the failure, or success (nil).
    mutating func take(_ step: Step, _ failure: String?) -> Change {
        failure.map { fail(.service(step), $0) } ?? recover(.service(step))
    }

    /// Handles the state of the sealing keys. `fault` stays until the next start.
    mutating func takeKeys(_ fault: String) -> Change { fail(.keys, fault) }

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
        case .storeFailed: fail(.links(name), notice.text)
        // A retired link stores nothing more.
        case .stored, .retired: recover(.links(name))
        case .found, .replaced, .rotated, .confirmed, .gone, .refill, .refused, .refusedAnswer, .acknowledged,
            .message, .problem, .discarded, .quarantined, .mailboxDenied:
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
        case .storeFailed: fail(.steps(MailboxManagerCore.destination), notice.text)
        case .stored: recover(.steps(MailboxManagerCore.destination))
        case .adopted, .replaced, .quarantined, .closed: Change()
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
        case .storeFailed: fail(.steps(name), notice.text)
        case .stored: recover(.steps(name))
        case .answeredOnce, .ofRequests: Change()
        }
    }

    /// Clears the faults of connections that were removed. A link of them that could not use the database stores
    /// nothing more. `isEmpty`: the destination has no connections any more, so only faults that do not depend on a
    /// connection stay. `isServed`: another connection of the destination is connected.
    mutating func removed(_ name: Text, isEmpty: Bool, isServed: Bool) -> Change {
        let gone =
            isEmpty
            ? Health.codes.filter { ![.ledgerBehind, .reportsDropped].contains($0) }
            : isServed ? [.agentUnconnected, .agentEnded] : []
        return Change(reports: recover(.links(name)).reports + clear(gone, name).reports)
    }

    private mutating func set(_ code: ReasonCode, _ name: Text, _ text: String) -> Change {
        put(code, .agent(name), text)
    }

    private mutating func clear(_ codes: [ReasonCode], _ name: Text) -> Change { remove(codes, .agent(name)) }

    /// Sets the fault that a part of the courier cannot use the database. The other destinations get no problem
    /// report: they use the same database.
    private mutating func fail(_ source: Source, _ text: String) -> Change {
        Change(reports: put(.agentUnreadable, source, text).reports)
    }

    private mutating func recover(_ source: Source) -> Change { remove([.agentUnreadable], source) }

    private mutating func put(_ code: ReasonCode, _ source: Source, _ text: String) -> Change {
        let before = found[code, default: [:]].updateValue(text, forKey: source)
        return Change(
            reports: before == text ? [] : [Self.present(code, source, text)], added: before == nil ? code : nil)
    }

    private mutating func remove(_ codes: [ReasonCode], _ source: Source) -> Change {
        var change = Change()
        for code in codes where found[code]?.removeValue(forKey: source) != nil {
            change.reports.append(found[code]?.first.map { Self.present(code, $0.key, $0.value) } ?? .over(code))
        }
        return change
    }

    private static func present(_ code: ReasonCode, _ source: Source, _ text: String) -> HealthReport {
        .present(code, detail: source.name.map { "\($0): \(text)" } ?? text)
    }
}
