import AllocationLog

/// Measures the memory blocks that code allocates.
package enum Allocations {
    /// Runs `body` and counts the blocks that it allocates on this thread.
    ///
    /// - Parameters:
    ///   - least: The size, in bytes, from which a block is counted. It excludes the small blocks that an unoptimised
    ///     build allocates all the time.
    ///   - body: The code to measure.
    /// - Returns: The number of counted blocks, their total size in bytes, and the value that `body` returned.
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
