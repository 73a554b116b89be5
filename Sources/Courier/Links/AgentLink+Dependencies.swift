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
        /// Stores the state of the connection, and quarantines messages that it cannot read.
        package var store: any ConnectionStore
        /// The name of the connection's destination.
        package var destination: Text
        /// The outbox of the destination; nil for a link that delivers no reports.
        package var outbox: (any Outbox)?
        /// The settings of the delivery of reports.
        package var reports: ReportSettings
        /// The clock from which the link reads its times and dates.
        package var clock: Clock
        /// The access to the mailbox; nil if the gate has no mailbox.
        package var mailbox: (any MailboxAccess)?
        /// Returns whether a connection by the given invitation, which has no mailbox, asks its agent for one.
        package var asksForMailbox: @Sendable (Invitation) async -> Bool
        /// Whether the peer may grant a mailbox whose address has no TLS.
        package var allowsPlainHTTP = false
        /// The time limit for an agent's answer to the question whether it keeps messages.
        package var grant = MediationQuestion.answerTime
        /// The time after which a failed access to the ledger or the database is repeated.
        package var outboxRetry = Duration.seconds(5)
        /// Receives every notice, in order, on the link's executor. The closure must not block.
        package var observe: @Sendable (AgentNotice) -> Void

        /// Creates dependencies from the given values. Every other property has its default value.
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

        /// The part of the dependencies that the core needs.
        var policy: LinkCore.Policy {
            LinkCore.Policy(
                reports: reports, delivers: outbox != nil, allowsPlainHTTP: allowsPlainHTTP, grant: grant,
                retry: outboxRetry)
        }
    }

    /// The reason why a link ended.
    package enum End: Sendable {
        /// The task that runs the link was cancelled.
        case cancelled
        /// The peer has ended the connection, or no connection request was ever answered.
        case ended
        /// Another connection has replaced this one, or the link was stopped.
        case retired
        /// The peer keeps messages for this gate at the given address. The connection, whose state is `state`,
        /// becomes the connection to that mailbox.
        case granted(MailboxAddress, state: JSON)
    }
}
