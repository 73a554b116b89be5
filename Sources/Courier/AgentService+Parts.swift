import Aries
import Encoding
import HTTPTransport
import Ledger
import Mailboxes
import Settings
import Store

// The parts that the service runs: the mailbox manager and the destinations.
extension AgentService {
    /// The settings of the connections.
    var connection: AgentConnection.Configuration { Self.connection(configuration, times.connection) }

    /// Creates the mailbox manager of the configured mailbox.
    func mailboxManager(_ exchange: HTTPExchange, _ courier: CourierStore) -> MailboxManager {
        let choice: MailboxManager.Choice =
            switch configuration.agent.mailbox {
            case .auto: .auto
            case .none: .none
            case .invitation(let text): .invitation(text)
            case .agency: configuration.agency.settings.map { .agency($0) } ?? .none
            }
        let source = configuration.agency.token
        var settings = Mediator.Configuration(
            connection: connection, allowsPlainHTTP: configuration.agent.allowPlainHTTP)
        settings.limits = times.mediator
        return MailboxManager(
            choice,
            MailboxManager.Dependencies(
                exchange: network ?? exchange, store: courier, settings: settings,
                invitation: { try await InvitationReader.read($0, by: exchange) },
                token: { () throws(TokenSource.Failure) in try await source?.token(by: exchange) },
                longestTokenPause: source?.longestPause ?? .zero,
                webhook: configuration.agency.listener.map { .init($0.address, target: $0.target) },
                isWoken: purpose == .service, webhookPause: times.wake,
                refused: StoredInvitations(withoutMailbox: courier), clock: clock, spawner: spawner,
                notice: { [weak self] in self?.take(.mailbox($0)) }))
    }

    /// Creates the destination `name`, which reads invitations from `files`.
    func destination(
        _ name: Text, _ files: [String], _ mailboxes: MailboxManager, _ exchange: HTTPExchange, _ courier: CourierStore
    ) throws -> Destination {
        var link = AgentLink.Dependencies(
            exchange: network ?? exchange, store: courier, destination: name,
            outbox: purpose == .service
                ? StoredOutbox(store, courier, name, observe: { [weak self] in self?.take($0, name) }) : nil,
            reports: configuration.agent.reports,
            clock: clock, mailbox: mailboxes,
            asksForMailbox: { invitation in
                guard case .auto = mailboxes.choice, name == DeliveryCursor.primary else { return false }
                return await mailboxes.permits(invitation)
            },
            observe: { [weak self] in self?.take($0, name) })
        link.allowsPlainHTTP = configuration.agent.allowPlainHTTP
        link.grant = times.grant
        return try Destination(
            files: files,
            Destination.Dependencies(
                invitation: { (file) async throws(InvitationReader.Failure) in
                    try await InvitationReader.read(file, by: exchange)
                },
                link: link, settings: connection, invitations: StoredInvitations(courier, name), mailboxes: mailboxes,
                trial: times.trial, notice: { [weak self] in self?.take(.destination($0, of: name)) }, pause: times.look
            ),
            random: AgentLinks.randomStream())
    }
}
