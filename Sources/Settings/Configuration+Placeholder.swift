import Encoding

extension Configuration {
    /// Returns the configuration of the gate whose file is `file`, if that file contained no values. It permits
    /// checks of a machine whose configuration is missing or invalid. `sections`: the sections that belong to
    /// features.
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
