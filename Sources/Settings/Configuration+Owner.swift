package import LinuxIO

extension Configuration {
    /// Returns the role in which root acts as the owner of the gate's folders. The owner is the user who owns the
    /// ledger's folder. If root owns it, the owner is the first other user who owns a part of a path where commands
    /// write. Returns nil if this process is not root, or if root owns all these paths.
    package func ownerRole() -> OwnerRole? {
        for path in [ledger.path] + NamedPlace.writtenByCommands(self).map(\.path) {
            if let role = OwnerRole(of: path) { return role }
        }
        return nil
    }

    /// The first path where the service or a command writes and that a user other than root can replace, with its key
    /// of the configuration. At this path root would follow that user's symbolic links. Nil if there is none.
    package var placeOfAnother: (key: String, path: String)? {
        (NamedPlace.all(self).filter(\.isWritten) + NamedPlace.writtenByCommands(self))
            .first { OwnerRole.owner(of: $0.path) != nil }.map { ($0.key, $0.path) }
    }
}
