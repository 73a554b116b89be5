package import Kiosk

/// The owner of a key that stays the same for many visits, such as that of a printed code.
package protocol PrintedKeySource: Sendable {
    /// The sessions that the key had before this start.
    var used: UsedSessions { get }
    /// Returns the key with its end on the monotonic clock; nil if the key is not in force.
    func key() -> PrintedKey?
    /// Records a session. `answer` is called once, on any thread: with nil once the session survives a power
    /// cut, otherwise with the reason why it might not survive one.
    func keep(_ session: [UInt8], answer: @escaping @Sendable (_ failure: String?) -> Void)
}
