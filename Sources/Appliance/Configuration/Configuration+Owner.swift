package import LinuxIO

extension Configuration {
    /// The role in which root acts as the owner of the gate's folders. That is the owner of the ledger's folder, else
    /// the first user other than root who owns a part of a path where commands write or whose files the gate believes.
    /// Nil if the process does not run as root, and if all of these belong to root.
    package func ownerRole() -> OwnerRole? {
        for path in [ledger.path] + NamedPlace.writtenByCommands(self).map(\.path) {
            if let role = OwnerRole(of: path) { return role }
        }
        return nil
    }

    /// The first place where the service or a command writes and that another user than root can exchange, with the key
    /// that names it: root would go where that user's links lead. Nil where there is none.
    package var placeOfAnother: (key: String, path: String)? {
        (NamedPlace.all(self).filter(\.isWritten) + NamedPlace.writtenByCommands(self))
            .first { OwnerRole.owner(of: $0.path) != nil }.map { ($0.key, $0.path) }
    }
}
