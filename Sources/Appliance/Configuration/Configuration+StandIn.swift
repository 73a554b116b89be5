import Encoding

extension Configuration {
    /// What the gate with that file would have if it said nothing: to look at a machine whose configuration is absent or cannot be used.
    ///
    /// - Parameter file: Where the configuration should be, an absolute path.
    package static func standIn(for file: String) throws(ConfigurationError) -> Configuration {
        let places = SetupPlaces(file)
        var text = ConfigurationText()
        text.add("kiosk.name", "Gate")
        for (key, value) in places.keys { text.add(key, .text(value)) }
        return try parse(Array(text.lines.joined(separator: "\n").utf8), file: file, folder: places.folder)
    }
}
