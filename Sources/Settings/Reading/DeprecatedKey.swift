/// A key of earlier versions. It is accepted, with a warning, for at least one release (docs/compatibility.md).
package struct DeprecatedKey: Hashable, Sendable {
    /// The deprecated key.
    package var key: String
    /// The key that replaces the deprecated key and gets its value; nil if the deprecated key no longer has an
    /// effect.
    package var replacement: String?
    /// The first version that warns about the key.
    package var since: String
    /// The first version that rejects the key.
    package var until: String
    /// The remedy: what to write instead, in plain words. Empty if the name of the replacement is enough.
    package var remedy = ""

    /// All deprecated keys.
    package static let all = [
        DeprecatedKey(
            key: "agent.queue", replacement: nil, since: "0.1.0", until: "0.3.0",
            remedy: "The ledger itself is the outbox; ledger.keepMegabytes bounds it.")
    ]

    /// The warning that is recorded for the key.
    var warning: (message: String, remedy: String) {
        guard let replacement else {
            return ("no longer has an effect", "\(remedy) Remove it; version \(until) refuses it.")
        }
        return (
            "was renamed to \(replacement) in version \(since)",
            "Use the new name; version \(until) refuses "
                + "\(key)."
        )
    }
}
