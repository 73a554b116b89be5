import CLinuxShims

/// The process's memory for dynamic data.
package enum Heap {
    /// Keeps memory that a visit has freed for the next one, up to 32 MiB in each of the allocator's arenas.
    ///
    /// glibc else returns the pages of a card with a portrait to the kernel after each visit, or after none, as the layout
    /// of the heap has it; fetching them again took up to a quarter of a verification's time. Call it before the first.
    package static func keepFreedMemory() {
        clinux_keep_freed_memory(32 * 1024 * 1024)
    }

    /// Gives it back as it becomes free, but for 128 KiB in each arena: a start reads and checks ten times what stays.
    package static func returnFreedMemory() {
        clinux_keep_freed_memory(128 * 1024)
    }
}
