import Encoding

/// Where a gate keeps what it has, by the path of its configuration. The first one has the usual places; a further one on the box, whose
/// file lies beside that, the places of its unit (`gatehouse@NAME.service`); one elsewhere has everything beside it. So two gates on one
/// machine do not meet.
package struct SetupPlaces: Hashable, Sendable {
    /// Where the package has the service look, as a command line names it.
    package static let standard = StandardFolders.settings + "/gatehouse.toml"

    /// The configuration, an absolute path.
    package let file: String
    /// The name of a further gate on the box, `out` of `/etc/gatehouse/out.toml`: 1 to 64 of `A-Z a-z 0-9 . _ -`; nil: it is the first
    /// one, or no unit knows it.
    package let instance: String?
    /// Whether it is the first gate's.
    private let isStandard: Bool
    private let folders: StandardFolders

    /// The places of the gate with that configuration.
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

    /// The name of that unit, without `.service`; the first gate's where there is none.
    package var unit: String { "gatehouse" + (instance.map { "@" + $0 } ?? "") }

    /// What to do where that configuration is not there.
    package static func remedy(forAbsent file: String) -> String {
        SetupPlaces(file).isStandard
            ? "Make it: sudo gatehouse setup." : "Check the path, or make it: sudo gatehouse setup --config \(file)."
    }

    /// Words about what to do at a gate, for this one: the commands and folders in them are its own, where it is a further one on the box
    /// (`gatehouse@out`).
    package func told(_ words: String) -> String { Self.told(words, of: unit) }

    /// The same for the gate of that unit.
    static func told(_ words: String, of unit: String) -> String {
        let instance = unit.dropFirst("gatehouse".count)
        guard !instance.isEmpty else { return words }
        let commands = /(systemctl (?:[a-z-]+ )+|journalctl -u )(gatehouse(?:-radio)?)(?![a-z\/@-])/
        return words.replacing(commands) { "\($0.1)\($0.2)\(instance)" }
            .replacing(/\/var\/lib\/gatehouse(?![a-z\/@-])/, with: StandardFolders.state + "-" + instance.dropFirst())
    }

    /// The folder of the configuration.
    package var folder: String { NamedPlace.folder(of: file) }

    /// Where the service finds the invitation.
    package var invitation: String { folder + "/agent\(instance.map { "-" + $0 } ?? "").invitation" }

    /// The same, as the configuration names it.
    var invitationName: String { hasUnit ? folders.name(invitation) : "agent.invitation" }

    /// The folder of records and trust data that came from elsewhere; nil: systemd makes it.
    var state: String? { hasUnit ? nil : folder + "/state" }

    /// Where the code is drawn, as the configuration names it; nil: in the usual place.
    var picture: String? {
        hasUnit ? instance.map { StandardFolders.runtime + "-\($0)/invitation.png" } : "invitation.png"
    }

    /// The keys that say so where the configuration's defaults do not. Further gates share the trust directory of the first one.
    var keys: [(key: String, value: String)] {
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
