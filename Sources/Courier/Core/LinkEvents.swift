import Aries
import DIDComm
import Encoding
import Mailboxes
import Store

extension LinkCore {
    /// A failure of the store or of the ledger, described in words.
    struct StoreFailure: Error, Hashable, Sendable {
        let text: String
        init(_ error: any Error) { text = "\(error)" }
    }

    /// The present end of the ledger.
    struct LedgerEnd: Sendable {
        let point: ReportPoint
        /// Whether an unconfirmed entry reports a failure or a rejection at the gate.
        let isUrgent: Bool
    }

    /// An event for a link.
    enum Event: Sendable {
        /// The link begins to run. `question`: the id for the question whether the peer keeps messages for this gate;
        /// nil: the link does not ask.
        case start(question: Text?)
        /// An entry was recorded, or another connection may have become the active one.
        case wake
        /// Make the next attempts now.
        case retryNow
        /// An event for the connection, from an operator or another part of the gate.
        case ask(AgentConnection.Event)
        /// A message from the mailbox.
        case mail(MailboxMessage)
        /// The result of ``Action/keep(_:handled:messages:answers:)``: the failure; nil if the state is durable.
        case kept(StoreFailure?)
        /// The result of ``Action/post(_:url:body:)``: the server accepted the message and returned `body`.
        case answered(AgentConnection.ExchangeID, body: [UInt8])
        /// The result of ``Action/post(_:url:body:)``: the message could not be posted.
        case failed(AgentConnection.ExchangeID, ExchangeFailure)
        /// The result of ``Action/takeOver``; nil: a newer connection is the active one.
        case tookOver(Result<OutboxState?, StoreFailure>)
        /// The result of ``Action/lookAtEnd(after:)``; nil: this connection is no longer the active one.
        case end(Result<LedgerEnd?, StoreFailure>)
        /// The result of ``Action/examine(_:after:)``: the present end of the ledger, and whether the gate has signed
        /// the head in the peer's statement.
        case examined(VerificationReport.Answer, Result<(LedgerEnd, isSigned: Bool)?, StoreFailure>)
        /// The result of ``Action/read(_:after:limit:bytes:reports:)``: the entries; nil if this connection is no
        /// longer the active one.
        case entries(Result<[ReportEntry]?, StoreFailure>)
        /// The result of ``Action/readHash(_:at:)``: the hash of the entry at this position; nil if the ledger does
        /// not have it.
        case hash(Result<[UInt8]?, StoreFailure>, at: Int)
        /// The result of ``Action/confirm(_:handled:)``: the ids of the connections that this one has replaced.
        case confirmed(Result<[Text], StoreFailure>)
        /// The result of ``Action/giveUp(_:)``: the failure; nil if the delivery of the earlier ledger has ended.
        case gaveUp(StoreFailure?)
        /// The result of ``Action/quarantine(_:_:)``: the failure; nil if the message is in quarantine.
        case quarantined(StoreFailure?)
    }

    /// A confirmation by the destination that is still to be stored.
    struct Confirmation: Sendable {
        let point: ReportPoint
        let isReceipt: Bool
        /// The positions, up to the confirmed one, of entries that the peer refuses.
        let passedOver: [Int]
    }

    /// The actions of a link, which its driver carries out in this order.
    enum Action: Sendable {
        /// Store the connection's state, the keys of handled messages, entries for the message book, and results of
        /// answers to its questions, in one transaction.
        case keep(JSON, handled: [[UInt8]], messages: [MessageEntry], answers: [AnswerChange])
        /// Post a message to the peer's server.
        case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
        /// Make the mailbox accept messages for the connection's present key.
        case open
        /// Report to the mailbox that the handshake is complete.
        case connected
        /// Fetch messages from the mailbox.
        case fetch
        /// Report to the mailbox that the effects of the messages with these ids are durable.
        case applied([Text])
        /// Make this connection the active one of its destination.
        case takeOver
        /// Read the end of the ledger.
        case lookAtEnd(after: Int)
        /// Read the end of the ledger, and check the signature of the head in the peer's statement.
        case examine(VerificationReport.Answer, after: Int)
        /// Read entries of the ledger.
        case read(Text, after: Int, limit: Int, bytes: Int, reports: Bool)
        /// Read the hash of an entry of the ledger.
        case readHash(Text, at: Int)
        /// Store a confirmation of the destination.
        case confirm(Confirmation, handled: [[UInt8]])
        /// Stop the delivery of an earlier ledger: the destination never gets its remaining entries.
        case giveUp(Text)
        /// Quarantine a message that cannot be read.
        case quarantine(MailboxMessage, Discard)
        /// Report the inviter's answer to the question whether it accepts this connection for the invitation with
        /// this id.
        case reused(Text, Bool)
        /// Report an event.
        case notice(AgentNotice)
        /// Report whether the agent may still grant a mailbox over this connection.
        case asksForMailbox(Bool)
        /// Report the number of answers that wait to be sent.
        case unsent(Int)
    }

    /// The reason why a link ended.
    enum End: Sendable {
        /// The peer has ended the connection, or no connection request was ever answered.
        case ended
        /// Another connection has replaced this one, or the link was stopped.
        case retired
        /// The peer keeps messages for this gate at the given address.
        case granted(MailboxAddress)
    }
}
