import Foundation
import LinuxIO
import Settings

/// The paths to which a restore may write because a configuration in a backup names them. An attacker who can write
/// to the backup's stick, but not to this machine, may have written that configuration, and root would write to any
/// path in it.
///
/// A path that the present configuration of this machine names is the operator's choice and is allowed. Any other
/// path must be below the folder of the configuration file or below one of the service's folders. It must contain no
/// `..`, no hidden name and no symbolic link.
struct RestorePlaces {
    private let standard: [String]
    /// The paths in the present configuration, by the key of the configuration.
    private let present: [String: String]

    /// Creates the permitted paths from the present configuration. `file`: the path of the configuration file.
    init(_ configuration: Configuration, file: String) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().standardizedFileURL.path
        // NAME is the instance of gatehouse@NAME.service.
        let name = (file as NSString).lastPathComponent.replacingOccurrences(of: ".toml", with: "")
        let (state, runtime) = (StandardFolders.state, StandardFolders.runtime)
        standard =
            [StandardFolders.settings, state, runtime, "\(state)-\(name)", "\(runtime)-\(name)"]
            .map(configuration.standard.place)
            // The root folder and the folders directly below it, such as /etc, belong to the system. They are not
            // permitted even if the configuration file is there.
            + (folder.split(separator: "/").count > 1 ? [folder] : [])
        present = Dictionary(
            NamedPlace.writtenByCommands(configuration).map { ($0.key, $0.path) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Throws if `target` names another path to which root would write: during the restore, or in a command that runs
    /// while the service is stopped.
    func check(_ target: Configuration) throws(BackupFailure) {
        for place in NamedPlace.writtenByCommands(target) where present[place.key] != place.path {
            let (key, path) = (place.key, place.path)
            guard let folder = standard.first(where: { path.hasPrefix($0 + "/") }) else {
                throw Self.refused(key, path, "is outside the service's folders")
            }
            var way = folder
            for name in path.dropFirst(folder.count).split(separator: "/") {
                way += "/" + name
                guard !name.hasPrefix(".") else { throw Self.refused(key, path, "is hidden, or leads upwards") }
                guard (try? FileStatus(way))?.kind != .link else {
                    throw Self.refused(key, path, "goes through the symbolic link \(way)")
                }
            }
        }
    }

    private static func refused(_ key: String, _ path: String, _ why: String) -> BackupFailure {
        BackupFailure(
            "\(key) of the configuration in the backup \(why): \(path)",
            remedy: "if that path is intended, set it in this machine's configuration first, otherwise remove "
                + "--configuration",
            isRefusal: true)
    }
}
