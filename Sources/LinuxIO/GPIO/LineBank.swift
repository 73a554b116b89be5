/// Output lines that change together: those of a chip (``GPIOLines``), or of a test.
package protocol LineBank: AnyObject {
    /// Makes exactly the named lines active, in one step.
    func set(active names: Set<String>) throws(GPIOError)
    /// Notes whether the thread may be about to make lines active. The thread calls this with true before it
    /// reads the clock by which it decides. The end of a call of ``set(active:)`` counts as false, too.
    func tries(_ isTrying: Bool)
    /// The names of the lines that are active, read back.
    func active() throws(GPIOError) -> Set<String>
    /// Makes all lines inactive and releases them; may be called twice.
    func close()
}

extension LineBank {
    /// Does nothing: most lines have no observer.
    package func tries(_ isTrying: Bool) {}
}

extension GPIOLines: LineBank {}
