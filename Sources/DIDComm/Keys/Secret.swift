import CSodium

/// Secret bytes that are wiped when the last reference is released.
///
/// The memory is locked against swapping if the system's limit permits. The bytes never change, appear in no
/// description, and are accessible only through ``withBytes(_:)``.
package final class Secret: @unchecked Sendable {
    // Sendable in spite of the pointer, because no code writes to the memory between `init` and `deinit`.
    private let storage: UnsafeMutableRawBufferPointer

    /// Creates a secret of `count` bytes. `fill` writes the bytes once; before the call they are zero.
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = .allocate(byteCount: max(count, 0), alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        if let start = storage.baseAddress { _ = sodium_mlock(start, storage.count) }
        fill(storage)
    }

    /// Creates a copy of `bytes`. The caller's own copy is not wiped.
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

    /// Passes the bytes to `body`. `body` must not keep the buffer.
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
