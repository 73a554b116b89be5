package import Encoding

/// Remembers which invitations were accepted, so that a file that stays in its place leads to one connection
/// only.
package protocol InvitationMemory: Sendable {
    /// Returns the ids of the invitations that were accepted, oldest first.
    func accepted() async throws -> [Text]
    /// Stores the ids.
    func keep(accepted: [Text]) async throws
}
