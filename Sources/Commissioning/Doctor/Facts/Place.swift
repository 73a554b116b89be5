/// A user of the machine, with the user's groups.
package struct Account: Hashable, Sendable {
    /// The user ID. The user with the ID 0 (root) may access everything.
    package var user: UInt32
    /// The IDs of the user's groups.
    package var groups: Set<UInt32>

    /// Creates the account of a user who is in the groups `groups`.
    package init(user: UInt32, groups: Set<UInt32>) { (self.user, self.groups) = (user, groups) }
}

/// A path with the owners and modes of the folders on it, which decide which accounts may reach it. Access lists
/// (acl(5)) are not considered.
package struct Place: Hashable, Sendable {
    /// A file or folder on a path.
    package struct Node: Hashable, Sendable {
        /// The IDs of the node's owner and group.
        package var user, group: UInt32
        /// The permission bits of the mode (the lowest nine).
        package var mode: UInt32
        /// Whether the node is a folder.
        package var isFolder: Bool

        /// Creates a file or folder with its owner, group and mode.
        package init(user: UInt32, group: UInt32, mode: UInt32, isFolder: Bool) {
            (self.user, self.group, self.mode, self.isFolder) = (user, group, mode, isFolder)
        }

        /// Returns whether the account has all of the rights `rights` (a sum of 4 to read, 2 to write and 1 to enter)
        /// at this node, by the rules of path_resolution(7).
        func grants(_ rights: UInt32, to account: Account) -> Bool {
            if account.user == 0 { return true }
            let shift: UInt32 = account.user == user ? 6 : account.groups.contains(group) ? 3 : 0
            return (mode >> shift) & rights == rights
        }
    }

    /// The result of an attempt of an account to read or write.
    package enum Answer: Hashable, Sendable {
        /// The account may access the file or folder as requested.
        case good
        /// Nothing exists at the path.
        case missing
        /// The account may not access the file or folder as requested.
        case refused
    }

    /// The existing nodes of the path: the folders from the root down, and the file.
    package var nodes: [Node]
    /// The number of parts at the end of the path that do not exist.
    package var missing: Int

    /// Creates a place from the existing nodes of its path and the number of parts that do not exist.
    package init(_ nodes: [Node], missing: Int = 0) { (self.nodes, self.missing) = (nodes, missing) }

    /// Returns whether `account` may read the file, or list and enter the folder.
    package func reading(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing == 0, let last = nodes.last else { return .missing }
        return last.grants(last.isFolder ? 5 : 4, to: account) ? .good : .refused
    }

    /// Returns whether `account` may read and write the file or folder. If only the last part of the path is missing,
    /// returns whether the account may create it.
    package func writing(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing <= 1, let last = nodes.last else { return .missing }
        if missing == 1 { return last.isFolder && last.grants(3, to: account) ? .good : .refused }
        return last.grants(last.isFolder ? 7 : 6, to: account) ? .good : .refused
    }

    /// Returns whether `account` may enter all folders of the path. Otherwise nothing else about the path matters to
    /// this account.
    private func isReachable(by account: Account) -> Bool {
        let onTheWay = missing == 0 ? nodes.dropLast() : nodes[...]
        return onTheWay.allSatisfy { $0.grants(1, to: account) }
    }
}
