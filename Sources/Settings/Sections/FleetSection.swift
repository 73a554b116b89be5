package import Credentials
import Encoding

/// `[fleet]`: the operators who may send this gate a configuration.
package struct FleetSection: Hashable, Sendable {
    /// The operators' keys. One of them must have signed a configuration bundle.
    package var keys: [OperatorKey]

    init(_ reader: inout ConfigurationReader) {
        keys = []
        for text in reader.texts("fleet.keys") {
            if let key = OperatorKey(Text(text)) {
                keys.append(key)
            } else {
                reader.reject(
                    "fleet.keys", "\"\(text.prefix(60))\" is not an Ed25519 key",
                    "Write the key that gatehouse trust keygen prints (z6Mk…).")
            }
        }
    }
}
