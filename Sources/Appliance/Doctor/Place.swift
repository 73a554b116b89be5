/// A user of the machine, with the user's groups.
package struct Account: Hashable, Sendable {
    /// The user ID; 0 may do everything.
    package var user: UInt32
    /// The IDs of the user's groups.
    package var groups: Set<UInt32>

    /// Creates a user in these groups.
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
        /// Whether it is a folder.
        package var isFolder: Bool

        /// Creates a file or folder of that owner.
        package init(user: UInt32, group: UInt32, mode: UInt32, isFolder: Bool) {
            (self.user, self.group, self.mode, self.isFolder) = (user, group, mode, isFolder)
        }

        /// Returns whether the account has all of these rights here (4 read, 2 write, 1 enter), by the rules
        /// of path_resolution(7).
        func grants(_ rights: UInt32, to account: Account) -> Bool {
            if account.user == 0 { return true }
            let shift: UInt32 = account.user == user ? 6 : account.groups.contains(group) ? 3 : 0
            return (mode >> shift) & rights == rights
        }
    }

    /// The result of an access by an account.
    package enum Answer: Hashable, Sendable {
        /// The account may do it.
        case good
        /// Nothing exists there.
        case missing
        /// The account may not do it.
        case refused
    }

    /// The folders from the root down and the file, as far as they exist.
    package var nodes: [Node]
    /// The number of further parts of the path, which do not exist.
    package var missing: Int

    /// Creates a place with these nodes on the way, and `missing` parts that do not exist.
    package init(_ nodes: [Node], missing: Int = 0) { (self.nodes, self.missing) = (nodes, missing) }

    /// Returns whether that account may read the file, or list the folder.
    package func reading(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing == 0, let last = nodes.last else { return .missing }
        return last.grants(last.isFolder ? 5 : 4, to: account) ? .good : .refused
    }

    /// Returns whether that account may read and write the file or folder; if only the last part does not
    /// exist, whether the account may make it.
    package func writing(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing <= 1, let last = nodes.last else { return .missing }
        if missing == 1 { return last.isFolder && last.grants(3, to: account) ? .good : .refused }
        return last.grants(last.isFolder ? 7 : 6, to: account) ? .good : .refused
    }

    /// Without the right to enter a folder, an account cannot learn what is in it.
    private func isReachable(by account: Account) -> Bool {
        let onTheWay = missing == 0 ? nodes.dropLast() : nodes[...]
        return onTheWay.allSatisfy { $0.grants(1, to: account) }
    }
}
