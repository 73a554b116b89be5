import CLinuxShims

/// Settings of the process's heap.
package enum Heap {
    /// Lets the allocator retain memory that a visit has freed, up to 32 MiB in each of its arenas, so that the next
    /// visit can use it. Call this before the first visit.
    ///
    /// Without this setting glibc may return memory to the kernel after each visit, depending on the layout of the
    /// heap: a credential with a portrait needs many pages. To get these pages again took up to a quarter of a
    /// verification's time.
    package static func keepFreedMemory() {
        clinux_keep_freed_memory(32 * 1024 * 1024)
    }

    /// Lets the allocator return freed memory to the kernel, except for 128 KiB in each arena. Call this before the
    /// start, which needs ten times the memory that remains in use afterwards.
    package static func returnFreedMemory() {
        clinux_keep_freed_memory(128 * 1024)
    }
}
