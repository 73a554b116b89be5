package import Credentials
import Encoding
package import Settings

/// `[fleet]`: the keys of the operators who may send this gate a configuration.
package struct FleetSection: ConfigurationSection, Hashable {
    /// The section that precedes this one in the list of all keys.
    package static let follows = "observe"

    /// The operators' public keys. A configuration bundle is accepted if it has the signature of one of them.
    package let keys: [OperatorKey]

    /// Reads `[fleet]`.
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
