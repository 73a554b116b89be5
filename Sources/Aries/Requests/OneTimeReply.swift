package import DIDComm
package import Encoding

/// Answers the requests of an invitation that offers no lasting connection: each reply is sent once to the
/// service in the invitation, from a key made for it. Nothing is stored.
///
/// A state machine like ``AgentConnection``: at most one post is under way, and a failed post is repeated a
/// few times.
package struct OneTimeReply: ~Copyable, Sendable {
    /// An event for the replies.
    package enum Event: Hashable, Sendable {
        /// Begin to send the replies.
        case start
        /// The post was answered by 2xx.
        case answered
        /// The post failed, for the given reason.
        case failed(ExchangeFailure)
        /// The time of ``OneTimeReply/deadline`` is reached.
        case deadlineReached
    }

    /// The actions, which the driver carries out.
    package enum Action: Hashable, Sendable {
        /// Post the bytes `body` to `url` and return the result as an event.
        case post(url: Text, body: [UInt8])
        /// The work is finished. If the failure is nil, `replies` replies were delivered, and they refused
        /// `refusals` requests. Otherwise it is the last failure of the first reply that was not delivered.
        case finished(replies: Int, refusals: Int, ExchangeFailure?)
    }

    /// The maximum number of times that one reply is posted.
    static let maxAttempts = 3

    private let service: Service
    private let prefix: TypePrefix
    private var random: RandomStream
    private let keys: KeyPair
    private var waiting: [JSON]
    private let replies: Int
    private let refusals: Int
    private var attempts = 0
    private var backoff = Backoff()
    private let limits: AgentConnection.Limits

    /// Creates the replies to `invitation`. Nothing happens before ``Event/start``.
    package init(
        to invitation: Invitation, rules: RequestRules, limits: AgentConnection.Limits = .init(),
        random: consuming RandomStream
    ) throws(InvitationError) {
        // Everything that can fail is first: a noncopyable value is initialised completely or not at all.
        let service = try invitation.service()
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { throw .badKey }
        let answers = AttachedRequest.replies(to: invitation, rules: rules, random: &random)
        (self.service, self.keys, self.limits, prefix) = (service, keys, limits, invitation.prefix)
        (waiting, replies, refusals) = (answers.messages, answers.messages.count, answers.refusals)
        self.random = random
    }

    /// When ``Event/deadlineReached`` is due; nil if only other events have an effect.
    package var deadline: Instant? { waiting.isEmpty ? nil : backoff.until }

    /// Handles one event. The actions are to be carried out in order.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        switch event {
        case .start, .deadlineReached: break
        case .answered:
            if !waiting.isEmpty { waiting.removeFirst() }
            attempts = 0
            backoff.succeed()
        case .failed(let failure):
            if case .refused = failure { attempts = Self.maxAttempts }
            guard attempts < Self.maxAttempts else {
                waiting = []
                return [.finished(replies: replies, refusals: refusals, failure)]
            }
            backoff.fail(at: now, limits, random: &random)
        }
        guard backoff.permits(now) else { return [] }
        guard let next = waiting.first else { return [.finished(replies: replies, refusals: refusals, nil)] }
        attempts += 1
        do throws(Envelope.Failure) {
            return [.post(url: service.endpoint, body: try service.pack(next, from: keys, prefix, random: &random))]
        } catch {
            // A message that is too large for every server is not sent. It is handled as if the server had
            // refused it.
            waiting = []
            return [.finished(replies: replies, refusals: refusals, .refused(status: 413))]
        }
    }
}
