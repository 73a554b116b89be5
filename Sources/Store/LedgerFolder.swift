/// Who may have a folder for a ledger to be kept in it.
package enum LedgerFolder {
    /// What is wrong with a folder of that owner and mode for a ledger of that user, to follow its name; nil: nothing is. It is the user's
    /// or root's, and nobody else can write to it.
    package static func lack(owner: UInt32, mode: UInt32, for user: UInt32) -> String? {
        if owner != user, owner != 0 { return "belongs to another user" }
        return mode & 0o022 == 0 ? nil : "can be written by other users"
    }
}
