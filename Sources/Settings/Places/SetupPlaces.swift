import Encoding

/// The paths that a gate uses. They follow from the path of its configuration. The first gate on a machine has the
/// standard paths. A further gate, whose configuration is in the same folder, has the paths of its unit
/// (`gatehouse@NAME.service`). A gate whose configuration is in another folder uses only that folder. So two gates on
/// one machine share no files except the trust directory.
package struct SetupPlaces: Hashable, Sendable {
    /// The path of the configuration of the package's service.
    package static let standard = StandardFolders.settings + "/gatehouse.toml"

    /// The absolute path of the configuration.
    package let file: String
    /// The name of a further gate on the machine, for example `out` for `/etc/gatehouse/out.toml`: 1 to 64 of the
    /// characters `A-Z a-z 0-9 . _ -`. Nil for the first gate, and for a gate that no unit of the package runs.
    package let instance: String?
    /// Whether the configuration is that of the first gate.
    private let isStandard: Bool
    private let folders: StandardFolders

    /// Creates the paths of the gate whose configuration is the file `file`.
    package init(_ file: String, in folders: StandardFolders = .inForce) {
        (self.file, self.folders) = (file, folders)
        let path = folders.name(file)
        isStandard = path.utf8.elementsEqual(Self.standard.utf8)
        let beside = StandardFolders.settings + "/"
        let isBeside = !isStandard && path.hasPrefix(beside) && path.hasSuffix(".toml")
        let name = String(path.dropFirst(beside.count).dropLast(".toml".count))
        instance = isBeside && name.isName(of: 1...64, "._-") ? name : nil
    }

    /// Whether a unit of the package runs a gate with this configuration.
    package var hasUnit: Bool { isStandard || instance != nil }

    /// The name of the gate's unit without `.service`. If no unit runs this gate, the name of the first gate's unit.
    package var unit: String { "gatehouse" + (instance.map { "@" + $0 } ?? "") }

    /// Returns the remedy for a configuration file `file` that does not exist.
    package static func remedy(forAbsent file: String) -> String {
        SetupPlaces(file).isStandard
            ? "Create it: sudo gatehouse setup."
            : "Check the path, or create it: sudo gatehouse setup --config "
                + "\(file)."
    }

    /// Adapts an instruction for the operator to this gate. For a further gate on the machine (`gatehouse@out`),
    /// replaces the unit names and the state folder in the instruction by those of this gate.
    package func told(_ words: String) -> String { Self.told(words, of: unit) }

    /// Adapts an instruction for the operator to the gate with the unit `unit`.
    package static func told(_ words: String, of unit: String) -> String {
        let instance = unit.dropFirst("gatehouse".count)
        guard !instance.isEmpty else { return words }
        let commands = /(systemctl (?:[a-z-]+ )+|journalctl -u )(gatehouse(?:-radio)?)(?![a-z\/@-])/
        return words.replacing(commands) { "\($0.1)\($0.2)\(instance)" }
            .replacing(/\/var\/lib\/gatehouse(?![a-z\/@-])/, with: StandardFolders.state + "-" + instance.dropFirst())
    }

    /// The folder that contains the configuration.
    package var folder: String { NamedPlace.folder(of: file) }

    /// The path of the file in which the service expects the invitation of the agent.
    package var invitation: String { folder + "/agent\(instance.map { "-" + $0 } ?? "").invitation" }

    /// The path of the agent's invitation as it is written in the configuration.
    package var invitationName: String { hasUnit ? folders.name(invitation) : "agent.invitation" }

    /// The folder for the ledger and imported trust data, which `gatehouse setup` creates; nil if systemd creates it.
    package var state: String? { hasUnit ? nil : folder + "/state" }

    /// The path of the picture with the code, as it is written in the configuration; nil: the default path.
    package var picture: String? {
        hasUnit ? instance.map { StandardFolders.runtime + "-\($0)/invitation.png" } : "invitation.png"
    }

    /// The keys whose values for this gate differ from the defaults. Further gates use the first gate's trust
    /// directory.
    package var keys: [(key: String, value: String)] {
        if isStandard { return [] }
        guard let instance else {
            return [
                ("trust.directory", "trust"), ("trust.state", "state/trust"), ("ledger.path", "state/gatehouse.db"),
                ("control.path", "control.sock"),
            ]
        }
        return [
            ("trust.state", StandardFolders.state + "-\(instance)/trust"),
            ("ledger.path", StandardFolders.state + "-\(instance)/gatehouse.db"),
            ("control.path", StandardFolders.runtime + "-\(instance)/control.sock"),
        ]
    }
}
