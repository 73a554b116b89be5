import ArgumentParser
import Console
import Features
import Foundation
import LinuxIO
import Settings

/// The option `--config`, which names the appliance's configuration.
struct ConfigurationInput: ParsableArguments {
    static let standard = SetupPlaces.standard

    @Option(name: [.customLong("config")], help: ArgumentHelp("The configuration file.", valueName: "file"))
    private var named = Self.standard

    var path: String {
        get {
            let folders = StandardFolders.inForce
            if folders.root.isEmpty || named.hasPrefix("/") { return folders.place(named) }
            // The path is relative to the current folder, which may be inside one of the standard folders.
            let path = URL(fileURLWithPath: named).path
            let place = folders.place(path)
            return place == path ? named : place
        }
        set { named = newValue }
    }

    /// Whether `--config` is absent or names the path at which the package's service reads the configuration.
    var isStandard: Bool { named == Self.standard }

    /// The absolute path of the configuration file.
    var absolutePath: String { URL(fileURLWithPath: path).standardizedFileURL.path }

    /// The paths and names of the gate that uses this configuration.
    var places: SetupPlaces { SetupPlaces(absolutePath) }

    /// Reads the configuration file with the rights of its owner.
    func read() throws(ConfigurationError) -> Configuration {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return try Configuration.load(path)
    }

    /// The rights of a command that root runs, after it has read the configuration.
    enum Rights {
        /// The rights of the owner of the gate's folders, until the command ends (``CommandRole``).
        case owners
        /// Root's own rights, because the command also works outside the gate's folders. For its work inside these
        /// folders the command acts as their owner.
        case roots
        /// The rights that the command's systemd unit grants. The command cannot become another user, and does not work
        /// inside the gate's folders.
        case units
    }

    /// Reads the configuration and assumes the rights `rights`. Throws all problems of the configuration as one
    /// ``CommandFailure``.
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
