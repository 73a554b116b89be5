package import Encoding

/// The present boot of the machine. Instants of ``SystemClock/now()`` can be compared only within one boot.
package enum Boot {
    /// The name of the file in the service's runtime folder that contains a generated identifier.
    package static let name = "start-id"

    /// Returns an identifier of this boot: the kernel's UUID (random(4)) or, if a sandbox hides that UUID, a
    /// generated UUID.
    ///
    /// The generated UUID is stored in a folder that the next boot empties, so that all runs of the program within
    /// one boot have the same identifier. Without such a folder, each run has its own identifier.
    ///
    /// - Parameters:
    ///   - kernel: The kernel's file that contains the UUID.
    ///   - folder: The service's folder below /run; nil: the service has none.
    /// - Throws: An error if the system returns no random bytes.
    package static func id(
        kernel: String = "/proc/sys/kernel/random/boot_id", folder: String?
    ) throws(SystemError) -> Text {
        if let told = uuid(in: kernel) { return told }
        let kept = folder.map { $0 + "/" + name }
        if let kept, let known = uuid(in: kept) { return known }
        let new = RandomUUID.text(try SystemRandom.bytes(16)) ?? ""
        // Ignore a failure: a UUID that cannot be stored still identifies this run.
        if let kept { try? FileBytes.replace(kept, with: Array((new + "\n").utf8)) }
        return Text(new)
    }

    /// Returns the identifiers that the service may use for this boot: the kernel's identifier, and the generated
    /// identifier in the folder, as far as they exist. Generates no identifier.
    package static func names(kernel: String = "/proc/sys/kernel/random/boot_id", folder: String) -> [Text] {
        [uuid(in: kernel), uuid(in: folder + "/" + name)].compactMap(\.self)
    }

    /// Returns the UUID with which the file begins; nil if the file does not begin with a UUID.
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
