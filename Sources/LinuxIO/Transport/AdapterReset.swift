import Encoding
import Glibc

/// Resets an adapter that hangs, as far as software can, through the adapter's device in /sys.
///
/// - USB: the port is switched off and on (`port/disable`, Linux 6.0; this cuts the power if the hub can switch it).
///   If the port has no such file, the device is deauthorised and authorised again (`authorized`), which restarts its
///   driver (Documentation/ABI/testing/sysfs-bus-usb).
/// - A chip on a serial line that the kernel drives itself (serdev): its driver is unbound and bound again, which
///   switches the chip's power and reset lines.
/// - Other devices, for example virtual ones, cannot be reset.
package struct AdapterReset: Sendable {
    private let system: String
    private let pause: UInt32

    /// Creates a resetter. `system` is /sys except in tests. `pause` is the time between off and on, in microseconds.
    package init(system: String = "/sys", pause: UInt32 = 500_000) {
        (self.system, self.pause) = (system, pause)
    }

    /// Resets the adapter with the name or address `device`. If the kernel does not list this adapter, resets every
    /// device that could be the adapter. Returns the paths of the devices that were reset; an empty list if no device
    /// was found. Throws if the kernel refused and no device was reset.
    package func run(_ device: String) throws(SystemError) -> [String] {
        let adapters = Adapters.list(in: system + "/class/bluetooth")
        var name = device
        if let known = AdapterName(device), case .address = known, let number = try? known.number() {
            name = "hci\(number)"
        }
        let mine = adapters.first { $0.name.utf8.elementsEqual(name.utf8) }
        var (done, refusal): ([String], SystemError?) = ([], nil)
        for place in mine.map({ [$0.location] }) ?? candidates() {
            do throws(SystemError) {
                if try reset(place) { done.append(place) }
            } catch {
                refusal = error
            }
        }
        if let refusal, done.isEmpty { throw refusal }
        return done
    }

    /// Returns the paths of Bluetooth devices whose adapter may have disappeared: devices on USB (class e0/01/01:
    /// wireless controller, radio, Bluetooth) and on serial lines.
    private func candidates() -> [String] {
        let bus = system + "/bus/usb/devices"
        let plugged = Directory.names(in: bus).map { "\(bus)/\($0)" }.filter { place in
            ["bDeviceClass", "bDeviceSubClass", "bDeviceProtocol"].map { FileBytes.line("\(place)/\($0)") } == [
                "e0", "01", "01",
            ]
        }
        let drivers = system + "/bus/serial/drivers"
        let wired = Directory.names(in: drivers).filter { $0.hasPrefix("hci_uart") }.flatMap { driver in
            Directory.names(in: "\(drivers)/\(driver)").filter { $0.hasPrefix("serial") }
                .map { "\(drivers)/\(driver)/\($0)" }
        }
        return plugged + wired
    }

    /// Resets the device at a path or, if it cannot be reset, its closest parent that can. Returns whether one was
    /// found.
    private func reset(_ place: String) throws(SystemError) -> Bool {
        var folder = place
        for _ in 0..<32 where folder.utf8.count > system.utf8.count {
            // Reset the whole USB device and not one of its interfaces: an interface that was deauthorised must be
            // probed explicitly afterwards.
            if access(folder + "/bDeviceClass", F_OK) == 0 {
                // Resolve the link to the port before the reset: the device's folder, which contains the link,
                // disappears with the device.
                if let port = target(folder + "/port"), access(port + "/disable", F_OK) == 0 {
                    try toggle(port + "/disable", "1", "0")
                } else {
                    try toggle(folder + "/authorized", "0", "1")
                }
                return true
            }
            if isOnSerialLine(folder), access(folder + "/driver/unbind", F_OK) == 0,
                let driver = target(folder + "/driver")
            {
                let name = String(folder.split(separator: "/").last ?? "")
                try write(name, driver + "/unbind")
                try again { () throws(SystemError) in try write(name, driver + "/bind") }
                return true
            }
            guard let end = folder.lastIndex(of: "/") else { break }
            folder = String(folder[..<end])
        }
        return false
    }

    private func toggle(_ file: String, _ off: String, _ on: String) throws(SystemError) {
        try write(off, file)
        try again { () throws(SystemError) in try write(on, file) }
    }

    /// Switches the device on again after the pause, with up to three attempts. If all fail, the adapter stays
    /// unusable.
    private func again(_ bringBack: () throws(SystemError) -> Void) throws(SystemError) {
        for _ in 0..<2 {
            usleep(pause)
            do throws(SystemError) { return try bringBack() } catch {}
        }
        usleep(pause)
        try bringBack()
    }

    private func isOnSerialLine(_ folder: String) -> Bool {
        target(folder + "/subsystem").map { Array($0.utf8).suffix(11).elementsEqual("/bus/serial".utf8) } == true
    }

    private func target(_ link: String) -> String? {
        guard let path = realpath(link, nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }

    private func write(_ text: String, _ path: String) throws(SystemError) {
        try OpenFile(path, .writing, links: .followed, mayWait: true).write(text.utf8)
    }
}
