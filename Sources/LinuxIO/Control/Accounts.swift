import Glibc

/// Users and groups of this machine.
package enum Accounts {
    /// This process's effective user.
    package static var user: UInt32 { geteuid() }

    /// The number of a user by his name; nil: there is none.
    package static func user(_ name: String) -> UInt32? { getpwnam(name).map { $0.pointee.pw_uid } }

    /// The number of a group by its name; nil: there is none.
    package static func group(_ name: String) -> UInt32? { getgrnam(name).map { $0.pointee.gr_gid } }
}
