/// The rights that the installed unit and its drop-ins grant to the service. Only the few settings that cause problems
/// for operators are read (systemd.exec(5)).
package struct UnitFile: Hashable, Sendable {
    /// The name of the user under whom the service runs; empty if the unit names none.
    package private(set) var user = ""
    /// The names of the service's groups in addition to the user's own groups.
    package private(set) var groups: [String] = []
    /// The absolute paths of the folders that the service may write to.
    package private(set) var writable: [String] = []
    /// The absolute paths of the folders that systemd creates for the service. They are also writable.
    package private(set) var made: [String] = []
    /// Whether the sandbox makes all folders except ``writable`` read-only.
    package private(set) var isReadOnly = false
    /// Whether the sandbox hides home folders.
    package private(set) var hidesHomes = false
    /// Whether the sandbox permits only the devices in ``devices``.
    package private(set) var isClosed = false
    /// The device nodes and classes (`char-i2c`) that the service may use.
    package private(set) var devices: [String] = []
    /// Whether the service may open an adapter by itself (CAP_NET_ADMIN).
    package private(set) var hasRadioRight = false
    /// Whether the service's memory is never written to a swap device (`MemorySwapMax=0`,
    /// systemd.resource-control(5)).
    package private(set) var forbidsSwap = false

    /// Reads the unit from the texts of its files: the unit's own file first, then its drop-ins in their order.
    package init(_ files: [String]) {
        for line in files.joined(separator: "\n").split(separator: "\n") {
            guard let equals = line.firstIndex(of: "="), !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
            let words = line[line.index(after: equals)...].split(separator: " ").map(String.init)
            read(line[..<equals].filter { $0 != " " }, words)
        }
    }

    private mutating func read(_ key: String, _ words: [String]) {
        switch key {
        case "User": user = words.first ?? ""
        case "SupplementaryGroups": groups = words.isEmpty ? [] : groups + words
        case "StateDirectory": make(words, below: "/var/lib")
        case "RuntimeDirectory": make(words, below: "/run")
        case "LogsDirectory": make(words, below: "/var/log")
        case "CacheDirectory": make(words, below: "/var/cache")
        case "ReadWritePaths": writable += words.map { String($0.drop { "-+".contains($0) }) }
        case "ProtectSystem": isReadOnly = words.first == "strict"
        case "ProtectHome": hidesHomes = ["yes", "true", "1", "on", "tmpfs"].contains(words.first ?? "")
        case "DevicePolicy": isClosed = ["closed", "strict"].contains(words.first ?? "")
        case "DeviceAllow": devices = words.isEmpty ? [] : devices + words.prefix(1)
        case "AmbientCapabilities": hasRadioRight = hasRadioRight || words.contains("CAP_NET_ADMIN")
        case "MemorySwapMax": forbidsSwap = words.first == "0"
        default: break
        }
    }

    private mutating func make(_ names: [String], below folder: String) {
        made += names.map { "\(folder)/\($0)" }
        writable += names.map { "\(folder)/\($0)" }
    }

    /// Returns whether the sandbox permits the service to read or write `path`. The service's private /tmp counts as
    /// permitted, although other programs cannot see it.
    package func permits(_ path: String, writing: Bool) -> Bool {
        if hidesHomes, Self.isBelow(path, ["/home", "/root", "/run/user"]) { return false }
        return !writing || !isReadOnly || Self.isBelow(path, writable + ["/tmp", "/var/tmp", "/dev/shm"])
    }

    /// Returns whether systemd creates the folder `path`, or a folder above it, before the service starts.
    package func makes(_ path: String) -> Bool { Self.isBelow(path, made) }

    /// Returns whether the sandbox permits the service to use the device node `path`. `kind` is the class of the node,
    /// for example `char-i2c`.
    package func permits(device path: String, of kind: String) -> Bool {
        !isClosed || devices.contains(path) || devices.contains(kind) || devices.contains("char-*")
    }

    private static func isBelow(_ path: String, _ folders: [String]) -> Bool {
        folders.contains { path.utf8.elementsEqual($0.utf8) || path.hasPrefix($0 + "/") }
    }
}
