package import DIDComm
package import Encoding

/// Why a message could not be posted.
package enum ExchangeFailure: Hashable, Sendable {
    /// No connection was made: the peer has certainly not got it.
    case unreachable
    /// It broke off, timed out or was answered by 5xx, 408 or 429: the peer may have got it.
    case uncertain
    /// The peer's server answered with that status, a redirect or an error of 4xx.
    case refused(status: Int)
    /// The answer is larger than is taken here: the peer has got it.
    case tooLarge
    /// The configuration does not allow the endpoint, such as plain http.
    case forbidden
    /// The connection's state could not be stored, so nothing that depends on it was sent.
    case notStored

    /// Statuses that are said of one message: it is malformed, too large, or of a type or content that is not taken. Any other, such
    /// as a redirect, 401, 403, 404 or 410, says that something is wrong with the place, and another time the same message may be taken.
    private static let statusesOfMessages: Set<Int> = [400, 413, 415, 422, 431]

    /// Whether the peer's server refused that very message, and not whatever comes.
    package var isOfMessage: Bool {
        if case .refused(let status) = self { Self.statusesOfMessages.contains(status) } else { false }
    }

    /// What an answer of that status means, which is not a 2xx: a server in trouble, or one that asks for a later try, has refused
    /// nothing.
    init(status: Int) {
        self = status >= 500 || status == 408 || status == 429 ? .uncertain : .refused(status: status)
    }
}

/// Why an inbound message was dropped. Dropped messages are counted, never answered.
package enum Discard: String, Hashable, Sendable {
    /// It is not an envelope for us or does not open.
    case unreadable
    /// It has no sender.
    case anonymous
    /// Its sender is not the key of this connection.
    case wrongSender
    /// What it carries is no Aries message.
    case malformed
    /// The same sender sent the same `@id` before.
    case duplicate
    /// It belongs to no exchange that is open.
    case unexpected

    /// Whether nobody here could read it: then there is no other copy of what it says.
    package var isUnread: Bool {
        switch self {
        case .unreadable, .anonymous, .wrongSender, .malformed: true
        case .duplicate, .unexpected: false
        }
    }
}

extension AgentConnection {
    /// Names one post, so that a late result is told from the present one.
    package typealias ExchangeID = Int

    /// What happens to a connection.
    package enum Event: Sendable {
        /// The connection was made or restored and may now send.
        case start
        /// The next message to deliver; ignored while another one is under way (see ``wantsMessage``).
        case deliver(OutboundMessage)
        /// Forget the message that is to be delivered, unless it is on its way this moment.
        case withdraw
        /// Tell the peer of a problem of ours, by its code and in words; as often as answers may go out.
        case tell(code: Text, explanation: Text)
        /// A post was answered by 2xx; the body is empty or an envelope, not necessarily the reply.
        case answered(ExchangeID, body: [UInt8])
        /// A post failed.
        case failed(ExchangeID, ExchangeFailure)
        /// A message came another way, such as from a mailbox.
        case received([UInt8])
        /// The mailbox takes messages for that key of ours there; the answer to ``Action/needsAddress(_:)``.
        case address(MailboxAddress, for: Verkey)
        /// The mailbox will never take messages for that key: use another one.
        case keyRefused(Verkey)
        /// Ping the peer now.
        case ping
        /// The invitation is of the same inviter: ask whether this connection will do. Answered by ``Action/reused(invitation:)`` or
        /// ``Action/reuseFailed(invitation:)``.
        case reuse(Invitation)
        /// Answer the requests that are attached to this invitation.
        case answer(Invitation)
        /// The network came back, or an operator asks: do not wait for the next attempt.
        case retryNow
        /// The time of ``AgentConnection/deadline`` is there.
        case deadlineReached
    }

