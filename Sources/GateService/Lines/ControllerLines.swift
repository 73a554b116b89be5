package import Encoding
package import LinuxIO

/// The wires to a gate controller, which opens the gate itself. They are not wired in most gates.
package protocol ControllerLines: Sendable {
    /// Takes over the bank of the wires, all inactive, and makes an output of it. The panel calls it whenever it has
    /// requested the lines.
    ///
    /// - Parameters:
    ///   - wires: The names of the lines of data 0 and data 1.
    ///   - marks: Receives what was sent, if the wires are what opens the gate.
    ///   - failed: See ``LineThread``.
    func output(
        on bank: sending any LineBank, wires: (String, String), marks: OpeningMarks?,
        failed: @escaping @Sendable (LineThread.Trouble?) -> Void
    ) throws(SystemError) -> any ControllerOutput
}

/// The output that asks a gate controller to admit visitors. No call blocks, except the last one.
package protocol ControllerOutput: Sendable {
    /// Asks for the admission of one visitor, if that can begin before `until`.
    func send(until: Instant, at now: Instant)
    /// Cancels a request that has not begun.
    func cancel()
    /// Cancels a request that has not begun and releases the lines. Returns whether they were released within `limit`.
    func end(within limit: Duration) -> Bool
}
