import Encoding
import Glibc

/// Resets an adapter that hangs, as far as software can: by its place in the kernel's tree of devices.
///
/// - USB: its port is switched off and on (`port/disable`, Linux 6.0: without power where the hub can switch it), or the device is
///   shut out and let in again (`authorized`), which makes its driver begin anew (Documentation/ABI/testing/sysfs-bus-usb).
/// - A chip on a serial line that the kernel drives itself (serdev): its driver lets go and takes it again, which drives its power
///   and reset lines.
/// - Anything else, a virtual one for instance, has no such place.
package struct AdapterReset: Sendable {
    private let system: String
    private let pause: UInt32

    /// `system` is /sys except in tests; `pause`: microseconds from off to on.
    package init(system: String = "/sys", pause: UInt32 = 500_000) {
        (self.system, self.pause) = (system, pause)
    }

    /// Resets the adapter, or, when it is not to be seen, every device that could be it. What was reset, by its place; empty:
    /// there was nothing. Throws when the kernel refuses, and nothing else could be reset.
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

    /// Bluetooth devices whose adapter may have gone: on USB (class e0/01/01: wireless controller, radio, Bluetooth) and on
    /// serial lines.
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

    /// Resets the device at a place or the next one above it that can be.
    private func reset(_ place: String) throws(SystemError) -> Bool {
        var folder = place
        for _ in 0..<32 where folder.utf8.count > system.utf8.count {
            // Not its interface, which may be shut out too, and then waits for somebody to have it probed.
            if access(folder + "/bDeviceClass", F_OK) == 0 {
                // The port's own place: the device's goes with the device.
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

    /// What brings it back, after the pause; more than once, as without that there is no adapter at all.
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
        let file = open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { throw SystemError("opening \(path)", code: errno) }
        defer { close(file) }
        guard Glibc.write(file, text, text.utf8.count) == text.utf8.count else {
            throw SystemError("writing \(path)", code: errno)
        }
    }
}
