/// A user of the machine, with the user's groups.
package struct Account: Hashable, Sendable {
    /// The user ID. The user with the ID 0 (root) may access everything.
    package var user: UInt32
    /// The IDs of the user's groups.
    package var groups: Set<UInt32>

    /// Creates an account of a user in the given groups.
    package init(user: UInt32, groups: Set<UInt32>) { (self.user, self.groups) = (user, groups) }
}

/// A path, and which users may reach it: owners and modes of the folders on the way. Access lists (acl(5))
/// are not considered.
package struct Place: Hashable, Sendable {
    /// A file or folder.
    package struct Node: Hashable, Sendable {
        /// The IDs of owner and group.
        package var user, group: UInt32
        /// The nine bits of the mode.
        package var mode: UInt32
        /// Whether the node is a folder.
        package var isFolder: Bool

        /// Creates a file or folder of the given owner, group and mode.
        package init(user: UInt32, group: UInt32, mode: UInt32, isFolder: Bool) {
            (self.user, self.group, self.mode, self.isFolder) = (user, group, mode, isFolder)
        }

        /// Returns whether the account has all of the rights `rights` at this node (4 read, 2 write, 1
        /// enter), by the rules of path_resolution(7).
        func grants(_ rights: UInt32, to account: Account) -> Bool {
            if account.user == 0 { return true }
            let shift: UInt32 = account.user == user ? 6 : account.groups.contains(group) ? 3 : 0
            return (mode >> shift) & rights == rights
        }
    }

    /// The result of an access by an account.
    package enum Answer: Hashable, Sendable {
        /// The account has the requested access.
        case good
        /// Nothing exists at the path.
        case missing
        /// The account does not have the requested access.
        case refused
    }

    /// The nodes of the path as far as they exist: the folders from the root down, and the file.
    package var nodes: [Node]
    /// The number of parts at the end of the path that do not exist.
    package var missing: Int

    /// Creates a place from the existing nodes on the way to it and the number of parts that do not exist.
    package init(_ nodes: [Node], missing: Int = 0) { (self.nodes, self.missing) = (nodes, missing) }

    /// Returns whether `account` may read the file, or list the folder.
    package func reading(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing == 0, let last = nodes.last else { return .missing }
        return last.grants(last.isFolder ? 5 : 4, to: account) ? .good : .refused
    }

    /// Returns whether `account` may read and write the file or folder. If only the last part of the path
    /// does not exist, returns whether the account may create it.
    package func writing(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing <= 1, let last = nodes.last else { return .missing }
        if missing == 1 { return last.isFolder && last.grants(3, to: account) ? .good : .refused }
        return last.grants(last.isFolder ? 7 : 6, to: account) ? .good : .refused
    }

    /// Returns whether `account` may enter all folders on the way. An account cannot see the content of a folder that
    /// it may not enter.
    private func isReachable(by account: Account) -> Bool {
        let onTheWay = missing == 0 ? nodes.dropLast() : nodes[...]
        return onTheWay.allSatisfy { $0.grants(1, to: account) }
    }
}
