package import Credentials
package import Encoding

/// Brings copies of documents and status lists up to date.
package protocol TrustRefreshing: Sendable {
    /// Brings one resource up to date.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - verifier: Checks the fetched content under the trust data in force.
    ///   - copy: The present copy.
    ///   - clock: The date. While the date is not trusted, nothing is fetched.
    func refresh(
        _ resource: RefreshResource, by verifier: Verifier, copy: RefreshedCopy?, at clock: WallTime
    ) async -> RefreshOutcome
}

/// The result of a refresh for one resource.
package enum RefreshOutcome: Sendable {
    /// The server sent new content, which was stored.
    case changed
    /// The server still has the content of the copy.
    case unchanged
    /// The old copy stays.
    case failed(RefreshFailure)
}

/// The reason why the old copy of a resource is kept.
package enum RefreshFailure: Error, CustomStringConvertible {
    /// The host is not among the permitted hosts.
    case hostNotListed
    /// Nothing was fetched, for the given reason from the transport.
    case fetch(any Error)
    /// The fetched content is not acceptable.
    case refused(RefreshRefusal)
    /// The content could not be stored.
    case disk(String)
    /// The date is not known well enough to date a copy.
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
