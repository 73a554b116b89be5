import Foundation
import Glibc
import LinuxIO

/// Reads small files of this system, or of a system whose root is a folder.
struct SystemFiles: Sendable {
    /// The folder that contains this system's files; empty for the running system itself.
    let root: String

    /// The number of bytes that are read from a file at most. Units are shorter.
    private static let longest = 64 * 1024
    /// The folders in which systemd searches for units, in descending priority (systemd.unit(5)).
    private static let unitFolders = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
        "/lib/systemd/system",
    ]

    func exists(_ path: String) -> Bool { (try? FileStatus(root + path)) != nil }

    func names(_ folder: String) -> [String] { Directory.names(in: root + folder) }

    func line(_ path: String) -> String? { FileBytes.line(root + path) }

    func lines(_ path: String) -> [String]? { text(path)?.split(separator: "\n").map(String.init) }

    private func text(_ path: String) -> String? {
        guard FileBytes.isFile(root + path) else { return nil }
        return FileBytes.read(root + path, limit: Self.longest).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the texts of a unit: its file, then its drop-ins in their order. Returns nil if the unit is not
    /// installed or is masked. An instance of a template (`gatehouse@out.service`) has its own file or the template's
    /// file, and the drop-ins of both; its instance name replaces `%i`.
    func unit(_ name: String) -> [String]? {
        let template = Self.template(of: name)
        let owners = [name] + (template.map { [$0.name] } ?? [])
        // A masked unit is a link to an empty file. It counts as not installed.
        let places = owners.flatMap { owner in Self.unitFolders.map { "\($0)/\(owner)" } }
        guard let place = places.first(where: exists), let unit = text(place), !unit.isEmpty else { return nil }
        var additions: [String: String] = [:]
        // Visit the folders in ascending priority: of two drop-ins with the same name, the last one applies.
        for owner in owners.reversed() {
            for folder in Self.unitFolders.reversed() {
                for file in names("\(folder)/\(owner).d") where file.hasSuffix(".conf") {
                    additions[file] = "\(folder)/\(owner).d/\(file)"
                }
            }
        }
        let order = additions.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        let texts = [unit] + order.compactMap { text($0.value) }
        return template.map { template in texts.map { $0.replacing("%i", with: template.instance) } } ?? texts
    }

    /// Returns the template and the instance name of a unit: `gatehouse@.service` and `out` for
    /// `gatehouse@out.service`. Returns nil for a unit without a template.
    private static func template(of name: String) -> (name: String, instance: String)? {
        guard let at = name.firstIndex(of: "@"), let dot = name.lastIndex(of: "."), at < dot else { return nil }
        return (String(name[...at] + name[dot...]), String(name[name.index(after: at)..<dot]))
    }

    /// Returns the account of the user `name`, with the user's own groups and `groups`; nil if there is no such user.
    func account(_ name: String, groups: [String]) -> Account? {
        func fields(_ path: String) -> [[String]] {
            (lines(path) ?? []).map { line in
                line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            }
        }
        func isSame(_ one: String, _ other: String) -> Bool { one.utf8.elementsEqual(other.utf8) }

        guard let entry = fields("/etc/passwd").first(where: { $0.count > 3 && isSame($0[0], name) }),
            let user = UInt32(entry[2]), let primary = UInt32(entry[3])
        else { return nil }
        let others = fields("/etc/group").filter { group in
            guard group.count > 3 else { return false }
            let members = group[3].split(separator: ",").map(String.init)
            return members.contains { isSame($0, name) } || groups.contains { isSame($0, group[0]) }
        }
        return Account(user: user, groups: Set([primary] + others.compactMap { UInt32($0[2]) }))
    }

    /// Returns whether the system has a group `name`.
    func hasGroup(_ name: String) -> Bool {
        (lines("/etc/group") ?? []).contains { $0.utf8.starts(with: (name + ":").utf8) }
    }

    /// Returns the nodes of a path, following symbolic links. Returns nil if this program may not examine one of them.
    func place(_ path: String) -> Place? {
        let parts = path.split(separator: "/")
        var nodes: [Place.Node] = []
        for count in 0...parts.count {
            let prefix = root + "/" + parts.prefix(count).joined(separator: "/")
            do throws(SystemError) {
                let status = try FileStatus(prefix, links: .followed)
                nodes.append(
                    Place.Node(
                        user: status.owner, group: status.group, mode: status.mode & 0o777,
                        isFolder: status.kind == .folder))
            } catch {
                return error.code == EACCES ? nil : Place(nodes, missing: parts.count + 1 - count)
            }
        }
        return Place(nodes)
    }
}
