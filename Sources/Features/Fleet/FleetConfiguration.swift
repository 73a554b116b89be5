package import Credentials
package import Encoding
import Foundation
import LinuxIO
package import Settings

/// The configurations of a fleet: the part that all gates have in common, and for each `kiosk.id` the part of
/// that gate. A gate's own value replaces the common value of the same key. A list is replaced as a whole.
package struct FleetConfiguration: Sendable {
    /// Why the configuration cannot be used.
    package struct Failure: Error, Hashable, Sendable {
        /// The problems, in plain words, one on each line.
        package let text: String
        /// The remedy.
        package let remedy: String

        /// Creates a failure with its text and its remedy.
        package init(text: String, remedy: String) { (self.text, self.remedy) = (text, remedy) }
    }

    static let common: Text = "common.toml"

    /// The files as in the bundle: path → content.
    package let files: [Text: [UInt8]]

    /// Creates the value from the files of a bundle.
    package init(_ bundle: TrustBundle) { files = bundle.files }

    /// Reads `common.toml` and `kiosks/*.toml` of a folder.
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

    /// The gates that have their own part in the configurations.
    package var kiosks: [String] {
        files.keys.filter { $0.hasPrefix("kiosks/") }.map {
            String($0.string.dropFirst("kiosks/".count).dropLast(".toml".count))
        }
        .sorted()
    }

    /// Returns the files that each gate needs before it can use its configuration, because no bundle contains
    /// them: path → gates.
    package func filesToBring(in folder: String) throws(Failure) -> [(path: String, kiosks: [String])] {
        var files: [String: [String]] = [:]
        for kiosk in kiosks {
            let configuration = try document(for: kiosk, from: "", in: folder).configuration
            for place in NamedPlace.brought(configuration) { files[place.path, default: []].append(kiosk) }
        }
        return files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Returns the configuration of one gate as a document, completely checked. `folder`: the base of its
    /// relative paths.
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
            // Omit line numbers: they would be lines of the merged document, which exists in no file.
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
