import Features
import Glibc
import LinuxIO
import Settings

/// The drop-in for the installed unit that lets the service use its display and the serial line of its controller.
/// Setup writes no drop-in if the unit already permits these devices.
struct SetupDropIn: Sendable {
    private let path: String
    private let present: [UInt8]?
    /// The text of the drop-in; nil if the service needs no device in addition to the GPIO chip.
    private let text: [UInt8]?
    private let isAllowed: Bool
    private let isInstalled: Bool

    init(_ configuration: Configuration, of places: SetupPlaces, root: String) {
        let files = SystemFiles(root: root)
        let own = "/etc/systemd/system/\(places.unit).service.d/10-setup.conf"
        path = root + own
        present = FileBytes.read(path, limit: 1 << 16)
        let unit = files.unit(places.unit + ".service").map(UnitFile.init)
        isInstalled = unit != nil
        let needs = configuration.deviceNeeds.filter(\.isWritable)
        isAllowed = needs.allSatisfy { unit?.permits(device: $0.path, of: $0.kind) == true }
        let kinds = needs.map(\.kind).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        let groups = Set(needs.map(\.group)).filter { files.hasGroup($0) }.sorted()
        let modules = kinds.compactMap { Self.modules[$0] }.map { "modprobe@\($0).service" }.joined(separator: " ")
        let lines =
            ["# Written by gatehouse setup: devices that the configuration needs besides GPIO."]
            + (modules.isEmpty ? [] : ["[Unit]", "Wants=" + modules, "After=" + modules])
            + ["[Service]"]
            + kinds.map { "DeviceAllow=\($0) rw" }
            + (groups.isEmpty ? [] : ["SupplementaryGroups=" + groups.joined(separator: " ")])
        text = needs.isEmpty ? nil : Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// The kernel modules that create the device nodes of a class, by class. The drop-in loads them by name: the device
    /// tree only activates the bus, and nothing else loads such a module.
    private static let modules = ["char-i2c": "i2c_dev"]

    /// Writes the drop-in, or removes an existing one that is no longer needed. Returns a line for a person about the
    /// change; nil if nothing was changed.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) -> String? {
        guard isInstalled else { return nil }
        guard let text else {
            guard present != nil, unlink(path) == 0 else { return nil }
            return "unit: \(path) is no longer needed and was removed"
        }
        // Rewrite an existing drop-in that differs, because an earlier version of setup may have written it.
        if present.map({ $0 == text }) ?? isAllowed { return nil }
        try DurableFile.make(folder: NamedPlace.folder(of: NamedPlace.folder(of: path)))
        try DurableFile.make(folder: NamedPlace.folder(of: path))
        try DurableFile.replace(path, with: text, onStep: onStep)
        // Permit every user to read the drop-in, as units can be read. It contains no secret.
        chmod(NamedPlace.folder(of: path), 0o755)
        chmod(path, 0o644)
        return "unit: \(path) lets the service use its devices"
    }
}

/// A device that the service needs in addition to the GPIO chip.
struct DeviceNeed: Hashable {
    /// The path of the device node.
    let path: String
    /// The class of the device node, as units name it, such as `char-i2c`.
    let kind: String
    /// The group that owns such device nodes on Debian.
    let group: String

    /// Whether the class may be written into a unit. A line end in its name would begin another setting, and a `%` a
    /// specifier. The drop-in does not permit a device of a class with such a name; the doctor reports the missing
    /// permission.
    var isWritable: Bool { kind.isName(of: "char-x".utf8.count...64, "_-") }
}

extension Configuration {
    /// The devices that this configuration needs: those of features, and the serial line of a controller.
    var deviceNeeds: [DeviceNeed] {
        var needs = FeatureList.nodes(self).map { device, node in
            DeviceNeed(path: device.path, kind: device.unitName, group: node.group)
        }
        if radio.transport == .serial {
            needs.append(DeviceNeed(path: radio.device, kind: Doctor.kind(ofSerial: radio.device), group: "dialout"))
        }
        return needs
    }
}
