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
}
