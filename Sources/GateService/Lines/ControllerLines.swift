package import Encoding
package import LinuxIO

/// The wires to a gate controller, a device that opens the gate itself. Most gates have none.
package protocol ControllerLines: Sendable {
    /// Creates an output that uses the lines of `bank`, all inactive at first. The panel calls this each time it has
    /// requested the lines.
    ///
    /// - Parameters:
    ///   - wires: The names of the lines of data 0 and data 1.
    ///   - marks: Receives which requests were sent; nil if another output opens the gate.
    ///   - failed: See ``LineThread``.
    func output(
        on bank: sending any LineBank, wires: (String, String), marks: OpeningMarks?,
        failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) -> any ControllerOutput
}

/// The output that asks a gate controller to admit visitors. Only ``end(within:)`` may block.
package protocol ControllerOutput: Sendable {
    /// Asks the gate controller to admit one visitor. Drops the request if its transmission cannot begin before
    /// `until`.
    func send(until: Instant, at now: Instant)
    /// Cancels a request whose transmission has not begun.
    func cancel()
    /// Cancels a request whose transmission has not begun, and releases the lines. Returns whether the lines were
    /// released within `limit`.
    func end(within limit: Duration) -> Bool
}
