package import Aries
package import Clocks
package import Encoding
package import HTTPTransport
import Ledger
import Mailboxes

extension AgentLink {
    /// The parts that a link uses.
    package struct Dependencies: Sendable {
        /// Posts messages to the peer's server.
        package var exchange: any MessageExchange
        /// Stores the connection.
        package var store: any ConnectionStore
        /// The name of the destination that the connection leads to.
        package var destination: Text
        /// The entries that the destination is to get; nil for a link that only connects.
        package var outbox: (any Outbox)?
        /// How the destination gets its reports.
        package var reports: ReportSettings
        /// The clock.
        package var clock: Clock
        /// The access to the mailbox; nil if the gate has no mailbox.
        package var mailbox: (any MailboxAccess)?
        /// Whether a connection by the given invitation, which has no mailbox, is to ask its agent for a
        /// mailbox.
        package var asksForMailbox: @Sendable (Invitation) async -> Bool
        /// Whether a mailbox without TLS may be granted.
        package var allowsPlainHTTP = false
        /// How long an agent may take to say whether it keeps messages.
        package var grant = MediationQuestion.answerTime
        /// The time until a ledger or database that failed is tried again.
        package var outboxRetry = Duration.seconds(5)
        /// Receives every notice, in order, on the link's executor. The closure must not block.
        package var observe: @Sendable (AgentNotice) -> Void

        /// Creates dependencies from the given values. The other properties have their defaults.
        package init(
            exchange: any MessageExchange, store: any ConnectionStore,
            destination: Text = DeliveryCursor.primary, outbox: (any Outbox)? = nil,
            reports: ReportSettings = ReportSettings(), clock: Clock,
            mailbox: (any MailboxAccess)? = nil,
            asksForMailbox: @escaping @Sendable (Invitation) async -> Bool = { _ in false },
            observe: @escaping @Sendable (AgentNotice) -> Void = { _ in }
        ) {
            (self.exchange, self.store, self.destination, self.outbox) = (exchange, store, destination, outbox)
            (self.reports, self.clock, self.observe) = (reports, clock, observe)
            (self.mailbox, self.asksForMailbox) = (mailbox, asksForMailbox)
        }

        /// The properties of the dependencies that the core needs.
        var policy: LinkCore.Policy {
            LinkCore.Policy(
                reports: reports, delivers: outbox != nil, allowsPlainHTTP: allowsPlainHTTP, grant: grant,
                retry: outboxRetry)
        }
    }

    /// How a link ended.
    package enum End: Sendable {
        /// The task that runs the link was cancelled.
        case cancelled
        /// The peer has ended the connection, or never answered the connection request.
        case ended
        /// Another connection has replaced this one, or its link was stopped.
        case retired
        /// The peer keeps messages for this gate at the given address. From now on the connection, whose
        /// state is `state`, leads to the mailbox.
        case granted(MailboxAddress, state: JSON)
    }
}
