/// Output lines that change together: those of a chip (``GPIOLines``), or of a test.
package protocol LineBank: AnyObject {
    /// Makes exactly the lines of these names active, all in one step.
    func set(active names: Set<String>) throws(GPIOError)
    /// Notes that its thread may be about to make lines active (true), or that it is not. True comes before the
    /// thread reads the clock by which it decides. The end of a call of ``set(active:)`` is false, too.
    func tries(_ isTrying: Bool)
    /// The names of the lines that are active, read back.
    func active() throws(GPIOError) -> Set<String>
    /// Makes all lines inactive and gives them back; may be called twice.
    func close()
}

extension LineBank {
    /// Most lines have no observer.
    package func tries(_ isTrying: Bool) {}
}

extension GPIOLines: LineBank {}
