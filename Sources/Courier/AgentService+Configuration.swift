package import Aries
import Encoding
package import HTTPTransport
import Ledger
package import Settings

// The settings of the courier that follow from the gate's configuration.
extension AgentService {
    /// Returns the HTTP settings for requests to agents and mailboxes.
    package static func settings(_ configuration: Configuration) -> HTTPExchange.Settings {
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = configuration.agent.allowPlainHTTP
        settings.timeLimit = configuration.agent.timeout
        settings.additionalRootsFile = configuration.agent.rootsFile
        return settings
    }

    /// Returns the settings of a connection. `limits` contains the values that no key of the configuration sets.
    package static func connection(
        _ configuration: Configuration, _ limits: AgentConnection.Limits = AgentConnection.Limits()
    ) -> AgentConnection.Configuration {
        var limits = limits
        limits.firstRetry = configuration.agent.retryFirst
        limits.longestRetry = configuration.agent.retryLast
        return AgentConnection.Configuration(
            label: Text(configuration.kiosk.id), limits: limits, rules: configuration.agent.rules)
    }

    /// Returns the configured destinations, each with the paths or URLs of its invitations.
    static func wanted(_ configuration: Configuration) -> [(name: Text, files: [String])] {
        let agent = configuration.agent
        return [(DeliveryCursor.primary, agent.invitations)] + agent.copies.map { (Text($0.name), $0.invitations) }
    }

    /// Returns the names of the configured destinations.
    static func names(_ configuration: Configuration) -> [Text] { wanted(configuration).map(\.name) }
}
