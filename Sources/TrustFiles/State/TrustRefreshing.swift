package import Credentials
package import Encoding

/// Renews the copies of documents and status lists.
package protocol TrustRefreshing: Sendable {
    /// Renews the copy of one document or status list.
    ///
    /// - Parameters:
    ///   - resource: The document or status list.
    ///   - verifier: Contains the trust data in force, by which the fetched content is verified.
    ///   - copy: The present copy; nil if there is none.
    ///   - clock: The date. Nothing is fetched while the date is not trusted.
    func refresh(
        _ resource: RefreshResource, by verifier: Verifier, copy: RefreshedCopy?, at clock: WallTime
    ) async -> RefreshOutcome
}

/// The result of renewing the copy of one document or status list.
package enum RefreshOutcome: Sendable {
    /// The server sent new content, and it was stored.
    case changed
    /// The content at the server equals the copy.
    case unchanged
    /// The copy was not renewed, for the given reason.
    case failed(RefreshFailure)
}

/// The reason why a copy was not renewed.
package enum RefreshFailure: Error, CustomStringConvertible {
    /// The configuration does not permit the host.
    case hostNotListed
    /// The content could not be fetched. The value is the error of the transport.
    case fetch(any Error)
    /// The fetched content is invalid, for the given reason.
    case refused(RefreshRefusal)
    /// The copy could not be stored. The text is the reason.
    case disk(String)
    /// The date is not trusted, so a copy would have no date.
    case clock

    package var description: String {
        switch self {
        case .hostNotListed: "the host is not listed in trust.hosts"
        case .fetch(let failure): "\(failure)"
        case .refused(let refusal): "\(refusal)"
        case .disk(let reason): reason
        case .clock: "the date is not trusted"
        }
    }
}
