package import Aries
import Encoding
package import HTTPTransport
import Ledger
package import Settings

// The service's reading of the configuration.
extension AgentService {
    /// Returns the HTTP settings of the configuration.
    package static func settings(_ configuration: Configuration) -> HTTPExchange.Settings {
        var settings = HTTPExchange.Settings()
        settings.allowsPlainHTTP = configuration.agent.allowPlainHTTP
        settings.timeLimit = configuration.agent.timeout
        settings.additionalRootsFile = configuration.agent.rootsFile
        return settings
    }

    /// Returns the configuration of a connection; `limits` holds the values that no key sets.
    package static func connection(
        _ configuration: Configuration, _ limits: AgentConnection.Limits = AgentConnection.Limits()
    ) -> AgentConnection.Configuration {
        var limits = limits
        limits.firstRetry = configuration.agent.retryFirst
        limits.longestRetry = configuration.agent.retryLast
        return AgentConnection.Configuration(
            label: Text(configuration.kiosk.id), limits: limits, rules: configuration.agent.rules)
    }

    /// Returns the configured destinations, each with the files of its invitations.
    static func wanted(_ configuration: Configuration) -> [(name: Text, files: [String])] {
        let agent = configuration.agent
        return [(DeliveryCursor.primary, agent.invitations)] + agent.copies.map { (Text($0.name), $0.invitations) }
    }

    /// Returns the names of the destinations of a gate with `configuration`.
    static func names(_ configuration: Configuration) -> [Text] { wanted(configuration).map(\.name) }
}
