package import Encoding

/// This start of the machine.
package enum Boot {
    /// The kernel's UUID of it (random(4)), within which instants of ``SystemClock/now()`` compare; nil without /proc.
    package static func id() -> Text? {
        FileBytes.read("/proc/sys/kernel/random/boot_id", limit: 64).flatMap { Text(utf8: $0.prefix(36)) }
    }
}
