package import Encoding

/// The memory of accepted invitations. Because of it, an invitation file that is not removed leads to only one
/// connection.
package protocol InvitationMemory: Sendable {
    /// Returns the ids of the invitations that were accepted, oldest first.
    func accepted() async throws -> [Text]
    /// Stores the ids of the accepted invitations, oldest first, in place of the stored ones.
    func keep(accepted: [Text]) async throws
}
