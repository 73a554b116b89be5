package import Credentials
import Encoding
package import Settings

/// `[fleet]`: the operators who may send this gate a configuration.
package struct FleetSection: ConfigurationSection, Hashable {
    /// The section before this one.
    package static let follows = "observe"

    /// The operators' keys. One of them must have signed a configuration bundle.
    package let keys: [OperatorKey]

    /// Reads the section.
    package init(_ reader: inout ConfigurationReader, of configuration: Configuration, in folder: ConfigurationFolder) {
        var keys: [OperatorKey] = []
        for text in reader.texts("fleet.keys") {
            if let key = OperatorKey(Text(text)) {
                keys.append(key)
            } else {
                reader.reject(
                    "fleet.keys", "\"\(text.prefix(60))\" is not an Ed25519 key",
                    "Write the key that gatehouse trust keygen prints (z6Mk…).")
            }
        }
        self.keys = keys
    }
}
