/// A key of earlier versions that may still be in a configuration: it is accepted, with a warning, for one release at least
/// (docs/compatibility.md).
package struct DeprecatedKey: Hashable, Sendable {
    /// The key as it was.
    package var key: String
    /// The key that has its place and takes its value; nil: what it said has no effect any more.
    package var replacement: String?
    /// The version that warned first.
    package var since: String
    /// The version that refuses it.
    package var until: String
    /// What to write instead, in plain words; empty where the replacement says it all.
    package var remedy = ""

    /// All of them.
    package static let all = [
        DeprecatedKey(
            key: "agent.queue", replacement: nil, since: "0.1.0", until: "0.3.0",
            remedy: "The ledger itself is the outbox; ledger.keepMegabytes bounds it.")
    ]

    /// What is said of it.
    var warning: (message: String, remedy: String) {
        guard let replacement else {
            return ("has no effect any more", "\(remedy) Remove it; version \(until) refuses it.")
        }
        return ("is called \(replacement) since version \(since)", "Write it so; version \(until) refuses \(key).")
    }
}
