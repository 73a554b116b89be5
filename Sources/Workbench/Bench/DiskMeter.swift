import CDiskMeter

/// Counts the writes below a folder, and can delay its syncs to simulate a slower disk. Data become durable no earlier
/// than at the end of a delayed sync (`Sources/CDiskMeter`).
package final class DiskMeter: @unchecked Sendable {  // the meter counts with atomic operations
    /// The numbers of written bytes, written blocks and syncs.
    package struct Counts: Hashable, Sendable {
        /// The number of bytes passed to the file system.
        package var bytes: Int
        /// The number of blocks of 4,096 bytes that syncs sent to the disk. A block that is written again after a sync
        /// is counted again.
        package var blocks: Int
        /// The number of syncs: calls that waited for the disk.
        package var syncs: Int

        /// Creates counts. The default of each count is zero.
        package init(bytes: Int = 0, blocks: Int = 0, syncs: Int = 0) {
            (self.bytes, self.blocks, self.syncs) = (bytes, blocks, syncs)
        }

        /// Returns the counts since `earlier`: the difference between these counts and `earlier`.
        package func since(_ earlier: Counts) -> Counts {
            Counts(bytes: bytes - earlier.bytes, blocks: blocks - earlier.blocks, syncs: syncs - earlier.syncs)
        }
    }

    private let meter: OpaquePointer

    /// Creates a meter that counts, until the end of the process, the writes of databases that are opened below
    /// `folder` from now on.
    package init(folder: String) throws {
        guard let meter = disk_meter_create(folder + "/") else {
            throw DecisionBench.Failure(reason: "no memory for a meter")
        }
        self.meter = meter
    }

    /// Delays every later sync by the duration `delay`.
    package func slow(by delay: Duration) { disk_meter_slow(meter, UInt64(max(0, delay / .microseconds(1)))) }

    /// Counts a write and a sync of a file that is not a database. Waits for the delay of ``slow(by:)``.
    package func note(bytes: Int) { disk_meter_note(meter, UInt64(bytes)) }

    /// The counts since the creation of the meter.
    package var counts: Counts {
        let counts = disk_meter_read(meter)
        return Counts(bytes: Int(counts.bytes), blocks: Int(counts.blocks), syncs: Int(counts.syncs))
    }
}
