import Glibc

/// A temporary change of the effective user: while an instance exists, root acts as the owner of a folder.
///
/// New files then belong to the service and not to root. The change also limits root to what the owner may do,
/// because the owner could replace any name in the folder by a symbolic link at any time. The change applies to the
/// whole process.
package final class OwnerRole {
    private let (user, group): (uid_t, gid_t)
    /// The owner's groups (`groups`), and root's own groups while the process has the owner's (`rootsGroups`).
    private var (groups, rootsGroups): ([gid_t], [gid_t])
    private var isActing = false

    /// Creates the role and switches to the owner. Returns nil if no change is needed: if this process is not root,
    /// or if only root can replace the folder.
    package init?(of folder: String) {
        guard geteuid() == 0, let owner = Self.owner(of: folder) else { return nil }
        (user, group) = owner
        (groups, rootsGroups) = (Self.groups(of: owner), [])
        resume()
    }

    deinit { end() }

    /// Switches back to root until ``resume()``.
    package func pause() {
        guard isActing else { return }
        Self.must(seteuid(0) == 0 && setegid(0) == 0 && setgroups(rootsGroups.count, rootsGroups) == 0)
        isActing = false
    }

    /// Switches to the owner again after ``pause()``.
    package func resume() {
        guard !isActing else { return }
        var own = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        rootsGroups = Array(own.prefix(Int(max(getgroups(Int32(own.count), &own), 0))))
        Self.must(setgroups(groups.count, groups) == 0 && setegid(group) == 0 && seteuid(user) == 0)
        isActing = true
    }

    /// Ends the program with a message if `isDone` is false, because the system refused the change of the user. The
    /// program must not act as another user than intended.
    private static func must(_ isDone: Bool) {
        if isDone { return }
        let text = """
            gatehouse: root cannot act as the owner of the service's folders here
              what to do: give root CAP_SETUID and CAP_SETGID, or run it as that owner

            """
        try? OpenFile(borrowing: STDERR_FILENO, "standard error").write(text.utf8)
        exit(2)
    }

    /// Returns the groups of the owner: the group of the folder and, if the owner has a name, the groups of that
    /// user.
    private static func groups(of owner: (user: uid_t, group: gid_t)) -> [gid_t] {
        guard let entry = getpwuid(owner.user), let name = entry.pointee.pw_name else { return [owner.group] }
        var (groups, count) = ([gid_t](repeating: 0, count: 64), Int32(64))
        guard getgrouplist(name, owner.group, &groups, &count) >= 0 else { return [owner.group] }
        return Array(groups.prefix(Int(count)))
    }

    /// Returns whether this owner can change where a path leads. Call this as root, because root can read every
    /// folder.
    package func leads(_ path: String) -> Bool { Self.owners(of: path).contains { $0.user == user } }

    /// Switches back to root permanently.
    package func end() { pause() }

    /// Runs `body` as root, then restores the present role.
    package func asRoot<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let wasActing = isActing
        pause()
        defer { if wasActing { resume() } }
        return try body()
    }

    /// If this process is root, runs `body` with the rights of the owner of a path (``owner(of:)``), otherwise runs
    /// `body` unchanged.
    package static func of<Value, Failure>(
        _ path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return try body()
    }

    /// Returns the first owner other than root of a folder or symbolic link on a path. This owner controls where the
    /// rest of the path leads. Returns nil if root owns them all.
    package static func owner(of path: String) -> (user: UInt32, group: UInt32)? { owners(of: path).first }

    /// Returns all owners other than root of the folders, the symbolic links and the file that the kernel visits
    /// along a path, in this order. Follows at most 40 symbolic links, as the kernel does (path_resolution(7)), and
    /// stops at the first missing name.
    private static func owners(of path: String) -> [(user: UInt32, group: UInt32)] {
        var names = (absolute(path) ?? "").split(separator: "/").map(String.init)[...]
        var (place, links) = ("", 0)
        var owners: [(user: UInt32, group: UInt32)] = []
        while let name = names.popFirst() {
            if name == "." { continue }
            if name == ".." {
                place = String(place[..<(place.lastIndex(of: "/") ?? place.startIndex)])
                continue
            }
            let next = place + "/" + name
            guard let status = try? FileStatus(next) else { break }
            if status.owner != 0 { owners.append((status.owner, status.group)) }
            guard status.kind == .link else {
                place = next
                continue
            }
            links += 1
            guard links <= 40, let target = target(of: next) else { break }
            if target.hasPrefix("/") { place = "" }
            names = (target.split(separator: "/").map(String.init) + names)[...]
        }
        return owners
    }

    /// Returns the target of a symbolic link; nil if it cannot be read.
    private static func target(of link: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    private static func absolute(_ path: String) -> String? {
        if path.hasPrefix("/") { return path }
        return getcwd(nil, 0).map { folder in
            defer { free(folder) }
            return String(cString: folder) + "/" + path
        }
    }
}

extension OwnerRole? {
    /// Runs `body` as root. Without a role, runs `body` unchanged.
    package func asRoot<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let role = self else { return try body() }
        return try role.asRoot(body)
    }

    /// Runs `body` for a file that the operator has named: as root, or as the owner if the owner can change where the
    /// path leads.
    package func at<Value, Failure>(
        _ path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let role = self else { return try body() }
        return try role.asRoot { () throws(Failure) in
            guard role.leads(path) else { return try body() }
            role.resume()
            defer { role.pause() }
            return try body()
        }
    }
}
