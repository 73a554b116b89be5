/// The required permissions of a ledger's folder.
package enum LedgerFolder {
    /// Returns why a folder with the given owner and mode is not acceptable for a ledger of the user `user`, as the
    /// rest of a sentence that begins with the folder's name; nil for an acceptable folder. The user or root must own
    /// the folder, and other users must not be able to write to it.
    package static func lack(owner: UInt32, mode: UInt32, for user: UInt32) -> String? {
        if owner != user, owner != 0 { return "belongs to another user" }
        return mode & 0o022 == 0 ? nil : "can be written by other users"
    }
}
