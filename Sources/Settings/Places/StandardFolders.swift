import Foundation

/// The folders that a gate uses for paths that its configuration does not set: for settings, for state and for the
/// files of one run.
///
/// They are the folders of the installed package or, if the variable `GATEHOUSE_ROOT` is set, the same folders below
/// the folder that it names. The variable is for tests and for building an image; systemd never sets it. It applies
/// wherever one of these folders is named: as a default, in a configuration or after `--config`. So a program with
/// this variable uses nothing of this machine's own gate, whatever its configuration says. The variable changes no
/// other path.
package struct StandardFolders: Hashable, Sendable {
    /// The environment variable with the path of the folder that contains the standard folders.
    package static let variable = "GATEHOUSE_ROOT"
    /// The folder of settings: the configuration, the trust directory, invitations.
    package static let settings = "/etc/gatehouse"
    /// The folder of state: the ledger and its keys, and imported trust data.
    package static let state = "/var/lib/gatehouse"
    /// The folder of the files that exist only while the service runs: sockets, the picture of the code, the status.
    package static let runtime = "/run/gatehouse"

    /// The standard folders of this process. An invalid value of the variable counts as no value here; the program
    /// does not start with one.
    package static let inForce = StandardFolders(ProcessInfo.processInfo.environment) ?? StandardFolders()

    /// The prefix of each folder: empty, or an absolute path without a slash at its end.
    package let root: String

    /// Creates the folders of the installed package.
    package init() { root = "" }

    /// Creates the folders for a process with the environment variables `environment`. Returns nil if the value of
    /// the variable is not an absolute path, or contains `.` or `..` as a name.
    package init?(_ environment: [String: String]) {
        let text = environment[Self.variable] ?? ""
        let names = text.split(separator: "/")
        guard text.isEmpty || text.hasPrefix("/"), !names.contains(where: { $0 == "." || $0 == ".." }) else {
            return nil
        }
        root = names.map { "/" + $0 }.joined()
    }

    /// Returns `path` below the root if it is one of the standard folders or in one of them, in any spelling. The
    /// standard folders of further gates have the name of the gate after a hyphen (`/var/lib/gatehouse-out`). Returns
    /// every other path unchanged, including a path that is already below the root.
    package func place(_ path: String) -> String {
        let plain = Self.plain(path)
        guard !root.isEmpty, !plain.hasPrefix(root + "/"), Self.has(plain) else { return path }
        return root + plain
    }

    /// Removes the root from a path that ``place(_:)`` returned. The result is the path as it is written in a
    /// configuration. Returns every other path unchanged.
    package func name(_ path: String) -> String {
        guard path.hasPrefix(root), case let name = String(path.dropFirst(root.count)), Self.has(name) else {
            return path
        }
        return name
    }

    /// Returns an absolute path without empty names, `.` and `..`. They are removed from the text alone, so no link
    /// is followed.
    private static func plain(_ path: String) -> String {
        guard path.hasPrefix("/") else { return path }
        var names: [Substring] = []
        for name in path.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }

    private static func has(_ path: String) -> Bool {
        [settings, state, runtime].contains { folder in
            path.hasPrefix(folder) && [nil, "/", "-"].contains(path.dropFirst(folder.count).first)
        }
    }
}
