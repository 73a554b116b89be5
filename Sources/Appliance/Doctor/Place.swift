/// A user of the machine, with the groups that he is in.
package struct Account: Hashable, Sendable {
    /// Number of the user; 0 may do everything.
    package var user: UInt32
    /// Numbers of his groups.
    package var groups: Set<UInt32>

    /// A user in these groups.
    package init(user: UInt32, groups: Set<UInt32>) { (self.user, self.groups) = (user, groups) }
}

/// What is at a path, and who may come there: owners and modes of the folders on the way. Access lists (acl(5)) are not looked at.
package struct Place: Hashable, Sendable {
    /// A file or folder.
    package struct Node: Hashable, Sendable {
        /// Numbers of owner and group.
        package var user, group: UInt32
        /// The nine bits of the mode.
        package var mode: UInt32
        /// Whether it is a folder.
        package var isFolder: Bool

        /// A file or folder of that owner.
        package init(user: UInt32, group: UInt32, mode: UInt32, isFolder: Bool) {
            (self.user, self.group, self.mode, self.isFolder) = (user, group, mode, isFolder)
        }

        /// Whether the account has all of these rights here (4 read, 2 write, 1 enter), as path_resolution(7) says.
        func grants(_ rights: UInt32, to account: Account) -> Bool {
            if account.user == 0 { return true }
            let shift: UInt32 = account.user == user ? 6 : account.groups.contains(group) ? 3 : 0
            return (mode >> shift) & rights == rights
        }
    }

    /// What an account would meet there.
    package enum Answer: Hashable, Sendable {
        /// It may.
        case good
        /// Nothing is there.
        case missing
        /// It is there, and the account may not.
        case refused
    }

    /// From the root down, as far as there is something.
    package var nodes: [Node]
    /// How many more parts the path has.
    package var missing: Int

    /// A place with these on the way, and so many parts that are not there.
    package init(_ nodes: [Node], missing: Int = 0) { (self.nodes, self.missing) = (nodes, missing) }

    /// Whether that account may come there and read; of a folder, what is in it.
    package func reading(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing == 0, let last = nodes.last else { return .missing }
        return last.grants(last.isFolder ? 5 : 4, to: account) ? .good : .refused
    }

    /// Whether that account may read and write there: what is there, or what it makes there in a folder of its own.
    package func writing(by account: Account) -> Answer {
        guard isReachable(by: account) else { return .refused }
        guard missing <= 1, let last = nodes.last else { return .missing }
        if missing == 1 { return last.isFolder && last.grants(3, to: account) ? .good : .refused }
        return last.grants(last.isFolder ? 7 : 6, to: account) ? .good : .refused
    }

    /// Who may not enter a folder does not learn what is in it.
    private func isReachable(by account: Account) -> Bool {
        let onTheWay = missing == 0 ? nodes.dropLast() : nodes[...]
        return onTheWay.allSatisfy { $0.grants(1, to: account) }
    }
}
