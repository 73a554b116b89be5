/// A section of the configuration that belongs to a feature. ``Configuration`` holds it by its type and knows nothing
/// else of it.
package protocol ConfigurationSection: Sendable {
    /// The name of the section that this one follows in the list of all keys.
    static var follows: String { get }

    /// Reads the section. `configuration`: the sections that belong to no feature. `folder`: the folders of paths.
    init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder)

    /// The files that the section names.
    var files: [SectionFile] { get }
}

extension ConfigurationSection {
    /// None.
    package var files: [SectionFile] { [] }
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
    /// Its absolute path; of a program also its name in `PATH`.
    let path: String
    /// The use of the file.
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

    /// Creates the file of a key.
    package init(_ key: String, _ path: String, _ use: Use) { (self.key, self.path, self.use) = (key, path, use) }
}
