package import Credentials
package import Encoding
import Foundation
import LinuxIO
package import Settings

/// The configurations of a fleet: the part that all gates have in common and, for each `kiosk.id`, the part of that
/// gate. A value in the gate's part replaces the common value of the same key. A list is replaced as a whole.
package struct FleetConfiguration: Sendable {
    /// The reason why the configuration of a gate cannot be used.
    package struct Failure: Error, Hashable, Sendable {
        /// The problems, in plain words, one on each line.
        package let text: String
        /// The remedy in plain words.
        package let remedy: String

        /// Creates a failure with its text and its remedy.
        package init(text: String, remedy: String) { (self.text, self.remedy) = (text, remedy) }
    }

    static let common: Text = "common.toml"

    /// The files, as they are in a bundle: the content by path.
    package let files: [Text: [UInt8]]

    /// Creates the value from the files of a configuration bundle.
    package init(_ bundle: TrustBundle) { files = bundle.files }

    /// Reads `common.toml` and `kiosks/*.toml` in the folder `directory`. Throws if a file cannot be read, or if no
    /// gate has a file.
    package init(directory: String) throws(Failure) {
        var files: [Text: [UInt8]] = [:]
        let folder = directory + "/kiosks"
        let kiosks = Directory.names(in: folder).filter { $0.hasSuffix(".toml") && !$0.hasPrefix(".") }
        for name in [Self.common.string] + kiosks.map({ "kiosks/" + $0 }) {
            let path = directory + "/" + name
            guard let bytes = FileBytes.whole(path, limit: TrustBundle.Limits().bytes) else {
                throw Failure(
                    text: "\(path) \(FileObstacle(path)?.text ?? "cannot be read")",
                    remedy: "put common.toml and kiosks/ID.toml into the folder, one for each gate")
            }
            files[Text(name)] = bytes
        }
        guard !kiosks.isEmpty else {
            throw Failure(
                text: "no gate has a file in \(folder)",
                remedy: "create kiosks/ID.toml for each gate, with its "
                    + "kiosk.name")
        }
        self.files = files
    }

    /// The `kiosk.id` of each gate that has its own part, sorted.
    package var kiosks: [String] {
        files.keys.filter { $0.hasPrefix("kiosks/") }.map {
            String($0.string.dropFirst("kiosks/".count).dropLast(".toml".count))
        }
        .sorted()
    }

    /// Returns the files that no bundle contains but that gates need, each with the gates that need it. They must
    /// exist on a gate before it can use its configuration.
    package func filesToBring(in folder: String) throws(Failure) -> [(path: String, kiosks: [String])] {
        var files: [String: [String]] = [:]
        for kiosk in kiosks {
            let configuration = try document(for: kiosk, from: "", in: folder).configuration
            for place in NamedPlace.brought(configuration) { files[place.path, default: []].append(kiosk) }
        }
        return files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the complete configuration of one gate, as text and checked. `edition` is the edition of the bundle,
    /// for the first line of the text. Relative paths in the configuration begin at `folder`.
    package func document(
        for kiosk: String, from edition: String, in folder: String
    ) throws(Failure) -> (text: [UInt8], configuration: Configuration) {
        guard let own = files[Text("kiosks/\(kiosk).toml")] else {
            throw Failure(
                text: "it has no part for the gate \(kiosk)",
                remedy: "check kiosk.id here, or add kiosks/\(kiosk).toml and sign a new bundle")
        }
        let merged = try table(files[Self.common] ?? [], Self.common.string).overlaid(
            by: table(own, "kiosks/\(kiosk).toml"))
        let text = Array(
            ("# \(edition), for the gate \(kiosk). The next import replaces this file.\n" + merged.document).utf8)
        let configuration: Configuration
        do throws(ConfigurationError) {
            configuration = try Configuration.parse(text, file: kiosk, folder: folder)
        } catch {
            // Leave out the line numbers, because the merged text is not in any file.
            let problems = error.problems.map {
                "\(kiosk): \($0.key.isEmpty ? "" : $0.key + ": ")\($0.message). \($0.remedy)"
            }
            throw Failure(text: problems.joined(separator: "\n"), remedy: "correct the files and sign a new bundle")
        }
        guard configuration.kiosk.id == kiosk else {
            throw Failure(
                text: "\(kiosk): kiosk.id would be \(configuration.kiosk.id)",
                remedy: "name the file after kiosk.id, whose default is kiosk.name")
        }
        guard !configuration[FleetSection.self].keys.isEmpty else {
            throw Failure(
                text: "\(kiosk): it contains no fleet.keys, so no later bundle would be accepted",
                remedy: "add the operator's key to fleet.keys in common.toml")
        }
        return (text, configuration)
    }

    private func table(_ bytes: [UInt8], _ name: String) throws(Failure) -> TOMLTable {
        do throws(TOML.SyntaxError) { return try TOML.parse(bytes) } catch {
            throw Failure(
                text: "\(name):\(error.line): is not TOML: \(error.message)",
                remedy: "correct the file and sign a new bundle")
        }
    }
}
