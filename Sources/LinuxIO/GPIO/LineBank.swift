/// Output lines that change together: the lines of a chip (``GPIOLines``), or of a test.
package protocol LineBank: AnyObject {
    /// Makes exactly the named lines active, in one step.
    func set(active names: Set<String>) throws(GPIOError)
    /// Notes whether the thread may be about to make lines active. The thread calls this function with true
    /// before it reads the clock to check whether its order is still valid. The end of a call of
    /// ``set(active:)`` counts as false, too.
    func tries(_ isTrying: Bool)
    /// Returns the names of the active lines, read back from the chip.
    func active() throws(GPIOError) -> Set<String>
    /// Makes all lines inactive and releases them. The function may be called twice.
    func close()
}

extension LineBank {
    /// Does nothing, because most lines have no observer.
    package func tries(_ isTrying: Bool) {}
}

extension GPIOLines: LineBank {}
