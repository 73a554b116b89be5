import Encoding

extension Configuration {
    /// Returns the configuration that the gate with the configuration file `file` would have if the file gave
    /// no values. With it a machine can be examined whose configuration is absent or unusable. `sections`: the sections
    /// that belong to features.
    package static func placeholder(
        for file: String, sections: [any ConfigurationSection.Type]
    ) throws(ConfigurationError) -> Configuration {
        let places = SetupPlaces(file)
        var text = ConfigurationText()
        text.add("kiosk.name", "Gate")
        for (key, value) in places.keys { text.add(key, .text(value)) }
        let bytes = Array(text.lines.joined(separator: "\n").utf8)
        return try parse(bytes, file: file, folder: places.folder, sections: sections)
    }
}
