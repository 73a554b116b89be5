import Glibc

/// Users and groups of this machine.
package enum Accounts {
    /// The effective user ID of this process.
    package static var user: UInt32 { geteuid() }

    /// The name of this process's effective user; if the user has no name, the user ID.
    static var userName: String {
        var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
        var room = [CChar](repeating: 0, count: 4096)
        guard getpwuid_r(user, &entry, &room, room.count, &found) == 0, let name = found?.pointee.pw_name else {
            return "\(user)"
        }
        return String(cString: name)
    }

    /// Returns the user ID of the user `name`; nil if no such user exists.
    package static func user(_ name: String) -> UInt32? { getpwnam(name).map { $0.pointee.pw_uid } }

    /// Returns the group ID of the group `name`; nil if no such group exists.
    package static func group(_ name: String) -> UInt32? { getgrnam(name).map { $0.pointee.gr_gid } }
}
