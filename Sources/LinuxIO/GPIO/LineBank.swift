/// Output lines that change together: those of a chip (``GPIOLines``), or of a test.
package protocol LineBank: AnyObject {
    /// Makes exactly the lines of these names active, all in one step.
    func set(active names: Set<String>) throws(GPIOError)
    /// The names of the lines that are active, read back.
    func active() throws(GPIOError) -> Set<String>
    /// Makes all lines inactive and gives them back; may be called twice.
    func close()
}

extension GPIOLines: LineBank {}
