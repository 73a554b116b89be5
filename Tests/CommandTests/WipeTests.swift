import CWipe
import Foundation
import TestKit
import Testing

/// Released blocks of the heap are zero, also in this process, because it includes the program's code.
@Suite struct WipeTests {
    private let mark: UInt8 = 0x4D
    private let memory = ProcessMemory()

    /// Small blocks stay in the thread's cache; a large one is returned to the kernel.
    @Test(arguments: [24, 25, 40, 100, 1000, 1032, 1033, 5000, 65_536, 200_000, 4 << 20])
    func releasedMemoryIsZero(_ count: Int) throws {
        let block = try #require(malloc(count))
        memset(block, Int32(mark), count)
        let address = UInt(bitPattern: block)
        #expect(marks(at: address, count) == count, "it is seen while it is there")
        errno = 77
        free(block)
        let code = errno
        #expect(code == 77)
        #expect(marks(at: address, count) == 0)
    }

    @Test func releasedArraysTextsAndDataAreZero() {
        var addresses: [UInt] = []
        func note(_ bytes: UnsafeRawBufferPointer) { addresses.append(UInt(bitPattern: bytes.baseAddress)) }
        do {
            let array = [UInt8](repeating: mark, count: 300)
            array.withUnsafeBytes(note)
            Data(array).withUnsafeBytes(note)
            var text = String(decoding: array, as: UTF8.self)
            text.withUTF8 { note(UnsafeRawBufferPointer($0)) }
        }
        for address in addresses { #expect(marks(at: address, 300) == 0) }
    }

    /// A block that grows, shrinks or is released by `realloc` leaves nothing at its old place.
    @Test func movedMemoryLeavesNoCopy() throws {
        var block = try #require(malloc(1000))
        memset(block, Int32(mark), 1000)
        var address = UInt(bitPattern: block)
        block = try #require(cwipe_realloc(block, 5000))
        #expect(marks(at: UInt(bitPattern: block), 1000) == 1000)
        #expect(marks(at: address, 1000) == 0)

        memset(block, Int32(mark), 5000)
        address = UInt(bitPattern: block)
        block = try #require(cwipe_realloc(block, 4000))
        #expect(UInt(bitPattern: block) == address && marks(at: address, 5000) == 4000)

        block = try #require(cwipe_realloc(block, 100))
        #expect(marks(at: UInt(bitPattern: block), 100) == 100)
        #expect(marks(at: address, 5000) == 0)

        address = UInt(bitPattern: block)
        #expect(cwipe_realloc(block, 0) == nil)
        #expect(marks(at: address, 100) == 0)
    }

    /// When no memory is available, the block stays unchanged.
    @Test func noMemory() throws {
        let block = try #require(cwipe_realloc(nil, 100))
        defer { free(block) }
        memset(block, Int32(mark), 100)
        let none = cwipe_realloc(block, Int.max)
        let code = errno
        #expect(none == nil && code == ENOMEM)
        #expect(marks(at: UInt(bitPattern: block), 100) == 100)
    }

    /// Returns the number of bytes with the mark, counted in runs of four or more: the allocator writes its
    /// own data into free blocks.
    private func marks(at address: UInt, _ count: Int) -> Int {
        let runs = memory.bytes(at: address, count: count).split { $0 != mark }
        return runs.map(\.count).filter { $0 >= 4 }.reduce(0, +)
    }
}
