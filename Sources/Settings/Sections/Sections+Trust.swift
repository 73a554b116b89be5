package import Credentials
package import Encoding

/// `[trust]`: the trust data that credentials are judged by, and how it is kept fresh.
package struct TrustSection: Hashable, Sendable {
    /// The name of the file in the trust directory that lists the issuers.
    package static let issuersFile = "issuers.toml"

    /// The trust directory: `issuers.toml`, `did/`, `contexts/`, `status/`, `roots/`.
    package var directory: String
    /// How strictly credentials are read; nil: as `profile` in `issuers.toml` of the trust data says, or
    /// otherwise strictly.
    package var profile: Profile?
    /// The folder for an imported bundle and for what the refresher fetched.
    package var state: String
    /// The operator's keys. If the list is not empty, the gate takes signed bundles in place of the trust
    /// directory.
    package var bundleKeys: [OperatorKey]
    /// Whether documents and status lists are fetched while the service runs.
    package var refresh: Bool
    /// The time between two fetches, before a random part is added or subtracted.
    package var refreshInterval: Duration
    /// The hosts that may be contacted, as `HOST:PORT`; empty: the hosts in the issuers' IDs.
    package var hosts: Set<Text>
    /// Whether addresses of private networks and of this machine may be contacted.
    package var allowPrivateHosts: Bool
    /// A PEM file with the TLS roots to trust in place of the system's.
    package var rootsFile: String?

    /// The hosts that are listed for fetching; nil if nothing is fetched.
    package var fetchedFrom: Set<Text>? { refresh ? hosts : nil }

    init(_ reader: inout ConfigurationReader, _ folder: ConfigurationFolder) {
        directory = resolve(reader.text("trust.directory", default: StandardFolders.settings + "/trust"), in: folder)
        profile = reader.choice("trust.profile", orNil: "trust")
        state = resolve(reader.text("trust.state", default: StandardFolders.state + "/trust"), in: folder)
        bundleKeys = []
        for text in reader.texts("trust.bundleKeys") {
            if let key = OperatorKey(Text(text)) {
                bundleKeys.append(key)
            } else {
                reader.reject(
                    "trust.bundleKeys", "\"\(text.prefix(60))\" is not an Ed25519 key",
                    "Write the key that gatehouse trust keygen prints (z6Mk…).")
            }
        }
        refresh = reader.flag("trust.refresh", default: false)
        refreshInterval = reader.duration(
            "trust.refreshInterval", default: .seconds(3600), in: .seconds(60)...(.seconds(30 * 86_400)))
        hosts = []
        for text in reader.texts("trust.hosts") {
            if let place = WebURL.place(Text(text)) {
                hosts.insert(place)
            } else {
                reader.reject(
                    "trust.hosts", "\"\(text.prefix(60))\" is not a host", "Write \"issuer.example\" or \"host:8443\".")
            }
        }
        allowPrivateHosts = reader.flag("trust.allowPrivateHosts", default: false)
        rootsFile = reader.optional("trust.rootsFile").map { resolve($0, in: folder) }
    }
}
