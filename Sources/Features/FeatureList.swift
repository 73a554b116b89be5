package import Encoding
package import GateService
package import Kiosk
package import Settings

/// The list of all features.
package enum FeatureList {
    /// All features, in the order of their sections.
    package static let all: [any Feature.Type] = [
        WiegandFeature.self, DisplaysFeature.self, VoiceFeature.self, StickerFeature.self, ObservationFeature.self,
        FleetFeature.self,
    ]

    /// The features that the doctor checks.
    package static var checked: [any CheckedFeature.Type] { all.compactMap { $0 as? any CheckedFeature.Type } }

    /// The sections of all features.
    static var sections: [any ConfigurationSection.Type] { all.map { $0.section } }

    /// Returns the device nodes that the configured features need, each with its device.
    package static func nodes(_ configuration: Configuration) -> [(device: FeatureDevice, node: FeatureDevice.Node)] {
        checked.flatMap { $0.summaries(configuration) }.compactMap(\.device).compactMap { device in
            device.node.map { (device, $0) }
        }
    }

    /// Returns the wires to a gate controller; nil if the configuration names none.
    package static func controller(_ start: FeatureStart) -> (any ControllerLines)? {
        all.lazy.compactMap { $0.controller(start) }.first
    }

    /// Returns the dates at which parts of features expire.
    package static func expiries(_ configuration: Configuration) -> [Expiry] {
        all.flatMap { $0.expiries(configuration) }
    }
}

extension Configuration {
    /// Reads and checks the configuration file at a path, including the sections of all features. Throws one error
    /// that contains all problems of the file.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        try load(path, sections: FeatureList.sections)
    }

    /// Reads and checks the bytes of a configuration file, including the sections of all features. `file` is the
    /// file's name in errors, and relative paths begin at `folder`. `deprecated` contains the keys of earlier
    /// versions that are still accepted, and `standard` the standard folders.
    package static func parse(
        _ bytes: [UInt8], file: String, folder: String, deprecated: [DeprecatedKey] = DeprecatedKey.all,
        standard: StandardFolders = .inForce
    ) throws(ConfigurationError) -> Configuration {
        try parse(
            bytes, file: file, folder: folder, deprecated: deprecated, standard: standard,
            sections: FeatureList.sections)
    }

    /// Returns the configuration for a gate whose file `file` contains no values (``placeholder(for:sections:)``).
    package static func placeholder(for file: String) throws(ConfigurationError) -> Configuration {
        try placeholder(for: file, sections: FeatureList.sections)
    }

    /// Each known key with the form of its value, in the order of the sections.
    package static var forms: [KeyForm] { forms(sections: FeatureList.sections) }

    /// The names of all known keys, in the order of the sections.
    package static var keys: [String] { forms.map(\.key) }
}
