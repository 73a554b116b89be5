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

    /// Whether the gate could not read the message. Only then does the gate store the message in the quarantine, so
    /// that its content is not lost.
    package var isUnread: Bool {
        switch self {
        case .unreadable, .anonymous, .wrongSender, .malformed: true
        case .duplicate, .unexpected: false
        }
    }
}

extension AgentConnection {
    /// The number of a post in its connection. It distinguishes a late result from the result of the present post.
    package typealias ExchangeID = Int

    /// An event for a connection.
    package enum Event: Equatable, Sendable {
        /// The connection was made or restored and may now send.
        case start
        /// The next message to deliver. The event is ignored while another message is being delivered (see
        /// ``wantsMessage``).
        case deliver(OutboundMessage)
        /// Do not deliver the message with the given id if it still waits for delivery. A post of the message that is
        /// already under way continues.
        case withdraw(Text)
        /// Report a problem of the gate to the peer: its code, and an explanation in words. The report counts as an
        /// answer, so the limits for answers apply to it.
        case tell(code: Text, explanation: Text)
        /// The peer's server answered a post with a 2xx status. The body is empty or an envelope, which may contain
        /// another message than the reply to the post.
        case answered(ExchangeID, body: [UInt8])
        /// A post failed, for the given reason.
        case failed(ExchangeID, ExchangeFailure)
        /// A message arrived, but not in the response to a post; for example, it was read from a mailbox.
        case received([UInt8])
        /// The mailbox accepts messages for the gate's key `for` at the given address. This event is the reply to
        /// ``Action/needsAddress(_:)``.
        case address(MailboxAddress, for: Verkey)
        /// The mailbox will never accept messages for the given key. The connection must use another key.
        case keyRefused(Verkey)
        /// Ping the peer at once.
        case ping
        /// The given invitation is from the inviter of this connection. Ask the inviter whether it accepts this
        /// connection in place of a new one. The result is ``Action/reused(invitation:)`` or
        /// ``Action/reuseFailed(invitation:)``.
        case reuse(Invitation)
        /// Answer the requests that are attached to the given invitation.
        case answer(Invitation)
        /// Send `response` as the answer to the peer's question, which the caller stores under the name `name`. `at`:
        /// the date for a signed answer. The caller has checked that the question permits the answer.
        case respond(Message, name: Text, response: Text, at: Timestamp)
        /// Drop the answers of ``respond(_:name:response:at:)`` that the peer's server has not accepted yet.
        case dropOwed
        /// Make the next attempt without waiting, because the network works again or an operator asks for it.
        case retryNow
        /// The time of ``AgentConnection/deadline`` is reached.
        case deadlineReached
    }

    /// The actions of a connection. The driver carries them out in the order in which they are returned.
    package enum Action: Equatable, Sendable {
        /// Store this document durably before carrying out any later action. If storing fails, do not send later posts
        /// but report them as failed with ``ExchangeFailure/notStored``. The document contains secret keys.
        case persist(JSON)
        /// Post the bytes `body` to `url` with the content type `application/didcomm-envelope-enc`, and report the
        /// result with ``Event/answered(_:body:)`` or ``Event/failed(_:_:)``.
        case post(ExchangeID, url: Text, body: [UInt8])
        /// The given key is the connection's key from now on: it is new, or a late answer made an earlier key valid
        /// again. Request an address for the key from the mailbox. The handshake waits for that address
        /// (``Event/address(_:for:)``).
        case needsAddress(Verkey)
        /// Look in the mailbox, because an awaited answer may be there.
        case fetch
        /// The handshake with the given peer is complete.
        case connected(Peer)
        /// The inviter refused the handshake or answered it wrongly. The gate makes another attempt.
        case handshakeRefused(reason: Text)
        /// The inviter's server accepted the request in each form that the inviter offers, but no answer arrived. The
        /// gate makes another attempt.
        case unanswered
        /// The connection was given up and sends nothing more: no request was answered in ``Limits/rounds`` rounds, or
        /// the answers of a one-time connection could not be sent.
        case gaveUp
        /// Posts to the peer succeed again (nil), or began to fail for the given reason.
        case reachability(ExchangeFailure?)
        /// The peer answered the gate's ping with the id `ping`, which proves that messages arrive in both directions.
        case alive(ping: Text)
        /// The message with the given id reached the peer's server (HTTP 2xx). This does not confirm that the
        /// peer processed it.
        case sent(Text)
        /// The peer's server refused this particular message with the HTTP status `status`
        /// (``ExchangeFailure/isOfMessage``), or the message is too large to be sent (413). The connection does not
        /// send the message again.
        case refused(Text, status: Int)
        /// The peer's server accepted the gate's ping with the given id, which asks for an answer.
        case pinged(Text)
        /// The peer acknowledged messages or reports with the given ids. The driver ignores unknown ids.
        case acknowledged([Text])
        /// The peer sent a receipt or the head of the ledger that it has.
        case answered(VerificationReport.Answer)
        /// The peer answered the query for its protocols with the given list.
        case disclosed([ProtocolName])
        /// The inviter accepts this connection for the invitation with the id `invitation`.
        case reused(invitation: Text)
        /// The inviter did not accept this connection for the invitation with the id `invitation`. The driver must make
        /// a new connection for that invitation.
        case reuseFailed(invitation: Text)
        /// The peer has changed its DID and key. The given peer has the new values.
        case rotated(Peer)
        /// A message of a mailbox protocol arrived: coordinate-mediation or messagepickup.
        case mailbox(Message)
        /// A basicmessage arrived that does not acknowledge reports.
        case message(id: Text, content: Text)
        /// A message that the peer sent on its own initiative was handled, with the given result. Store the message
        /// with the next ``persist(_:)``, or at the latest before the mailbox may delete it.
        case handled(Message, HandledMessage)
        /// The answer `response` to the question that the owner stores under the name `to` has the result `fate`. Store
        /// the result with the next ``persist(_:)``.
        case answer(to: Text, response: Text, OwedAnswer.Fate)
        /// The peer reported a problem with the code `code`, in the thread `thread`.
        case problem(code: Text, thread: Text)
        /// An inbound message was dropped, for the given reason.
        case discarded(Discard)
        /// The peer ended the connection with a did-rotate hangup. The gate sends nothing more over it.
        case ended
    }

