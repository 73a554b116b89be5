package import Credentials
package import Encoding

/// `[trust]`: where the trust data are, and how they are renewed.
package struct TrustSection: Hashable, Sendable {
    /// The name of the file in the trust directory that lists the issuers.
    package static let issuersFile = "issuers.toml"

    /// The path of the trust directory, which contains `issuers.toml`, `did/`, `contexts/`, `status/` and `roots/`.
    package var directory: String
    /// How strictly credentials are read; nil: as `profile` in `issuers.toml` says, or strictly if that key is
    /// missing.
    package var profile: Profile?
    /// The path of the folder for an imported bundle and for data that the service fetched.
    package var state: String
    /// The operator's public keys. If there are any, the gate uses a signed bundle in place of the trust directory.
    package var bundleKeys: [OperatorKey]
    /// Whether the service fetches newer documents and status lists.
    package var refresh: Bool
    /// The mean time between two fetches of a document or list; each time varies at random.
    package var refreshInterval: Duration
    /// The hosts from which data may be fetched, as `HOST:PORT`. If there are none, the hosts in the issuers' ids are
    /// used.
    package var hosts: Set<Text>
    /// Whether data may be fetched from addresses of private networks and of this machine.
    package var allowPrivateHosts: Bool
    /// The path of a PEM file with the root certificates for fetching, in place of the system's; nil: the system's
    /// are used.
    package var rootsFile: String?

    /// The configured hosts from which data may be fetched; nil if the service fetches nothing.
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
