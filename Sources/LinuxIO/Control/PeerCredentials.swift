import CLinuxShims

/// Who is at the other end of a Unix socket, as the kernel knows it: nothing that the peer says.
package struct PeerCredentials: Hashable, Sendable {
    /// Its effective user when it connected.
    package let user: UInt32
    /// Its effective and further groups when it connected.
    package let groups: Set<UInt32>

    /// These credentials.
    package init(user: UInt32, groups: Set<UInt32>) {
        (self.user, self.groups) = (user, groups)
    }

    /// Groups that are asked for; somebody in more of them (the kernel's bound is 65,536) counts as in his first one only.
    private static let mostGroups = 256

    /// Those of the peer of a connected socket; nil when the kernel does not tell.
    package init?(of socket: Int32) {
        var (user, group): (UInt32, UInt32) = (0, 0)
        guard clinux_peer(socket, &user, &group) == 0 else { return nil }
        var more = [UInt32](repeating: 0, count: Self.mostGroups)
        let count = clinux_peer_groups(socket, &more, Int32(Self.mostGroups))
        self.init(user: user, groups: Set([group] + more.prefix(max(0, Int(count)))))
    }
}

/// Who may use the control socket: root, the service's own user, and the members of one group where that is configured.
package struct ControlAccess: Hashable, Sendable {
    /// The service's own user.
    package let user: UInt32
    /// The group whose members may; nil: none.
    package let group: UInt32?

    /// Access for root, that user and that group.
    package init(user: UInt32, group: UInt32?) {
        (self.user, self.group) = (user, group)
    }

    /// Whether a peer may.
    package func permits(_ peer: PeerCredentials) -> Bool {
        peer.user == 0 || peer.user == user || group.map(peer.groups.contains) == true
    }
}
