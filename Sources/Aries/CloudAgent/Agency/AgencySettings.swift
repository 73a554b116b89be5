package import Encoding

/// What an operator says of an agency, and its bounds.
package struct AgencySettings: Sendable {
    /// Which server it is.
    package var dialect: AgencyDialect
    /// The base URL without path and without slash at its end.
    package let url: Text
    /// The agency itself, as the operator pins it: a different answer of the server is an error and never a change.
    package let agency: AgencyParty
    /// Whether an agent is only had by a sponsor's token.
    package var needsToken: Bool
    /// Where the agency wakes us, with the name of that method; nil: nowhere.
    package var webhook: Webhook?
    /// The media type of what is posted; Verity refuses others than `application/ssi-agent-wire`, `application/octet-stream` and
    /// `application/didcomm-envelope-enc`.
    package var mediaType: Text = "application/ssi-agent-wire"
    /// Whether the server is asked for its key at the start.
    package var checksAgency = true
    /// Bounds and times.
    package var limits = Limits()

    /// A URL that is told when a message arrived.
    package struct Webhook: Hashable, Sendable {
        /// The method's name at the agency.
        package let id: Text
        /// The URL.
        package let url: Text

        /// A method of that name.
        package init(id: Text, url: Text) { (self.id, self.url) = (id, url) }
    }

    /// Bounds and times.
    package struct Limits: Sendable {
        /// Time between two questions for messages.
        package var poll = Duration.seconds(20)
        /// After this a post counts as failed even if the driver is silent; 90 s.
        package var exchange = Duration.seconds(90)
        /// First wait after a failure; doubled with each further one.
        package var firstRetry = Duration.seconds(1)
        /// Longest wait between attempts.
        package var longestRetry = Duration.seconds(15 * 60)
        /// Wait after a refusal that only somebody at the agency can lift.
        package var refusedRetry = Duration.seconds(15 * 60)
        /// After this a message that nobody made durable is handed over once more.
        package var handing = Duration.seconds(5 * 60)
        /// How long messages are fetched for a key that another one took the place of: a late answer may name the first. A restart
        /// begins that time anew.
        package var earlierKeys = Duration.seconds(7 * 86_400)
        /// So many such keys of one connection.
        package var earlierKeyCount = 4
        /// Keys of connections, those that are being closed included.
        package var connections = 256
        /// Messages that may be handed over and not yet durable.
        package var handed = 1024
        /// Message names in one release.
        package var released = 256
        /// How often in a row a connection is asked again at once because there may be more.
        package var rereads = 64

        /// The documented defaults.
        package init() {}
    }

    /// An agency at that URL.
    package init(_ dialect: AgencyDialect, url: Text, agency: AgencyParty, needsToken: Bool = false) {
        let base = url.string.utf8.reversed().drop { $0 == UInt8(ascii: "/") }.reversed()
        self.url = Text(String(decoding: Array(base), as: UTF8.self))
        (self.dialect, self.agency, self.needsToken) = (dialect, agency, needsToken)
    }

    /// Where messages are posted, ours and those of other agents.
    package var endpoint: Text { Text("\(url)/agency/msg") }
    /// Where the server tells its DID and key.
    package var information: Text { Text("\(url)/agency") }

    /// The times of a back-off, in the form that it takes.
    var backoff: AgentConnection.Limits {
        var limits = AgentConnection.Limits()
        (limits.firstRetry, limits.longestRetry) = (self.limits.firstRetry, self.limits.longestRetry)
        return limits
    }
}
