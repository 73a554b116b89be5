import CSodium

/// Secret bytes that are wiped when the last reference to them goes.
///
/// The memory is locked against swapping where the system's limit allows it. The bytes never change after creation, show
/// in no description and are reached only through ``withBytes(_:)``.
package final class Secret: @unchecked Sendable {
    // Sendable although it holds a pointer: nothing writes between `init` and `deinit`.
    private let storage: UnsafeMutableRawBufferPointer

    /// A secret of `count` bytes that `fill` writes once; they are zero before.
    package init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
        storage = .allocate(byteCount: max(count, 0), alignment: 16)
        storage.initializeMemory(as: UInt8.self, repeating: 0)
        if let start = storage.baseAddress { _ = sodium_mlock(start, storage.count) }
        fill(storage)
    }

    /// A copy of `bytes`; the caller's own copy is not wiped.
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

    /// Number of bytes.
    package var count: Int { storage.count }

    /// Lends the bytes for the time of `body`; they must not be kept.
    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage))
    }
}

extension Secret: CustomStringConvertible, CustomReflectable {
    package var description: String { "(secret)" }
    /// Nothing: a dump of a value that holds a secret shows none of it.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
