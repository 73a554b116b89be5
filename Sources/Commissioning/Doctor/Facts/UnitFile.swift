/// The rights that the installed unit, with its drop-ins, gives the service: the few settings that cause
/// operators problems (systemd.exec(5)).
package struct UnitFile: Hashable, Sendable {
    /// The user as whom the service runs.
    package private(set) var user = ""
    /// The names of groups in addition to the user's own.
    package private(set) var groups: [String] = []
    /// The folders that the service may write to, as absolute paths.
    package private(set) var writable: [String] = []
    /// The writable folders that systemd makes for the service.
    package private(set) var made: [String] = []
    /// Whether the sandbox makes all other folders read-only.
    package private(set) var isReadOnly = false
    /// Whether home folders are hidden.
    package private(set) var hidesHomes = false
    /// Whether all devices except ``devices`` are closed to the service.
    package private(set) var isClosed = false
    /// The device nodes and classes (`char-i2c`) that the service may use.
    package private(set) var devices: [String] = []
    /// Whether the service may take an adapter by itself (CAP_NET_ADMIN).
    package private(set) var hasRadioRight = false
    /// Whether the service's memory is never written to a swap device (`MemorySwapMax=0`,
    /// systemd.resource-control(5)).
    package private(set) var forbidsSwap = false

    /// Reads the unit from the texts of its files: its own file first, then its drop-ins in their order.
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

    /// Returns whether the sandbox gives the service access to `path`. The service's private /tmp counts as
    /// accessible, although other programs cannot see it.
    package func permits(_ path: String, writing: Bool) -> Bool {
        if hidesHomes, Self.isBelow(path, ["/home", "/root", "/run/user"]) { return false }
        return !writing || !isReadOnly || Self.isBelow(path, writable + ["/tmp", "/var/tmp", "/dev/shm"])
    }

    /// Returns whether systemd makes the folder, or one above it, before the service starts.
    package func makes(_ path: String) -> Bool { Self.isBelow(path, made) }

    /// Returns whether the service may use the device node `path`, which is of the class `kind` (for example
    /// `char-i2c`).
    package func permits(device path: String, of kind: String) -> Bool {
        !isClosed || devices.contains(path) || devices.contains(kind) || devices.contains("char-*")
    }

    private static func isBelow(_ path: String, _ folders: [String]) -> Bool {
        folders.contains { path.utf8.elementsEqual($0.utf8) || path.hasPrefix($0 + "/") }
    }
}
