import Foundation

/// The folders that a gate has unless its configuration says otherwise: settings, state, and the files of one
/// run.
///
/// The folders are where the package installs them, or below the folder that `GATEHOUSE_ROOT` names. That
/// variable is for tests and for building an image; systemd never sets it. The variable applies wherever
/// these folders are named: as a default, in a configuration and in `--config`. So a program with this
/// variable uses nothing of this machine's own gate, whatever its configuration says. The variable does not
/// change any other path.
package struct StandardFolders: Hashable, Sendable {
    /// The name of the environment variable with the root of the folders.
    package static let variable = "GATEHOUSE_ROOT"
    /// Settings: the configuration, the trust directory, invitations.
    package static let settings = "/etc/gatehouse"
    /// The folder of the state: the ledger and its keys, and imported trust data.
    package static let state = "/var/lib/gatehouse"
    /// The folder of files that exist while the service runs: sockets, the picture, the status.
    package static let runtime = "/run/gatehouse"

    /// The folders of this process. Here an invalid value of the variable counts as no value; with one, the
    /// program does not start.
    package static let inForce = StandardFolders(ProcessInfo.processInfo.environment) ?? StandardFolders()

    /// The prefix of each folder: empty, or an absolute path that does not end with a slash.
    package let root: String

    /// Creates the folders of the package.
    package init() { root = "" }

    /// Creates the folders for a process with `environment`; nil if the variable is set to something other
    /// than an absolute path, or to one with `.` or `..` in it.
    package init?(_ environment: [String: String]) {
        let text = environment[Self.variable] ?? ""
        let names = text.split(separator: "/")
        guard text.isEmpty || text.hasPrefix("/"), !names.contains(where: { $0 == "." || $0 == ".." }) else {
            return nil
        }
        root = names.map { "/" + $0 }.joined()
    }

    /// Returns `path` relocated below the root if it is one of these folders or in one of them, in any
    /// spelling. The folders of further gates have the gate's name after a hyphen (`/var/lib/gatehouse-out`).
    /// Returns every other path unchanged, including a path that is already below the root.
    package func place(_ path: String) -> String {
        let plain = Self.plain(path)
        guard !root.isEmpty, !plain.hasPrefix(root + "/"), Self.has(plain) else { return path }
        return root + plain
    }

    /// Reverses ``place(_:)``: returns how a configuration writes a path.
    package func name(_ path: String) -> String {
        guard path.hasPrefix(root), case let name = String(path.dropFirst(root.count)), Self.has(name) else {
            return path
        }
        return name
    }

    /// Returns an absolute path without empty names, `.` and `..`. It resolves them by the text alone and
    /// follows no link.
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