    /// What the driver has to do, in this order.
    package enum Action: Sendable {
        /// Store this document durably before any later action; if that fails, a later post must not go out but fail with
        /// ``ExchangeFailure/notStored``. It contains keys.
        case persist(JSON)
        /// Post these bytes to that URL as `application/didcomm-envelope-enc` and return the result as an event.
        case post(ExchangeID, url: Text, body: [UInt8])
        /// This key is the connection's: the handshake waits for ``Event/address(_:for:)``, where the mailbox takes messages for it;
        /// or a late answer made an earlier key the connection's once more.
        case needsAddress(Verkey)
        /// An answer is awaited that may lie in the mailbox: look there.
        case fetch
        /// The handshake is done.
        case connected(Peer)
        /// The inviter refused the handshake or answered wrongly; another attempt follows.
        case handshakeRefused(reason: Text)
        /// The inviter took the request in every form that it offers and answered none; a new attempt follows.
        case unanswered
        /// Posts began to succeed (nil) or to fail.
        case reachability(ExchangeFailure?)
        /// The peer answered our ping of that id: both directions work.
        case alive(ping: Text)
        /// The message of that id reached the peer's server (HTTP 2xx), which confirms nothing.
        case sent(Text)
        /// The peer's server refused that very message with that status (``ExchangeFailure/isOfMessage``), or it is too large to be sent
        /// there (413); it is not sent again by itself.
        case refused(Text, status: Int)
        /// Our ping of that id, which asks for an answer, reached the peer's server.
        case pinged(Text)
        /// The peer acknowledged messages or reports with these ids; unknown ones are to be ignored.
        case acknowledged([Text])
        /// The peer's word about the ledger.
        case answered(VerificationReport.Answer)
        /// The protocols that the peer speaks, of those that were asked for.
        case disclosed([ProtocolName])
        /// The inviter goes on with this connection for the invitation of that id.
        case reused(invitation: Text)
        /// The inviter did not say that this connection will do: make a new one.
        case reuseFailed(invitation: Text)
        /// The peer has another DID and another key from now on.
        case rotated(Peer)
        /// A message of a protocol for mailboxes: coordinate-mediation or messagepickup.
        case mailbox(Message)
        /// A basicmessage that is not an acknowledgement.
        case message(id: Text, content: Text)
        /// The peer reported a problem, in that thread.
        case problem(code: Text, thread: Text)
        /// An inbound message was dropped.
        case discarded(Discard)
        /// The peer ended the connection (did-rotate hangup); it sends nothing more.
        case ended
    }

    /// Bounds and times.
    package struct Limits: Sendable {
        /// How long an inviter may take to answer after it took the request; 15 s.
        package var answer = Duration.seconds(15)
        /// The same where the answer can wait in a mailbox; 60 s.
        package var lateAnswer = Duration.seconds(60)
        /// How long after a post the mailbox is looked into for its answer; doubled with each further look.
        package var firstLook = Duration.seconds(1)
        /// The longest time between two looks.
        package var longestLook = Duration.seconds(15)
        /// After this a post counts as failed even if the driver is silent; 90 s.
        package var exchange = Duration.seconds(90)
        /// How often one request is sent again when it may have arrived.
        package var resends = 2
        /// First wait after a failure; doubled with each further one.
        package var firstRetry = Duration.seconds(1)
        /// Time between two questions for an address, as long as there is no answer.
        package var address = Duration.seconds(15 * 60)
        /// Longest wait between attempts.
        package var longestRetry = Duration.seconds(15 * 60)
        /// Time between two pings that ask for an answer.
        package var heartbeat = Duration.seconds(15 * 60)
        /// Inbound ids that are remembered against repetition.
        package var rememberedIDs = 1024
        /// Answers waiting to be sent; further ones are dropped.
        package var waitingAnswers = 16
        /// Answers that may go out one right after the other.
        package var answerBurst = 16
        /// Time between two answers after those.
        package var answerInterval = Duration.seconds(1)
        /// Least time between two problem reports of ours.
        package var problemReportInterval = Duration.seconds(10)

        /// The documented defaults.
        package init() {}
    }

    /// What an operator chooses.
    package struct Configuration: Sendable {
        /// Our name, shown to the inviter's operator.
        package var label: Text
        /// Bounds and times.
        package var limits: Limits
        /// What is answered to what the peer starts.
        package var rules: RequestRules

        /// A kiosk of that name.
        package init(label: Text, limits: Limits = Limits(), rules: RequestRules = RequestRules()) {
            (self.label, self.limits, self.rules) = (label, limits, rules)
        }
    }
}
