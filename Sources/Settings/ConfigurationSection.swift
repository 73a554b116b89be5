package import Kiosk

/// A section of the configuration that belongs to a feature. ``Configuration`` stores it by its type, and uses only
/// the members of this protocol.
package protocol ConfigurationSection: Sendable {
    /// The name of the section that precedes this one in the list of all keys.
    static var follows: String { get }

    /// Reads the section. `configuration` contains the sections that belong to no feature. `folder` contains the
    /// folders to which paths are relative.
    init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder)

    /// The files that the section names.
    var files: [SectionFile] { get }
    /// The lines of those outputs whose keys are in this section. They are on the chip of `[gpio]`.
    var outputs: [OutputRole: OutputLine] { get }
    /// The lines that this section names in addition to its outputs. They may be on another chip.
    var lines: [SectionLines] { get }
}

extension ConfigurationSection {
    /// Empty: the section names no files.
    package var files: [SectionFile] { [] }
    /// Empty: the section names no outputs.
    package var outputs: [OutputRole: OutputLine] { [:] }
    /// Empty: the section names no other lines.
    package var lines: [SectionLines] { [] }
}

/// Lines on one GPIO chip that a section of a feature names.
package struct SectionLines: Hashable, Sendable {
    /// A line and its keys.
    package struct Line: Hashable, Sendable {
        /// The key of the configuration that names the line.
        package let key: String
        /// The key under which problems with the line are reported.
        let problemKey: String
        /// The name of the line.
        package let name: String

        /// Creates the line that `key` names. Without `problemKey`, its problems are reported under `key`.
        package init(_ key: String, _ name: String, problemKey: String? = nil) {
            (self.key, self.name, self.problemKey) = (key, name, problemKey ?? key)
        }
    }

    /// The label of the chip.
    package let chip: String
    /// The lines, in the order of their keys.
    package let lines: [Line]

    /// Creates the lines on the chip with the label `chip`.
    package init(chip: String, _ lines: [Line]) { (self.chip, self.lines) = (chip, lines) }
}

/// A file that a section of a feature names.
package struct SectionFile: Hashable, Sendable {
    /// How the gate uses such a file.
    package enum Use: Hashable, Sendable {
        /// A command creates the file, and the service reads it. No configuration bundle contains it.
        case prepared
        /// The file belongs to a file of the use ``prepared``, and is in the same folder.
        case companion
        /// The service replaces the file as a whole.
        case replaced
        /// The file is a socket that the service creates.
        case socket
        /// The file is a program that the service executes. `standard` is the program that it executes by default.
        case program(standard: String)
    }

    /// The key of the configuration that names the file.
    let key: String
    /// The key under which problems with the path are reported.
    let problemKey: String
    /// The absolute path of the file. For a program it may also be a name in `PATH`.
    let path: String
    let use: Use

    /// The paths where the service writes. They include the folder of the file, in which the service creates a new
    /// file. (The service does not create the folder.)
    var writtenPaths: [String] {
        switch use {
        case .replaced: [NamedPlace.folder(of: path), path]
        case .socket: [NamedPlace.folder(of: path)]
        case .prepared, .companion, .program: []
        }
    }

    /// Creates the file that `key` names. Without `problemKey`, its problems are reported under `key`.
    package init(_ key: String, _ path: String, _ use: Use, problemKey: String? = nil) {
        (self.key, self.path, self.use, self.problemKey) = (key, path, use, problemKey ?? key)
    }
}
