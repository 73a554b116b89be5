import CDiskMeter

/// Counts the writes below a folder, and can slow down its disk. A slowed sync takes longer, and its data becomes
/// durable no earlier than its end (`Sources/CDiskMeter`).
package final class DiskMeter: @unchecked Sendable {  // the meter counts with atomic operations
    /// The counts of writes.
    package struct Counts: Hashable, Sendable {
        /// The number of bytes passed to the file system.
        package var bytes: Int
        /// The number of blocks of 4,096 bytes that the syncs sent to the disk. A block that is written again after a
        /// sync counts again.
        package var blocks: Int
        /// The number of calls that waited for the disk.
        package var syncs: Int

        /// Creates counts. The default of each count is zero.
        package init(bytes: Int = 0, blocks: Int = 0, syncs: Int = 0) {
            (self.bytes, self.blocks, self.syncs) = (bytes, blocks, syncs)
        }

        /// Returns the difference from `earlier`.
        package func since(_ earlier: Counts) -> Counts {
            Counts(bytes: bytes - earlier.bytes, blocks: blocks - earlier.blocks, syncs: syncs - earlier.syncs)
        }
    }

    private let meter: OpaquePointer

    /// Creates a meter for the databases opened below `folder` from now until the end of the process.
    package init(folder: String) throws {
        guard let meter = disk_meter_create(folder + "/") else {
            throw DecisionBench.Failure(reason: "no memory for a meter")
        }
        self.meter = meter
    }

    /// Delays every later sync by the duration `delay`.
    package func slow(by delay: Duration) { disk_meter_slow(meter, UInt64(max(0, delay / .microseconds(1)))) }

    /// Counts a write and a sync of a file outside the database. Waits for the same delay as a sync of the database.
    package func note(bytes: Int) { disk_meter_note(meter, UInt64(bytes)) }

    /// The counts so far.
    package var counts: Counts {
        let counts = disk_meter_read(meter)
        return Counts(bytes: Int(counts.bytes), blocks: Int(counts.blocks), syncs: Int(counts.syncs))
    }
}
