package import Encoding

/// This start of the machine, within which instants of ``SystemClock/now()`` compare.
package enum Boot {
    /// The file that keeps a name of our own, in the service's runtime folder.
    package static let name = "start-id"

    /// Names it: the kernel's UUID (random(4)) or, where a sandbox hides that, a UUID of our own.
    ///
    /// Our own is kept in a folder that the next start of the machine empties, so that all runs of the program between two
    /// starts have the same; without such a folder each run has one of its own.
    ///
    /// - Parameters:
    ///   - kernel: Where the kernel tells it.
    ///   - folder: The folder below /run that belongs to the service; nil: there is none.
    /// - Throws: When the system gives no random bytes.
    package static func id(
        kernel: String = "/proc/sys/kernel/random/boot_id", folder: String?
    ) throws(SystemError) -> Text {
        if let told = uuid(in: kernel) { return told }
        let kept = folder.map { $0 + "/" + name }
        if let kept, let known = uuid(in: kept) { return known }
        let new = RandomUUID.text(try SystemRandom.bytes(16)) ?? ""
        // One that cannot be kept still names this run.
        if let kept { try? FileBytes.replace(kept, with: Array((new + "\n").utf8)) }
        return Text(new)
    }

    /// The names that a service may have for this start of the machine: the kernel's, and its own in the folder; makes none.
    package static func names(kernel: String = "/proc/sys/kernel/random/boot_id", folder: String) -> [Text] {
        [uuid(in: kernel), uuid(in: folder + "/" + name)].compactMap(\.self)
    }

    /// The UUID at the beginning of a file; nil for anything else.
    private static func uuid(in path: String) -> Text? {
        guard let bytes = FileBytes.read(path, limit: 36), bytes.count == 36 else { return nil }
        let isUUID = bytes.enumerated().allSatisfy { place, byte in
            [8, 13, 18, 23].contains(place) ? byte == UInt8(ascii: "-") : isHexadecimal(byte)
        }
        return isUUID ? Text(utf8: bytes) : nil
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }
}
