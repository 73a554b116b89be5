package import DIDComm
package import Encoding

/// Why an inbound message was dropped. Dropped messages are counted, never answered.
package enum Discard: String, Hashable, Sendable {
    /// The message is no envelope for one of the gate's keys, or it cannot be decrypted.
    case unreadable
    /// The message has no sender.
    case anonymous
    /// The sender of the message is not the key of this connection.
    case wrongSender
    /// The content of the envelope is no Aries message.
    case malformed
    /// The same sender sent a message with the same `@id` before.
    case duplicate
    /// The message belongs to no open exchange.
    case unexpected

    /// Whether the gate could not read it. Then no other copy of its content exists.
    package var isUnread: Bool {
        switch self {
        case .unreadable, .anonymous, .wrongSender, .malformed: true
        case .duplicate, .unexpected: false
        }
    }
}

extension AgentConnection {
    /// The number of one post. It distinguishes a late result from the result of the present post.
    package typealias ExchangeID = Int

    /// An event for a connection.
    package enum Event: Equatable, Sendable {
        /// The connection was made or restored and may now send.
        case start
        /// The next message to deliver. The event is ignored while another message is being delivered (see
        /// ``wantsMessage``).
        case deliver(OutboundMessage)
        /// Do not deliver the message with this id, if it is the one that is to be delivered. A post that is under
        /// way is not recalled.
        case withdraw(Text)
        /// Report a problem of the gate to the peer, with its code and an explanation in words. The report
        /// counts as an answer, so the limits of answers apply.
        case tell(code: Text, explanation: Text)
        /// A post was answered with a 2xx status. The body is empty or an envelope. The envelope is not
        /// necessarily the reply to the post.
        case answered(ExchangeID, body: [UInt8])
        /// A post failed, for the given reason.
        case failed(ExchangeID, ExchangeFailure)
        /// A message arrived in another way than as an answer to a post, for example from a mailbox.
        case received([UInt8])
        /// The mailbox accepts messages for the gate's key `for` at the given address. This event answers
        /// ``Action/needsAddress(_:)``.
        case address(MailboxAddress, for: Verkey)
        /// The mailbox will never accept messages for the given key. The connection must use another key.
        case keyRefused(Verkey)
        /// Ping the peer at once.
        case ping
        /// The invitation is from the same inviter. Ask the inviter whether it accepts this connection in
        /// place of a new connection. The answer is ``Action/reused(invitation:)`` or
        /// ``Action/reuseFailed(invitation:)``.
        case reuse(Invitation)
        /// Answer the requests that are attached to the given invitation.
        case answer(Invitation)
        /// Send `response` as the answer to the peer's question, which the caller keeps as `name`. `at`: the date,
        /// for an answer with a signature. The caller has checked that the question permits the answer.
        case respond(Message, name: Text, response: Text, at: Timestamp)
        /// Drop the answers of ``respond(_:name:response:at:)`` that the peer's server has not accepted yet.
        case dropOwed
        /// Start the next attempt at once, because the network works again or an operator asks for it.
        case retryNow
        /// The time of ``AgentConnection/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a connection, which its driver carries out in this order.
    package enum Action: Equatable, Sendable {
        /// Store this document durably before any later action. If that fails, a later post must not be sent
        /// but fail with ``ExchangeFailure/notStored``. The document contains keys.
        case persist(JSON)
        /// Post the bytes `body` to `url` as `application/didcomm-envelope-enc` and return the result as an
        /// event.
        case post(ExchangeID, url: Text, body: [UInt8])
        /// The given key is the connection's key from now on. The handshake waits for
        /// ``Event/address(_:for:)``, the address at which the mailbox accepts messages for the key. The
        /// action is also sent when a late answer makes an earlier key the connection's key again.
        case needsAddress(Verkey)
        /// Look in the mailbox: it may contain an awaited answer.
        case fetch
        /// The handshake with the given peer is complete.
        case connected(Peer)
        /// The inviter refused the handshake or answered it wrongly. The gate makes another attempt.
        case handshakeRefused(reason: Text)
        /// The inviter's server accepted the request in every form that the inviter offers, and no answer
        /// arrived; a new attempt follows.
        case unanswered
        /// No request was answered in ``Limits/rounds`` rounds, and none is sent any more.
        case gaveUp
        /// Posts to the peer began to succeed (nil) or to fail (the reason).
        case reachability(ExchangeFailure?)
        /// The peer answered the gate's ping with the id `ping`: both directions work.
        case alive(ping: Text)
        /// The message with the given id reached the peer's server (HTTP 2xx). This does not confirm that the
        /// peer processed it.
        case sent(Text)
        /// The peer's server refused the message with the given id itself, with `status`
        /// (``ExchangeFailure/isOfMessage``), or the message is too large to be sent to it (413). The message
        /// is not sent again automatically.
        case refused(Text, status: Int)
        /// The gate's ping with the given id, which asks for an answer, reached the peer's server.
        case pinged(Text)
        /// The peer acknowledged messages or reports with the given ids. Ignore unknown ids.
        case acknowledged([Text])
        /// The peer made a statement about the ledger.
        case answered(VerificationReport.Answer)
        /// The peer disclosed which of the queried protocols it supports.
        case disclosed([ProtocolName])
        /// The inviter accepts this connection for the invitation with the id `invitation`.
        case reused(invitation: Text)
        /// The inviter did not accept this connection for the invitation with the id `invitation`. Make a new
        /// connection.
        case reuseFailed(invitation: Text)
        /// The peer has another DID and another key from now on: those of the given peer.
        case rotated(Peer)
        /// A message of a protocol for mailboxes arrived: coordinate-mediation or messagepickup.
        case mailbox(Message)
        /// A basicmessage arrived that is not an acknowledgement.
        case message(id: Text, content: Text)
        /// A message that the peer started was handled, with the given result. Store it with the next
        /// ``persist(_:)`` at the latest before the message is released.
        case handled(Message, HandledMessage)
        /// The result `fate` of the answer `response` to the question that the owner stores as `to`. Store it with the
        /// next ``persist(_:)``.
        case answer(to: Text, response: Text, OwedAnswer.Fate)
        /// The peer reported a problem with the code `code`, in the thread `thread`.
        case problem(code: Text, thread: Text)
        /// An inbound message was dropped, for the given reason.
        case discarded(Discard)
        /// The peer ended the connection (did-rotate hangup). It sends nothing more.
        case ended
    }

    /// Limits and times.
    package struct Limits: Sendable {
        /// The time limit for an inviter's answer after it accepted the request.
        package var answer = Duration.seconds(15)
        /// The time limit for the inviter's answer if the answer can wait in a mailbox.
        package var lateAnswer = Duration.seconds(60)
        /// The time from a post to the first look in the mailbox for its answer. Each further wait is twice
        /// as long.
        package var firstLook = Duration.seconds(1)
        /// The longest time between two looks.
        package var longestLook = Duration.seconds(15)
        /// The time after which a post counts as failed even if the driver reports nothing.
        package var exchange = Duration.seconds(90)
        /// The maximum number of repetitions of a request that may have arrived.
        var resends = 2
        /// The number of rounds, in each of which every form of the request is tried, after which an unanswered
        /// handshake is given up: about three days with the longest wait between rounds.
        package var rounds = 300
        /// The first wait after a failure. Each further failure doubles it.
        package var firstRetry = Duration.seconds(1)
        /// The time between two requests for an address, until one is answered.
        package var address = Duration.seconds(15 * 60)
        /// The longest wait between attempts.
        package var longestRetry = Duration.seconds(15 * 60)
        /// The time between two pings that ask for an answer.
        var heartbeat = Duration.seconds(15 * 60)
        /// The number of inbound ids that are remembered to recognise repetitions.
        var rememberedIDs = 1024
        /// The maximum number of answers that wait to be sent, and of owed answers. Further answers are dropped.
        var waitingAnswers = 16
        /// The number of answers that may be sent one right after another.
        var answerBurst = 16
        /// The time between two answers after those.
        var answerInterval = Duration.seconds(1)
        /// The shortest time between two problem reports of the gate.
        var problemReportInterval = Duration.seconds(10)

        /// Creates the documented defaults.
        package init() {}
    }

    /// The operator's settings.
    package struct Configuration: Sendable {
        /// The gate's name, which is shown to the inviter's operator.
        package var label: Text
        /// Limits and times.
        package var limits: Limits
        /// The answers to the peer's requests.
        package var rules: RequestRules

        /// Creates the configuration of a gate with the name `label`.
        package init(label: Text, limits: Limits = Limits(), rules: RequestRules = RequestRules()) {
            (self.label, self.limits, self.rules) = (label, limits, rules)
        }
    }
}
