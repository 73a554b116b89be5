/// The permissions required of a folder that holds a ledger.
package enum LedgerFolder {
    /// Describes why a folder of that owner and mode is not acceptable for a ledger of that user; the text
    /// continues a sentence that begins with the folder's name. Nil: acceptable, that is, owned by the user
    /// or root and not writable by other users.
    package static func lack(owner: UInt32, mode: UInt32, for user: UInt32) -> String? {
        if owner != user, owner != 0 { return "belongs to another user" }
        return mode & 0o022 == 0 ? nil : "can be written by other users"
    }
}
