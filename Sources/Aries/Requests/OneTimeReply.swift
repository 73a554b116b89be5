package import DIDComm
package import Encoding

/// Answers the requests of an invitation that offers no lasting connection: each reply is sent once to the
/// service in the invitation, from a key made for it. Nothing is stored.
///
/// A state machine like ``AgentConnection``: at most one post is under way, and a failed post is repeated a
/// few times.
package struct OneTimeReply: ~Copyable, Sendable {
    /// An event for the replies.
    package enum Event: Sendable {
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
    package enum Action: Sendable {
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

extension AttachedRequest {
    /// Returns one message for each request of `invitation`, in order: the answer to the request, or its
    /// refusal in the request's thread. The result has no message for a request that expects no answer, or
    /// for an attachment without any id.
    static func replies(
        to invitation: Invitation, rules: RequestRules, random: inout RandomStream
    ) -> (messages: [JSON], refusals: Int) {
        var (messages, refusals): ([JSON], Int) = ([], 0)
        for attachment in invitation.requests {
            let id = AgentConnection.newID(&random)
            switch AttachedRequest(attachment) {
            case .message(let request):
                switch rules.reply(to: request, id: id) {
                case .message(let answer): messages.append(answer)
                case .nothing: break
                // Use the general problem report: agents show it to their controllers even if its thread
                // belongs to no connection. They do not show the problem reports of single protocols.
                case .refusal(let code, let explanation, _):
                    refusals += 1
                    messages.append(
                        Notice.problem(
                            invitation.prefix, id: id, thread: request.thread, code: code, explanation: explanation))
                }
            case .unreadable(let thread?):
                refusals += 1
                messages.append(
                    Notice.problem(
                        invitation.prefix, id: id, thread: thread, code: "message-parse-failure",
                        explanation: "the attached request cannot be read"))
            case .unreadable(nil): refusals += 1
            }
        }
        return (messages.map { child($0, of: invitation) }, refusals)
    }

    /// Returns the reply with the invitation as its parent thread, by which the inviter relates it to the
    /// request (RFC 0434).
    private static func child(_ reply: JSON, of invitation: Invitation) -> JSON {
        guard var object = reply.object, var thread = object["~thread"]?.object else { return reply }
        thread["pthid"] = .string(invitation.id)
        object["~thread"] = .object(thread)
        return .object(object)
    }
}
