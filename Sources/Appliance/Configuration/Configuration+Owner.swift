package import LinuxIO

extension Configuration {
    /// Root as the owner of the gate's folders: the one of the ledger's, else the first user but root to whom a part belongs of a path where
    /// commands write, or whose files the gate believes. Nil for any other user, and where all of that is root's.
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
