/// The required permissions of a ledger's folder.
package enum LedgerFolder {
    /// Returns why a folder with the given owner and mode is not acceptable for a ledger of the user with the id
    /// `user`; nil if the folder is acceptable. The text completes a sentence that begins with the folder's name. The
    /// user or root must own the folder, and other users must not be able to write to it.
    package static func lack(owner: UInt32, mode: UInt32, for user: UInt32) -> String? {
        if owner != user, owner != 0 { return "belongs to another user" }
        return mode & 0o022 == 0 ? nil : "can be written by other users"
    }
}
