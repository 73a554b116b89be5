import CLinuxShims
import Glibc

/// The Bluetooth adapters of this machine, and the switches (rfkill) that can block them.
package enum Adapters {
    /// One adapter in the kernel's list.
    package struct Adapter: Hashable, Sendable {
        /// The kernel's name of the adapter: `hci0`, `hci1`, …
        package let name: String
        /// The path of the adapter's device in /sys (`/sys/devices/…/usb1/1-1/1-1:1.0`); empty if it has none, as a
        /// virtual adapter.
        package let location: String
        /// Whether software blocks the adapter (rfkill); ``unblock()`` removes the block.
        package let softBlocked: Bool
        /// Whether a hardware switch blocks the adapter; only a person can change that.
        package let hardBlocked: Bool
    }

    /// Returns the adapters in the order of their numbers. `folder` is /sys/class/bluetooth except in tests.
    package static func list(in folder: String = "/sys/class/bluetooth") -> [Adapter] {
        // Skip connections, which are listed in the same folder with names such as hci0:64.
        let numbers = Directory.names(in: folder).compactMap { name in
            if case .number(let number) = AdapterName(name) { number } else { nil as UInt16? }
        }
        return numbers.sorted().map { number in
            let name = "hci\(number)"
            let path = "\(folder)/\(name)"
            let switches = Directory.names(in: path).filter { $0.hasPrefix("rfkill") }
            func blocked(_ kind: String) -> Bool {
                switches.contains { FileBytes.line("\(path)/\($0)/\(kind)") == "1" }
            }
            return Adapter(
                name: name, location: target(of: "\(path)/device") ?? "", softBlocked: blocked("soft"),
                hardBlocked: blocked("hard"))
        }
    }

    /// Returns the kernel's name (`hci0`) of the configured adapter. A configured name is returned even if no such
    /// adapter exists. Returns nil if no adapter has a configured address.
    package static func name(of device: String) -> String? {
        guard let number = try? AdapterName(device)?.number() else { return nil }
        return "hci\(number)"
    }

    /// Removes the software block of all Bluetooth transmitters. Requires write access to /dev/rfkill.
    static func unblock() throws(SystemError) {
        let result = clinux_rfkill_unblock_bluetooth()
        guard result == 0 else {
            throw SystemError(
                "unblocking Bluetooth by /dev/rfkill", code: -result, remedy: "Run: rfkill unblock bluetooth.")
        }
    }

    /// Returns whether systemd runs bluetoothd. The sign is its control group, because the service's sandbox hides
    /// the processes of other users. `folder` is /sys/fs/cgroup except in tests.
    package static func daemonIsRunning(in folder: String = "/sys/fs/cgroup") -> Bool {
        // The paths for control groups version 2, and for the two layouts with version 1 (systemd(1), "legacy" and
        // "hybrid").
        ["", "/systemd", "/unified"].contains { hierarchy in
            access("\(folder)\(hierarchy)/system.slice/bluetooth.service", F_OK) == 0
        }
    }

    private static func target(of link: String) -> String? {
        guard let path = realpath(link, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
