/// Output lines that change together: the lines of a chip (``GPIOLines``) or, in tests, simulated lines.
package protocol LineBank: AnyObject {
    /// Makes the lines in `names` active and all others inactive, in one step.
    func set(active names: Set<String>) throws(GPIOError)
    /// Notes whether the thread may be about to make lines active. The thread calls this with true before it reads
    /// the clock to check whether its order is still valid. The end of a call of ``set(active:)`` also counts as
    /// false.
    func tries(_ isTrying: Bool)
    /// Returns the names of the active lines, read back from the chip.
    func active() throws(GPIOError) -> Set<String>
    /// Makes all lines inactive and releases them. Further calls do nothing.
    func close()
}

extension LineBank {
    /// Does nothing: only the lines of a gate's relay are observed.
    package func tries(_ isTrying: Bool) {}
}

extension GPIOLines: LineBank {}
