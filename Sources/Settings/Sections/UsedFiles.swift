import Encoding
import Foundation
import LinuxIO

/// Rejects a configuration that names one file for two uses. One use would destroy the data of the other, for example
/// if a display replaced the database or the log were written into the witness.
///
/// `own`: files that the service uses without a key of the configuration.
func checkFiles(
    _ reader: inout ConfigurationReader, in folder: String, besides own: [String],
    _ files: [(key: String, path: String?)]
) {
    var owners: [Text: String] = [:]
    for path in own { owners[place(path)] = "the service itself" }
    // Check the database first, then defaults, then paths in the file. If two paths are equal, the later one is
    // rejected: so the problem is reported for a key that the operator has written.
    let written = files.filter { reader.has($0.key) }
    let defaults = files.filter { !reader.has($0.key) }
    for case (let key, let path?) in files.prefix(1) + (defaults + written).filter({ $0.key != files.first?.key }) {
        if path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            // Reject control characters, because the system reads a zero byte as the end of a path.
            reader.reject(key, "holds a control character", "Write the path without it.")
        } else if path.hasSuffix("/") || place(path) == place(folder) {
            reader.reject(key, "is a folder", "Write the path of a file.")
        } else if let owner = owners[place(path)] {
            reader.reject(key, "is \(path), which \(owner) uses too", "Give it its own file.")
        } else {
            let endings = key.utf8.elementsEqual("ledger.path".utf8) ? LedgerSection.endings : []
            // The service replaces a file by a new one that it first writes under this name.
            if let owner = owners[place(path + ".new")] {
                reader.reject(key, "needs \(path).new, which \(owner) uses too", "Give it its own file.")
            }
            for ending in ["", ".new"] + endings { owners[place(path + ending)] = key }
        }
    }
}

/// Rejects a file that the service writes if it is in a folder of trust data. Files there are trusted, and an import
/// replaces the whole folder.
func checkTrust(
    _ reader: inout ConfigurationReader, _ folders: [String], _ written: [(key: String, path: String?)]
) {
    for case (let key, let path?) in written {
        let isTrust = folders.contains { "\(place(path))/".utf8.starts(with: "\(place($0))/".utf8) }
        if isTrust {
            reader.reject(key, "is \(path), in the folder of the trust data", "Use a file in another folder.")
        }
    }
}

/// Returns the files in the runtime folder that pass information to the program or to a unit that runs as root
/// (``RuntimeFiles``). The runtime folder is the package's or the folder of the control socket, so the files in both
/// are returned.
func ownFiles(_ folder: ConfigurationFolder, control: ControlSection) -> [String] {
    let standard = folder.standard.place(StandardFolders.runtime)
    let folders = [standard] + (control.path.map { [NamedPlace.folder(of: $0)] } ?? [])
    let names = [RuntimeFiles.adapterReset, RuntimeFiles.stoppedDaemon, RuntimeFiles.crashes, Boot.name]
    return folders.flatMap { folder in names.flatMap { ["\(folder)/\($0)", "\(folder)/\($0).new"] } }
}

/// Returns a path without `.`, `..` and empty names, so that equal paths are equal texts.
private func place(_ path: String) -> Text { Text(URL(fileURLWithPath: path).standardizedFileURL.path) }
