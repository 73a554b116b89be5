import Aries
import DIDComm
import Encoding
import Mailboxes
import Store

extension LinkCore {
    /// The failure of the store or of the ledger, in words.
    struct StoreFailure: Error, Hashable, Sendable {
        let text: String
        init(_ error: any Error) { text = "\(error)" }
    }

    /// The present end of the ledger.
    struct LedgerEnd: Sendable {
        let point: ReportPoint
        /// Whether an entry that is not confirmed says that something went wrong at the gate.
        let isUrgent: Bool
    }

    /// An event for a link.
    enum Event: Sendable {
        /// The link begins to run. `question`: the id of the question whether the peer keeps messages for this gate;
        /// nil: it is not asked.
        case start(question: Text?)
        /// An entry was recorded, or another connection became the active one.
        case wake
        /// Start the next attempts at once.
        case retryNow
        /// An operator or another part of the gate asks the connection for something.
        case ask(AgentConnection.Event)
        /// A message from the mailbox.
        case mail(MailboxMessage)
        /// The result of ``Action/keep(_:handled:messages:answers:)``; nil: it is durable.
        case kept(StoreFailure?)
        /// The message of ``Action/post(_:url:body:)`` was accepted, with this answer.
        case answered(AgentConnection.ExchangeID, body: [UInt8])
        /// The message of ``Action/post(_:url:body:)`` could not be posted.
        case failed(AgentConnection.ExchangeID, ExchangeFailure)
        /// The result of ``Action/takeOver``; nil: a newer connection is active.
        case tookOver(Result<OutboxState?, StoreFailure>)
        /// The result of ``Action/lookAtEnd(after:)``; nil: this connection is no longer the active one.
        case end(Result<LedgerEnd?, StoreFailure>)
        /// The result of ``Action/examine(_:after:)``: the present end, and whether the gate signed the head that the
        /// peer returned.
        case examined(VerificationReport.Answer, Result<(LedgerEnd, isSigned: Bool)?, StoreFailure>)
        /// The result of ``Action/read(_:after:limit:bytes:reports:)``.
        case entries(Result<[ReportEntry]?, StoreFailure>)
        /// The result of ``Action/readHash(_:at:)``.
        case hash(Result<[UInt8]?, StoreFailure>, at: Int)
        /// The result of ``Action/confirm(_:handled:)``: the ids of the connections that were replaced.
        case confirmed(Result<[Text], StoreFailure>)
        /// The result of ``Action/giveUp(_:)``.
        case gaveUp(StoreFailure?)
        /// The result of ``Action/quarantine(_:_:)``.
        case quarantined(StoreFailure?)
    }

    /// A confirmation that is not durable yet.
    struct Confirmation: Sendable {
        let point: ReportPoint
        let isReceipt: Bool
        /// The positions of entries that the peer refuses.
        let passedOver: [Int]
    }

    /// The actions of a link, which its driver carries out in this order.
    enum Action: Sendable {
        /// Store the connection's state with the keys of messages, with the entries for the message book, and with the
        /// results of answers to its questions.
        case keep(JSON, handled: [[UInt8]], messages: [MessageEntry], answers: [AnswerChange])
        /// Post a message to the peer's server.
        case post(AgentConnection.ExchangeID, url: Text, body: [UInt8])
        /// Make the connection reachable at the mailbox under its present key.
        case open
        /// Report to the mailbox that the connection is connected.
        case connected
        /// Fetch messages from the mailbox.
        case fetch
        /// The effects of the messages with these uids are durable.
        case applied([Text])
        /// Make this connection the active one of its destination.
        case takeOver
        /// Read the end of the ledger.
        case lookAtEnd(after: Int)
        /// Read the end of the ledger, and check the peer's statement about it.
        case examine(VerificationReport.Answer, after: Int)
        /// Read entries of the ledger.
        case read(Text, after: Int, limit: Int, bytes: Int, reports: Bool)
        /// Read the hash of an entry of the ledger.
        case readHash(Text, at: Int)
        /// Store a confirmation of the destination.
        case confirm(Confirmation, handled: [[UInt8]])
        /// Give up the rest of an earlier ledger.
        case giveUp(Text)
        /// Quarantine a message that cannot be read.
        case quarantine(MailboxMessage, Discard)
        /// The inviter's answer whether this connection may be used for the invitation.
        case reused(Text, Bool)
        /// Report an event.
        case notice(AgentNotice)
        /// Whether the agent may still grant a mailbox over this connection.
        case asksForMailbox(Bool)
        /// The number of answers that wait to be sent.
        case unsent(Int)
    }

    /// How a link ended.
    enum End: Sendable {
        /// The peer has ended the connection, or never answered the connection request.
        case ended
        /// Another connection has replaced this one, or its link was stopped.
        case retired
        /// The peer keeps messages for this gate at the given address.
        case granted(MailboxAddress)
    }
}
