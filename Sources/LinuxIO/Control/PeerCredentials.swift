import CLinuxShims

/// The credentials of the peer of a Unix socket. The kernel provides them, so they do not depend on data that
/// the peer sends.
package struct PeerCredentials: Hashable, Sendable {
    /// The peer's effective user ID when it connected.
    package let user: UInt32
    /// The peer's effective and supplementary group IDs when it connected.
    package let groups: Set<UInt32>

    /// Creates the credentials of a user with the given groups.
    package init(user: UInt32, groups: Set<UInt32>) {
        (self.user, self.groups) = (user, groups)
    }

    /// The maximum number of groups that are read. A peer in more groups (the kernel's limit is 65,536) counts as a
    /// member of its effective group only.
    private static let mostGroups = 256

    /// Reads the credentials of the peer of a connected socket. Returns nil if the kernel does not provide them.
    package init?(of socket: Int32) {
        var (user, group): (UInt32, UInt32) = (0, 0)
        guard clinux_peer(socket, &user, &group) == 0 else { return nil }
        var more = [UInt32](repeating: 0, count: Self.mostGroups)
        let count = clinux_peer_groups(socket, &more, Int32(Self.mostGroups))
        self.init(user: user, groups: Set([group] + more.prefix(max(0, Int(count)))))
    }
}

/// The users who may use the control socket: root, the service's own user, and the members of one group, if it is
/// configured.
package struct ControlAccess: Hashable, Sendable {
    /// The service's own user ID.
    package let user: UInt32
    /// The ID of the group whose members may use the socket; nil: no group may use it.
    package let group: UInt32?

    /// Permits root, the user `user` and the members of `group`.
    package init(user: UInt32, group: UInt32?) {
        (self.user, self.group) = (user, group)
    }

    /// Whether the peer may use the socket.
    package func permits(_ peer: PeerCredentials) -> Bool {
        peer.user == 0 || peer.user == user || group.map(peer.groups.contains) == true
    }
}
