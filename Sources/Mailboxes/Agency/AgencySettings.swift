import Aries
package import Encoding

/// The operator's settings for an agency, and the limits and times of the mailbox.
package struct AgencySettings: Sendable {
    /// The server software of the agency.
    package var dialect: AgencyDialect
    /// The agency's base URL, without a path and without a slash at its end.
    package let url: Text
    /// The agency's DID and key, as the operator has pinned them. If the server states others, the mailbox reports an
    /// error and does not use the server.
    package let agency: AgencyParty
    /// Whether the agency creates an agent only for a sponsor's token.
    package var needsToken: Bool
    /// The webhook to which the agency posts when a message arrives; nil if the gate has none.
    package var webhook: Webhook?
    /// The media type of posts. Verity accepts only `application/ssi-agent-wire`, `application/octet-stream`
    /// and `application/didcomm-envelope-enc`.
    package var mediaType: Text = "application/ssi-agent-wire"
    /// Whether the gate asks the server for the agency's DID and key at the start.
    package var checksAgency = true
    /// The limits and times of the mailbox.
    package var limits = Limits()

    /// A URL to which the agency posts when a message arrives.
    package struct Webhook: Hashable, Sendable {
        /// The name of the webhook's registration at the agency.
        package let id: Text
        /// The URL of the webhook.
        package let url: Text

        /// Creates a webhook with the name `id`.
        package init(id: Text, url: Text) { (self.id, self.url) = (id, url) }
    }

    /// The limits and times of the mailbox.
    package struct Limits: Sendable {
        /// The time between two reads of the messages.
        package var poll = Duration.seconds(20)
        /// The time after which a post counts as failed if the driver has not reported its result.
        package var exchange = Duration.seconds(90)
        /// The time without an answer after which the agency is reported as silent. The answer may still arrive.
        /// Together with the default of ``poll``, silence is reported within a minute.
        package var silence = Duration.seconds(35)
        /// The wait after the first failure. Each further failure doubles the wait, up to ``longestRetry``.
        package var firstRetry = Duration.seconds(1)
        /// The longest wait after a failure, before the next attempt.
        package var longestRetry = Duration.seconds(15 * 60)
        /// The wait after a refusal that only the agency's operator can resolve.
        package var refusedRetry = Duration.seconds(15 * 60)
        /// The time after which a message is passed to its connection again if it is not durable yet.
        var handing = Duration.seconds(5 * 60)
        /// How long messages for an earlier key of a connection are still read, because a late answer may use that key.
        /// After a restart of the program this time begins again.
        package var earlierKeys = Duration.seconds(7 * 86_400)
        /// The largest number of earlier keys of one connection.
        var earlierKeyCount = 4
        /// The largest number of keys of all connections, including those that are being closed. Further connections
        /// are refused.
        package var connections = 256
        /// The largest number of messages that were passed to connections and are not durable yet. No more are passed
        /// before.
        var handed = 1024
        /// The largest number of messages that a single request releases.
        package var released = 256
        /// How often in a row a connection's messages are read again without a wait, because more may be waiting.
        var rereads = 64

        /// Creates a value whose properties have their defaults.
        package init() {}
    }

    /// Creates the settings for an agency at the base URL `url`.
    package init(_ dialect: AgencyDialect, url: Text, agency: AgencyParty, needsToken: Bool = false) {
        let base = url.string.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
        self.url = Text(String(decoding: Array(base), as: UTF8.self))
        (self.dialect, self.agency, self.needsToken) = (dialect, agency, needsToken)
    }

    /// The URL to which messages are posted, by the gate and by other agents.
    package var endpoint: Text { Text("\(url)/agency/msg") }
    /// The URL at which the server states the agency's DID and key.
    package var information: Text { Text("\(url)/agency") }

    /// The limits of the backoff, in the type that ``Backoff`` expects.
    var backoff: AgentConnection.Limits {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (self.limits.firstRetry, self.limits.longestRetry)
        return limits
    }
}
