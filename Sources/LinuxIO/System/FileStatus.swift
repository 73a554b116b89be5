import Glibc
import SystemPackage

/// The attributes of a file, as the kernel reports them (inode(7)).
package struct FileStatus: Hashable, Sendable {
    /// The kind of a file.
    package enum Kind: Hashable, Sendable {
        /// A regular file.
        case file
        case folder
        /// A symbolic link.
        case link
        /// A Unix socket.
        case socket
        /// A pipe or a device.
        case other
    }

    /// The device and the inode number of a file. No two files that exist at the same time have the same identity.
    package struct Identity: Hashable, Sendable {
        /// The number of the file system's device (`st_dev`).
        let device: UInt64
        /// The inode's number (`st_ino`).
        let number: UInt64
    }

    /// The kind of the file.
    package let kind: Kind
    /// The device and the inode number of the file.
    package let identity: Identity
    /// The size in bytes.
    package let size: Int
    /// The ID of the user that owns the file.
    package let owner: UInt32
    /// The ID of the file's group.
    package let group: UInt32
    /// The permissions with the set-ID bits and the sticky bit, 12 bits.
    package let mode: UInt32
    /// The number of names of the file (hard links).
    package let names: Int
    /// The time of the last modification, in seconds since 1970.
    let modified: Int64

    /// Whether the permissions let users other than the owner read, write or execute the file.
    package var isOpenToOthers: Bool { mode & 0o077 != 0 }

    /// Reads the attributes of the file at a path. `links` decides whether a symbolic link at the end of the path is
    /// followed.
    package init(_ path: String, links: OpenFile.Links = .notFollowed) throws(SystemError) {
        do {
            self.init(try path.withCString { try Stat($0, followTargetSymlink: links == .followed) })
        } catch {
            throw SystemError("examining \(path)", error)
        }
    }

    /// Reads the attributes of the file `name` in a folder. Does not follow a symbolic link.
    init(_ name: String, in folder: OpenFile) throws(SystemError) {
        do {
            self.init(
                try name.withCString {
                    try Stat($0, relativeTo: FileDescriptor(rawValue: folder.descriptor), flags: .symlinkNoFollow)
                })
        } catch {
            throw SystemError("examining \(folder.path(of: name))", error)
        }
    }

    /// Reads the attributes of an open file. `name` is the file's name in error messages.
    init(of descriptor: Int32, _ name: String) throws(SystemError) {
        do throws(Errno) {
            self.init(try Stat(FileDescriptor(rawValue: descriptor)))
        } catch {
            throw SystemError("examining \(name)", error)
        }
    }

    private init(_ stat: Stat) {
        kind =
            switch stat.type {
            case .regular: .file
            case .directory: .folder
            case .symbolicLink: .link
            case .socket: .socket
            default: .other
            }
        identity = Identity(device: UInt64(stat.rawValue.st_dev), number: UInt64(stat.rawValue.st_ino))
        (size, names) = (Int(stat.size), stat.linkCount)
        (owner, group, mode) = (stat.userID.rawValue, stat.groupID.rawValue, stat.rawValue.st_mode & 0o7777)
        modified = Int64(stat.rawValue.st_mtim.tv_sec)
    }
}
