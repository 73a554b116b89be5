import Aries
package import Encoding

/// The operator's settings for an agency, and the limits.
package struct AgencySettings: Sendable {
    /// The server software of the agency.
    package var dialect: AgencyDialect
    /// The base URL without path and without slash at its end.
    package let url: Text
    /// The agency's DID and key, as the operator pins them. If the server's answer differs, that is an error;
    /// it never changes this value.
    package let agency: AgencyParty
    /// Whether an agent is only granted for a sponsor's token.
    package var needsToken: Bool
    /// The webhook by which the agency wakes the gate; nil if the gate has no webhook.
    package var webhook: Webhook?
    /// The media type of posts. Verity accepts only `application/ssi-agent-wire`, `application/octet-stream`
    /// and `application/didcomm-envelope-enc`.
    package var mediaType: Text = "application/ssi-agent-wire"
    /// Whether the server is asked for its key at the start.
    package var checksAgency = true
    /// Limits and times.
    package var limits = Limits()

    /// A URL to which the agency posts when a message arrived.
    package struct Webhook: Hashable, Sendable {
        /// The method's name at the agency.
        package let id: Text
        /// The URL of the webhook.
        package let url: Text

        /// Creates a webhook with the name `id`.
        package init(id: Text, url: Text) { (self.id, self.url) = (id, url) }
    }

    /// Limits and times.
    package struct Limits: Sendable {
        /// The time between two requests for messages.
        package var poll = Duration.seconds(20)
        /// The time after which a post counts as failed even if the driver reports nothing; 90 s.
        package var exchange = Duration.seconds(90)
        /// The time without an answer to a post after which the agency is reported as silent. The answer may
        /// still arrive. With the default of ``poll`` silence is reported within a minute.
        package var silence = Duration.seconds(35)
        /// The first wait after a failure. Each further failure doubles it.
        package var firstRetry = Duration.seconds(1)
        /// The longest wait between attempts.
        package var longestRetry = Duration.seconds(15 * 60)
        /// The wait after a refusal that only the agency's operator can resolve.
        package var refusedRetry = Duration.seconds(15 * 60)
        /// The time after which a message that is not durable yet is handed over again.
        var handing = Duration.seconds(5 * 60)
        /// How long messages are fetched for a key that another key replaced: a late answer may still use the
        /// earlier key. After a restart of the program this time begins again.
        package var earlierKeys = Duration.seconds(7 * 86_400)
        /// The maximum number of earlier keys of one connection.
        var earlierKeyCount = 4
        /// The maximum number of keys of connections, including keys that are being closed.
        package var connections = 256
        /// The maximum number of messages that were passed to connections and are not durable yet.
        var handed = 1024
        /// The maximum number of message ids in one release.
        package var released = 256
        /// How often in a row a connection is asked again at once because it may have more messages.
        var rereads = 64

        /// Creates the documented defaults.
        package init() {}
    }

    /// Creates the settings of an agency with the URL `url`.
    package init(_ dialect: AgencyDialect, url: Text, agency: AgencyParty, needsToken: Bool = false) {
        let base = url.string.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
        self.url = Text(String(decoding: Array(base), as: UTF8.self))
        (self.dialect, self.agency, self.needsToken) = (dialect, agency, needsToken)
    }

    /// The URL to which messages are posted, by the gate and by other agents.
    package var endpoint: Text { Text("\(url)/agency/msg") }
    /// The URL at which the server states its DID and its key.
    package var information: Text { Text("\(url)/agency") }

    /// The times of the back-off, in the type that ``Backoff`` takes.
    var backoff: AgentConnection.Limits {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (self.limits.firstRetry, self.limits.longestRetry)
        return limits
    }
}
