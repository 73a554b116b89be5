package import Kiosk

/// The source of a key that stays the same for many visits: the key of a printed code.
package protocol PrintedKeySource: Sendable {
    /// The sessions that used the key before this start of the program.
    var used: UsedSessions { get }
    /// Returns the key with the instant at which its validity ends; nil if the key is not valid now.
    func key() -> PrintedKey?
    /// Stores a session that used the key, so that it cannot be replayed. `answer` is called once, on any thread:
    /// with nil when the session is durable, otherwise with the reason why it may be lost in a power cut.
    func keep(_ session: [UInt8], answer: @escaping @Sendable (_ failure: String?) -> Void)
}
