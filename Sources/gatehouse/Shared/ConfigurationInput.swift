import ArgumentParser
import Console
import Features
import Foundation
import LinuxIO
import Settings

/// The option that names the appliance's configuration.
struct ConfigurationInput: ParsableArguments {
    static let standard = SetupPlaces.standard

    @Option(name: [.customLong("config")], help: ArgumentHelp("The configuration file.", valueName: "file"))
    private var named = Self.standard

    var path: String {
        get {
            let folders = StandardFolders.inForce
            if folders.root.isEmpty || named.hasPrefix("/") { return folders.place(named) }
            // The current folder, from which the path starts, may be one of the standard folders.
            let path = URL(fileURLWithPath: named).path
            let place = folders.place(path)
            return place == path ? named : place
        }
        set { named = newValue }
    }

    /// Whether the path is the one at which the package's service expects the configuration.
    var isStandard: Bool { named == Self.standard }

    /// The absolute path of the configuration file.
    var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The paths and names of the gate with this configuration.
    var places: SetupPlaces { SetupPlaces(absolutePath) }

    /// Reads the configuration file with the rights of its owner.
    func read() throws(ConfigurationError) -> Configuration {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return try Configuration.load(path)
    }

    /// The rights of a command run by root, once the command knows its gate.
    enum Rights {
        /// The rights of the owner of the gate's folders (``CommandRole``).
        case owners
        /// The command keeps root's own rights, because it also works outside the gate's folders. For its
        /// work in the owner's folders it takes the owner's rights.
        case roots
        /// The command has the rights that its unit leaves it. With these rights the command cannot become another
        /// user, and does not work in any of the gate's folders.
        case units
    }

    /// Reads the configuration, and turns its problems into one failure for people.
    func load(_ rights: Rights = .owners) throws -> Configuration {
        do throws(ConfigurationError) {
            let configuration = try rights == .units ? Configuration.load(path) : read()
            if rights == .owners { CommandRole.take(for: configuration) }
            return configuration
        } catch {
            throw CommandFailure.problems("the configuration", error.problems.count, error.description)
        }
    }
}
