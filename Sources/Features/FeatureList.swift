package import Encoding
package import GateService
package import Kiosk
package import Settings

/// The list of features.
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

    /// Returns the nodes of devices that features need, with their devices.
    package static func nodes(_ configuration: Configuration) -> [(device: FeatureDevice, node: FeatureDevice.Node)] {
        checked.flatMap { $0.summaries(configuration) }.compactMap(\.device).compactMap { device in
            device.node.map { (device, $0) }
        }
    }

    /// Returns the wires to a gate controller; nil: none.
    package static func controller(_ start: FeatureStart) -> (any ControllerLines)? {
        all.lazy.compactMap { $0.controller(start) }.first
    }

    /// Returns the dates at which features end.
    package static func expiries(_ configuration: Configuration) -> [Expiry] {
        all.flatMap { $0.expiries(configuration) }
    }
}

extension Configuration {
    /// Reads and checks a file with the sections of all features. Throws all its problems at once.
    package static func load(_ path: String) throws(ConfigurationError) -> Configuration {
        try load(path, sections: FeatureList.sections)
    }

    /// Reads and checks the bytes of a file with the sections of all features. `file` is its name in errors; relative
    /// paths start from `folder`. `deprecated`: the keys of earlier versions that it may still have; `standard`: the
    /// standard folders.
    package static func parse(
        _ bytes: [UInt8], file: String, folder: String, deprecated: [DeprecatedKey] = DeprecatedKey.all,
        standard: StandardFolders = .inForce
    ) throws(ConfigurationError) -> Configuration {
        try parse(
            bytes, file: file, folder: folder, deprecated: deprecated, standard: standard,
            sections: FeatureList.sections)
    }

    /// Returns the configuration of a gate whose file `file` gives no values (``placeholder(for:sections:)``).
    package static func placeholder(for file: String) throws(ConfigurationError) -> Configuration {
        try placeholder(for: file, sections: FeatureList.sections)
    }

    /// Every known key with the form of its value, in the order of the sections.
    package static var forms: [KeyForm] { forms(sections: FeatureList.sections) }

    /// Every known key, in the order of the sections.
    package static var keys: [String] { forms.map(\.key) }
}
