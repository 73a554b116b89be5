import Foundation
import Glibc

/// Where a restore may write as the configuration in a backup says: somebody may have written it who can write a stick and not this
/// box, and root does what it says.
///
/// A place of the configuration in force is the operator's own. Any other has to be below the folder of the configuration or one of the
/// service's folders, by a way without `..`, hidden names and symbolic links.
struct RestorePlaces {
    private let standard: [String]
    /// Those of the configuration in force, by key.
    private let present: [String: String]

    /// `file`: the configuration that is in force.
    init(_ configuration: Configuration, file: String) {
        let folder = URL(fileURLWithPath: file).deletingLastPathComponent().standardizedFileURL.path
        // Of gatehouse@NAME.service.
        let name = (file as NSString).lastPathComponent.replacingOccurrences(of: ".toml", with: "")
        let (state, runtime) = (StandardFolders.state, StandardFolders.runtime)
        standard =
            [StandardFolders.settings, state, runtime, "\(state)-\(name)", "\(runtime)-\(name)"]
            .map(configuration.standard.place)
            // What lies below / and /etc belongs to the system, wherever the configuration is.
            + (folder.split(separator: "/").count > 1 ? [folder] : [])
        present = Dictionary(
            NamedPlace.writtenByCommands(configuration).map { ($0.key, $0.path) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Throws where root would write elsewhere, at the restore itself or at a command that works beside the stopped service.
    func check(_ target: Configuration) throws(BackupFailure) {
        for place in NamedPlace.writtenByCommands(target) where present[place.key] != place.path {
            let (key, path) = (place.key, place.path)
            guard let folder = standard.first(where: { path.hasPrefix($0 + "/") }) else {
                throw Self.refused(key, path, "is outside of the service's folders")
            }
            var way = folder
            for name in path.dropFirst(folder.count).split(separator: "/") {
                way += "/" + name
                guard !name.hasPrefix(".") else { throw Self.refused(key, path, "is hidden, or leads upwards") }
                var status = stat()
                guard lstat(way, &status) != 0 || status.st_mode & S_IFMT != S_IFLNK else {
                    throw Self.refused(key, path, "goes through the symbolic link \(way)")
                }
            }
        }
    }

    private static func refused(_ key: String, _ path: String, _ why: String) -> BackupFailure {
        BackupFailure(
            "\(key) of the configuration in the backup \(why): \(path)",
            remedy: "if that place is yours write it into the configuration here first, else leave out --configuration",
            isRefusal: true)
    }
}
