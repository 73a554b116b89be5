import CSodium

/// Secret bytes in memory. They are overwritten with zeros when the last reference to the object is released.
///
/// The memory is locked, so that it is not swapped to disk, if the system's limit permits. The bytes do not change
/// after `init`, are not part of any description, and can be read only through ``withBytes(_:)``.
package final class Secret: @unchecked Sendable {
    // Sendable although it has a pointer, because no code writes to the memory between `init` and `deinit`.
    private let storage: UnsafeMutableRawBufferPointer

    /// Creates a secret of `count` bytes. `fill` is called once to write the bytes, which are zero before.
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = .allocate(byteCount: max(count, 0), alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        if let start = storage.baseAddress { _ = sodium_mlock(start, storage.count) }
        fill(storage)
    }

    /// Creates a secret with a copy of `bytes`. The caller's own bytes are not wiped.
    package convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit {
        if let start = storage.baseAddress {
            sodium_memzero(start, storage.count)
            _ = sodium_munlock(start, storage.count)
        }
        storage.deallocate()
    }

    /// The number of bytes.
    package var count: Int { storage.count }

    /// Calls `body` with the bytes. `body` must not use the buffer after it has returned.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    /// An empty mirror, so that a dump of a value does not show its secrets.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