    /// The limits and times of a connection.
    package struct Limits: Sendable {
        /// The longest wait for the inviter's answer after its server accepted the request, for a connection without a
        /// mailbox.
        package var answer = Duration.seconds(15)
        /// The longest wait for the inviter's answer if the connection has a mailbox, in which the answer can wait, and
        /// the longest wait for the answer to a delivered message.
        package var lateAnswer = Duration.seconds(60)
        /// The time from a post to the first look in the mailbox for its answer. Each further wait is twice as long, up
        /// to ``longestLook``.
        package var firstLook = Duration.seconds(1)
        /// The longest time between two looks in the mailbox for an awaited answer.
        package var longestLook = Duration.seconds(15)
        /// The time after which a post counts as failed if the driver has not reported its result.
        package var exchange = Duration.seconds(90)
        /// How many repetitions of a request that may have arrived are made before the connection uses new keys.
        var resends = 2
        /// The number of rounds after which a handshake without an answer is given up. Each round tries every form of
        /// the request. With the longest wait between rounds, 300 rounds are about three days.
        package var rounds = 300
        /// The wait after the first failure. Each further failure doubles the wait, up to ``longestRetry``.
        package var firstRetry = Duration.seconds(1)
        /// The time between two requests for a mailbox address, until the mailbox reports one.
        package var address = Duration.seconds(15 * 60)
        /// The longest wait after a failure, before the next attempt.
        package var longestRetry = Duration.seconds(15 * 60)
        /// The time between two pings that ask for an answer.
        var heartbeat = Duration.seconds(15 * 60)
        /// The number of ids of inbound messages that are stored to recognise repetitions.
        var rememberedIDs = 1024
        /// The largest number of answers that wait to be sent, and, counted separately, of owed answers. Further
        /// answers are dropped.
        var waitingAnswers = 16
        /// The number of answers that may be sent without a pause.
        var answerBurst = 16
        /// The time between two answers once ``answerBurst`` answers were sent.
        var answerInterval = Duration.seconds(1)
        /// The shortest time between two problem reports of the gate. A problem report within this time is not sent.
        var problemReportInterval = Duration.seconds(10)

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// The operator's settings for a connection.
    package struct Configuration: Sendable {
        /// The gate's name, which is shown to the inviter's operator.
        package var label: Text
        /// The limits and times of the connection.
        package var limits: Limits
        /// The rules by which the gate answers the peer's messages.
        package var rules: RequestRules

        /// Creates the configuration of a gate with the name `label`.
        package init(label: Text, limits: Limits = Limits(), rules: RequestRules = RequestRules()) {
            (self.label, self.limits, self.rules) = (label, limits, rules)
        }
    }
}
