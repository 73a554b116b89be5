package import Kiosk

/// A section of the configuration that belongs to a feature. ``Configuration`` holds it by its type and knows nothing
/// else of it.
package protocol ConfigurationSection: Sendable {
    /// The name of the section that this one follows in the list of all keys.
    static var follows: String { get }

    /// Reads the section. `configuration`: the sections that belong to no feature. `folder`: the folders of paths.
    init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder)

    /// The files that the section names.
    var files: [SectionFile] { get }
    /// The lines of the outputs that the section names, on the chip of `[gpio]`.
    var outputs: [OutputRole: OutputLine] { get }
    /// The lines of its own that the section names.
    var lines: [SectionLines] { get }
}

extension ConfigurationSection {
    /// None.
    package var files: [SectionFile] { [] }
    /// None.
    package var outputs: [OutputRole: OutputLine] { [:] }
    /// None.
    package var lines: [SectionLines] { [] }
}

/// Lines on one GPIO chip that a section of a feature names.
package struct SectionLines: Hashable, Sendable {
    /// A line.
    package struct Line: Hashable, Sendable {
        /// The key of the configuration that names the line.
        package let key: String
        /// The key under which problems of the line are reported.
        let problemKey: String
        /// The name of the line.
        package let name: String

        /// Creates the line of a key. `problemKey`: by default that key.
        package init(_ key: String, _ name: String, problemKey: String? = nil) {
            (self.key, self.name, self.problemKey) = (key, name, problemKey ?? key)
        }
    }

    /// The chip's label.
    package let chip: String
    /// The lines, in the order of their keys.
    package let lines: [Line]

    /// Creates the lines of a chip.
    package init(chip: String, _ lines: [Line]) { (self.chip, self.lines) = (chip, lines) }
}

/// A file that a section of a feature names.
package struct SectionFile: Hashable, Sendable {
    /// The uses of such a file.
    package enum Use: Hashable, Sendable {
        /// A file that a command makes and the service reads. No bundle of a configuration contains it.
        case prepared
        /// A file next to a prepared one, which belongs to it.
        case companion
        /// A file that the service replaces as a whole.
        case replaced
        /// A socket that the service makes.
        case socket
        /// A program that the service executes. `standard`: the program that it executes by default.
        case program(standard: String)
    }

    /// The key of the configuration that names the file.
    let key: String
    /// The key under which problems of the path are reported.
    let problemKey: String
    /// Its absolute path; of a program also its name in `PATH`.
    let path: String
    let use: Use

    /// The places where the service writes. A folder is one of them if the service makes the file in it anew, but does
    /// not make the folder.
    var writtenPaths: [String] {
        switch use {
        case .replaced: [NamedPlace.folder(of: path), path]
        case .socket: [NamedPlace.folder(of: path)]
        case .prepared, .companion, .program: []
        }
    }

    /// Creates the file of a key. `problemKey`: by default that key.
    package init(_ key: String, _ path: String, _ use: Use, problemKey: String? = nil) {
        (self.key, self.path, self.use, self.problemKey) = (key, path, use, problemKey ?? key)
    }
}
