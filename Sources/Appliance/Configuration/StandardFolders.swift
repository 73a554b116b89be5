import Foundation

/// The folders that a gate has unless its configuration says otherwise: settings, state, and what lasts as long as a
/// run.
///
/// They lie where the package has them, or below the folder that `GATEHOUSE_ROOT` names. That is for tests and for who
/// builds an image, and systemd never sets it. It counts wherever these folders are named: as a default, by a
/// configuration and by `--config`. So a program that has it uses nothing of this machine's own gate, whatever its
/// configuration says. Every other path stays.
package struct StandardFolders: Hashable, Sendable {
    /// The environment variable.
    package static let variable = "GATEHOUSE_ROOT"
    /// Settings: the configuration, the trust directory, invitations.
    package static let settings = "/etc/gatehouse"
    /// State: the ledger and its keys, and trust data that came from elsewhere.
    package static let state = "/var/lib/gatehouse"
    /// What goes with the service: sockets, the picture, the status.
    package static let runtime = "/run/gatehouse"

    /// Those of this process. A value of the variable that is no good counts as none here; the program does not start
    /// with one.
    package static let inForce = StandardFolders(ProcessInfo.processInfo.environment) ?? StandardFolders()

    /// What is before each of them: nothing, or an absolute path that does not end with a slash.
    package let root: String

    /// Those of the package.
    package init() { root = "" }

    /// Those of a process with that environment; nil where the variable is set and no absolute path, or one with `.` or
    /// `..` in it.
    package init?(_ environment: [String: String]) {
        let text = environment[Self.variable] ?? ""
        let names = text.split(separator: "/")
        guard text.isEmpty || text.hasPrefix("/"), !names.contains(where: { $0 == "." || $0 == ".." }) else {
            return nil
        }
        root = names.map { "/" + $0 }.joined()
    }

    /// Where a path is that is one of these folders, or in one, however it is spelt: here. Further gates have theirs
    /// after a hyphen (`/var/lib/gatehouse-out`). Every other path stays as it is, and so does one that is below the
    /// root already.
    package func place(_ path: String) -> String {
        let plain = Self.plain(path)
        guard !root.isEmpty, !plain.hasPrefix(root + "/"), Self.has(plain) else { return path }
        return root + plain
    }

    /// The reverse of ``place(_:)``: how a configuration names a path.
    package func name(_ path: String) -> String {
        guard path.hasPrefix(root), case let name = String(path.dropFirst(root.count)), Self.has(name) else {
            return path
        }
        return name
    }

    /// An absolute path without empty names, `.` and `..`, which are taken by their letters: no link is followed.
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
