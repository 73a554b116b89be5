package import DIDComm
package import Encoding

/// Answers the requests of an invitation that offers no lasting connection: each reply goes once to the service in the
/// invitation, from a key made for it. Nothing is kept.
///
/// A state machine like ``AgentConnection``: at most one post is under way, a failed one is repeated a few times.
package struct OneTimeReply: ~Copyable, Sendable {
    /// What happens to it.
    package enum Event: Sendable {
        /// Begin.
        case start
        /// The post was answered by 2xx.
        case answered
        /// The post failed.
        case failed(ExchangeFailure)
        /// The time of ``OneTimeReply/deadline`` is there.
        case deadlineReached
    }

    /// What the driver has to do.
    package enum Action: Sendable {
        /// Post these bytes to that URL and return the result as an event.
        case post(url: Text, body: [UInt8])
        /// All replies were handed over, of which so many are refusals; or the last failure of the first that was not.
        case finished(replies: Int, refusals: Int, ExchangeFailure?)
    }

    /// How often one reply is posted.
    package static let maxAttempts = 3

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

    /// The replies to `invitation`; nothing happens before ``Event/start``.
    package init(
        to invitation: Invitation, rules: RequestRules, limits: AgentConnection.Limits = .init(),
        random: consuming RandomStream
    ) throws(InvitationError) {
        // Everything that can fail comes first: a value that cannot be copied is made whole or not at all.
        let service = try invitation.service()
        guard let keys = KeyPair(seed: random.drawSecret(32)) else { throw .badKey }
        let answers = AttachedRequest.replies(to: invitation, rules: rules, random: &random)
        (self.service, self.keys, self.limits, prefix) = (service, keys, limits, invitation.prefix)
        (waiting, replies, refusals) = (answers.messages, answers.messages.count, answers.refusals)
        self.random = random
    }

    /// When ``Event/deadlineReached`` is due; nil while only other events can bring anything.
    package var deadline: Instant? { waiting.isEmpty ? nil : backoff.until }

    /// Takes one event; the actions are to be done in order.
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
            // What no server takes is not sent: as if this one had said so.
            waiting = []
            return [.finished(replies: replies, refusals: refusals, .refused(status: 413))]
        }
    }
}

extension AttachedRequest {
    /// One message for each request of `invitation`, in order: its answer, or its refusal in its thread. What wants no answer
    /// gets none, and neither does an attachment without any name.
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
                // The general report: agents show it to their controllers whether they know the thread of a connection or not,
                // which they do not with the reports of single protocols.
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

    /// The reply with the invitation as its parent thread, by which the inviter finds what it belongs to (RFC 0434).
    private static func child(_ reply: JSON, of invitation: Invitation) -> JSON {
        guard var object = reply.object, var thread = object["~thread"]?.object else { return reply }
        thread["pthid"] = .string(invitation.id)
        object["~thread"] = .object(thread)
        return .object(object)
    }
}
