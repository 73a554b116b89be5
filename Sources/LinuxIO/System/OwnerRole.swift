import Glibc

/// While it lives root acts as the owner of a folder, so that the files that are made there belong to the service and not to root, and
/// so that root does nothing there that the owner could not do himself: the owner can put a link in the place of each name at each moment.
/// The whole process does.
package final class OwnerRole {
    private let (user, group): (uid_t, gid_t)
    /// The groups of the owner, and root's own meanwhile.
    private var (groups, rootsGroups): ([gid_t], [gid_t])
    private var isActing = false

    /// Nil where nothing has to be changed: for any other user, and for a folder that only root can exchange.
    package init?(of folder: String) {
        guard geteuid() == 0, let owner = Self.owner(of: folder) else { return nil }
        (user, group) = owner
        (groups, rootsGroups) = (Self.groups(of: owner), [])
        resume()
    }

    deinit { end() }

    /// Root for a while.
    package func pause() {
        guard isActing else { return }
        Self.must(seteuid(0) == 0 && setegid(0) == 0 && setgroups(rootsGroups.count, rootsGroups) == 0)
        isActing = false
    }

    /// The owner again.
    package func resume() {
        guard !isActing else { return }
        var own = [gid_t](repeating: 0, count: Int(max(getgroups(0, nil), 0)))
        rootsGroups = Array(own.prefix(Int(max(getgroups(Int32(own.count), &own), 0))))
        Self.must(setgroups(groups.count, groups) == 0 && setegid(group) == 0 && seteuid(user) == 0)
        isActing = true
    }

    /// Nothing is done as another user than the one who is meant: the program ends where the system does not let it change.
    private static func must(_ isDone: Bool) {
        if isDone { return }
        let text = """
            gatehouse: root cannot act as the owner of the service's folders here
              what to do: let root have CAP_SETUID and CAP_SETGID, or run it as that owner

            """
        _ = text.utf8.withContiguousStorageIfAvailable { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        exit(2)
    }

    /// The groups that a user is in.
    private static func groups(of owner: (user: uid_t, group: gid_t)) -> [gid_t] {
        guard let entry = getpwuid(owner.user), let name = entry.pointee.pw_name else { return [owner.group] }
        var (groups, count) = ([gid_t](repeating: 0, count: 64), Int32(64))
        guard getgrouplist(name, owner.group, &groups, &count) >= 0 else { return [owner.group] }
        return Array(groups.prefix(Int(count)))
    }

    fileprivate func owns(_ path: String) -> Bool { Self.owner(of: path)?.user == user }

    /// Root for good.
    package func end() { pause() }

    /// Does something as root in between.
    package func asRoot<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        let wasActing = isActing
        pause()
        defer { if wasActing { resume() } }
        return try body()
    }

    /// Runs `body` with the rights of the owner of a path (``owner(of:)``) if this process is root; else as it is.
    package static func of<Value, Failure>(
        _ path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let role = OwnerRole(of: path)
        defer { role?.end() }
        return try body()
    }

    /// The first one but root, from the top on, who owns a folder or a link of a path, as written or where it leads to: that one decides
    /// what comes after it. Nil where all is root's. Of a file that is not there, its folder counts.
    package static func owner(of path: String) -> (user: UInt32, group: UInt32)? {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        for case let path? in [absolute(path), resolved(path) ?? resolved(folder)] {
            var place = ""
            for name in path.split(separator: "/") {
                place += "/" + name
                var status = stat()
                guard lstat(place, &status) == 0 else { break }
                if status.st_uid != 0 { return (status.st_uid, status.st_gid) }
            }
        }
        return nil
    }

    /// Where a path leads to; nil where nothing is.
    private static func resolved(_ path: String) -> String? {
        realpath(path, nil).map { resolved in
            defer { free(resolved) }
            return String(cString: resolved)
        }
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
    /// Does something as root, whatever role there is.
    package func asRoot<Value, Failure>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        guard let role = self else { return try body() }
        return try role.asRoot(body)
    }

    /// Does something with a file that the operator has named: as root, but as the owner where the path leads through
    /// a folder or a link of his.
    package func at<Value, Failure>(
        _ path: String, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let role = self else { return try body() }
        return try role.asRoot { () throws(Failure) in
            guard role.owns(path) else { return try body() }
            role.resume()
            defer { role.pause() }
            return try body()
        }
    }
}
