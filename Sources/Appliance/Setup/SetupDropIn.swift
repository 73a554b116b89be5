import Glibc
import LinuxIO

/// What the unit must be told so that the service may use its display, or the serial line of its controller: a drop-in of setup's own,
/// beside the installed unit. Where the unit allows it already there is none.
struct SetupDropIn: Sendable {
    private let path: String
    private let present: [UInt8]?
    /// Nil: nothing is needed.
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
            ["# Written by gatehouse setup: what the configuration needs beside GPIO."]
            + (modules.isEmpty ? [] : ["[Unit]", "Wants=" + modules, "After=" + modules])
            + ["[Service]"]
            + kinds.map { "DeviceAllow=\($0) rw" }
            + (groups.isEmpty ? [] : ["SupplementaryGroups=" + groups.joined(separator: " ")])
        text = needs.isEmpty ? nil : Array((lines.joined(separator: "\n") + "\n").utf8)
    }

    /// What makes nodes of a class, where the device tree does not: it switches the bus on, and nothing loads the module behind the nodes.
    private static let modules = ["char-i2c": "i2c_dev"]

    /// Writes it, or takes away one that is of no use any more; says what was done, if anything was.
    func install(onStep: (DurableFile.Step) -> Void) throws(SystemError) -> String? {
        guard isInstalled else { return nil }
        guard let text else {
            guard present != nil, unlink(path) == 0 else { return nil }
            return "unit: \(path) is not needed any more, and was removed"
        }
        // One of an earlier version may lack a line.
        if present.map({ $0 == text }) ?? isAllowed { return nil }
        try DurableFile.make(folder: NamedPlace.folder(of: NamedPlace.folder(of: path)))
        try DurableFile.make(folder: NamedPlace.folder(of: path))
        try DurableFile.replace(path, with: text, onStep: onStep)
        // Not a secret, and read by whoever looks at the unit.
        chmod(NamedPlace.folder(of: path), 0o755)
        chmod(path, 0o644)
        return "unit: \(path) lets the service use its devices"
    }
}

/// A device that the service needs beside the GPIO chip.
struct DeviceNeed: Hashable {
    /// The node.
    let path: String
    /// Its class, by which units name it.
    let kind: String
    /// The group that such nodes belong to on Debian.
    let group: String

    /// Whether its class can stand in a unit, where a line end would begin another setting and a `%` stands for something else. What
    /// cannot is let in by nobody, and the doctor tells that.
    var isWritable: Bool { kind.isName(of: "char-x".utf8.count...64, "_-") }
}

extension Configuration {
    /// What displays and a controller on a serial line need.
    var deviceNeeds: [DeviceNeed] {
        var needs = display.all.compactMap { display -> DeviceNeed? in
            guard let path = display.device, let kind = display.kind.deviceClass else { return nil }
            return DeviceNeed(path: path, kind: kind, group: kind == "char-fb" ? "video" : String(kind.dropFirst(5)))
        }
        if radio.transport == .serial {
            needs.append(DeviceNeed(path: radio.device, kind: Doctor.kind(ofSerial: radio.device), group: "dialout"))
        }
        return needs
    }
}
