import Glibc

/// While it lives root acts as the owner of a folder, so that the files that are made there belong to the service and not to root.
/// The whole process does.
package final class OwnerRole {
    private let (user, group): (uid_t, gid_t)
    private var isActing = false

    /// Nil where nothing has to be changed: for any other user, and for a folder of root's or none.
    package init?(of folder: String) {
        var status = stat()
        guard geteuid() == 0, stat(folder, &status) == 0, status.st_uid != 0 else { return nil }
        (user, group) = (status.st_uid, status.st_gid)
        resume()
    }

    deinit { end() }

    /// Root for a while.
    package func pause() {
        guard isActing else { return }
        _ = seteuid(0)
        _ = setegid(0)
        isActing = false
    }

    /// The owner again.
    package func resume() {
        guard !isActing else { return }
        _ = setegid(group)
        _ = seteuid(user)
        isActing = true
    }

    /// Root for good.
    package func end() { pause() }
}
