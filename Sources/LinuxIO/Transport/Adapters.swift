import CLinuxShims
import Glibc

/// The Bluetooth adapters of this machine and the switch that may silence them.
package enum Adapters {
    /// One adapter as the kernel lists it.
    package struct Adapter: Hashable, Sendable {
        /// `hci0`, `hci1`, …
        package let name: String
        /// Where it hangs in /sys (`/sys/devices/…/usb1/1-1/1-1:1.0`); empty: nowhere, as it is virtual.
        package let location: String
        /// Whether software switches it off (rfkill), which ``unblock()`` lifts.
        package let softBlocked: Bool
        /// Whether a hardware switch does, which only a person can change.
        package let hardBlocked: Bool
    }

    /// The adapters in order of their number. `folder` is /sys/class/bluetooth except in tests.
    package static func list(in folder: String = "/sys/class/bluetooth") -> [Adapter] {
        // Connections appear beside the adapters as hci0:64.
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

    /// The kernel's name of the adapter that an operator means (`hci0`), which need not be there when he wrote just that; nil: none
    /// has the address.
    package static func name(of device: String) -> String? {
        guard let number = try? AdapterName(device)?.number() else { return nil }
        return "hci\(number)"
    }

    /// Lifts the software block of every Bluetooth transmitter; needs write access to /dev/rfkill.
    package static func unblock() throws(SystemError) {
        let result = clinux_rfkill_unblock_bluetooth()
        guard result == 0 else {
            throw SystemError(
                "unblocking Bluetooth by /dev/rfkill", code: -result, remedy: "Run: rfkill unblock bluetooth.")
        }
    }

    /// Whether systemd runs bluetoothd. Told by its control group: the service's sandbox hides other users' processes.
    /// `folder` is /sys/fs/cgroup except in tests.
    package static func daemonIsRunning(in folder: String = "/sys/fs/cgroup") -> Bool {
        // Version 2 of control groups, and the two forms beside version 1 (systemd(1), "legacy" and "hybrid").
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
