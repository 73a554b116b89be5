import Encoding

/// Where a gate keeps what it has, by the path of its configuration. The usual one has the usual places; another has everything
/// beside it, so that two gates on one machine do not meet.
package struct SetupPlaces: Hashable, Sendable {
    /// Where the package has the service look.
    package static let standard = "/etc/gatehouse/gatehouse.toml"

    /// The configuration, an absolute path.
    package let file: String

    /// The places of the gate with that configuration.
    package init(_ file: String) { self.file = file }

    /// Whether it is the service's own.
    package var isStandard: Bool { file.utf8.elementsEqual(Self.standard.utf8) }

    /// The folder of the configuration.
    package var folder: String { NamedPlace.folder(of: file) }

    /// Where the service finds the invitation.
    package var invitation: String { folder + "/agent.invitation" }

    /// The folder of records and trust data that came from elsewhere; nil: systemd makes it.
    var state: String? { isStandard ? nil : folder + "/state" }

    /// The keys that say so where the configuration's defaults do not.
    var keys: [(key: String, value: String)] {
        guard !isStandard else { return [] }
        return [
            ("trust.directory", "trust"), ("trust.state", "state/trust"), ("ledger.path", "state/gatehouse.db"),
            ("control.path", "control.sock"),
        ]
    }
}
