import CDiskMeter

/// Counts what is written below a folder, and can make its disk slower: each sync then takes longer, and what it waits for is
/// durable no sooner (`Sources/CDiskMeter`).
package final class DiskMeter: @unchecked Sendable {  // the meter counts with atomic operations
    /// What was written.
    package struct Counts: Hashable, Sendable {
        /// Handed to the file system.
        package var bytes = 0
        /// Blocks of 4,096 bytes that the syncs sent to the disk: a block that is touched again after a sync counts again.
        package var blocks = 0
        /// Calls that waited for the disk.
        package var syncs = 0

        /// What was written since `earlier`.
        package func since(_ earlier: Counts) -> Counts {
            Counts(bytes: bytes - earlier.bytes, blocks: blocks - earlier.blocks, syncs: syncs - earlier.syncs)
        }
    }

    private let meter: OpaquePointer

    /// Watches the databases that are opened below `folder` from now on, as long as the process lives.
    package init(folder: String) throws {
        guard let meter = disk_meter_create(folder + "/") else {
            throw DecisionBench.Failure(reason: "no memory for a meter")
        }
        self.meter = meter
    }

    /// Lets every sync take that much longer from now on.
    package func slow(by delay: Duration) { disk_meter_slow(meter, UInt64(max(0, delay / .microseconds(1)))) }

    /// Counts a write and its sync of another file, after the time that one of the database takes longer.
    package func note(bytes: Int) { disk_meter_note(meter, UInt64(bytes)) }

    /// What was written so far.
    package var counts: Counts {
        let counts = disk_meter_read(meter)
        return Counts(bytes: Int(counts.bytes), blocks: Int(counts.blocks), syncs: Int(counts.syncs))
    }
}
