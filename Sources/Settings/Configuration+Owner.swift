package import LinuxIO

extension Configuration {
    /// Returns the role in which root acts as the owner of the gate's folders. The owner is the owner of the
    /// ledger's folder. If root owns that folder, the owner is the first user other than root who owns a part
    /// of a path where commands write or whose files the gate trusts. Returns nil if the process does not run
    /// as root, or if root owns all of these paths.
    package func ownerRole() -> OwnerRole? {
        for path in [ledger.path] + NamedPlace.writtenByCommands(self).map(\.path) {
            if let role = OwnerRole(of: path) { return role }
        }
        return nil
    }

    /// The first place where the service or a command writes and that a user other than root can replace,
    /// with the configuration key that names the place. There root would follow that user's symbolic links.
    /// Nil if no such place exists.
    package var placeOfAnother: (key: String, path: String)? {
        (NamedPlace.all(self).filter(\.isWritten) + NamedPlace.writtenByCommands(self))
            .first { OwnerRole.owner(of: $0.path) != nil }.map { ($0.key, $0.path) }
    }
}
