import AllocationLog

/// Blocks of memory that code asks for.
package enum Allocations {
    /// Runs `body` and counts what it asks for on this thread.
    ///
    /// - Parameters:
    ///   - least: Smaller blocks, in bytes, are left out: an unoptimised build asks for small ones all the time.
    ///   - body: What is measured.
    /// - Returns: How many blocks, how many bytes together, and what `body` returned.
    package static func made<Value>(ofAtLeast least: Int, by body: () -> Value) -> (
        blocks: Int, bytes: Int, value: Value
    ) {
        allocation_log_begin(least)
        let value = body()
        var bytes = 0
        let blocks = allocation_log_end(&bytes)
        return (blocks, bytes, value)
    }
}
