import CLinuxShims

/// The process's heap.
package enum Heap {
    /// Keeps memory that a visit has freed for the next visit, up to 32 MiB in each of the allocator's
    /// arenas.
    ///
    /// Otherwise glibc may return the pages of a card with a portrait to the kernel after each visit,
    /// depending on the layout of the heap. Fetching them again took up to a quarter of a verification's
    /// time. Call this function before the first visit.
    package static func keepFreedMemory() {
        clinux_keep_freed_memory(32 * 1024 * 1024)
    }

    /// Returns freed memory to the kernel, except for 128 KiB in each arena: a start reads and checks ten
    /// times what remains in use.
    package static func returnFreedMemory() {
        clinux_keep_freed_memory(128 * 1024)
    }
}
