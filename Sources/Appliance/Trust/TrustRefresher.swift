package import Credentials
package import Encoding
package import HTTPTransport

/// Fetches documents and status lists and keeps those that pass the checks. It is independent of the
/// verifier: the trust data determine what it fetches, and a plan with random times determines when; no event
/// at the gate has an influence on it.
package struct TrustRefresher: Sendable {
    /// The limits of what is fetched.
    package struct Limits: Sendable {
        /// The maximum size of a document in bytes.
        package var documentBytes = 256 * 1024
        /// The maximum size of a status list in bytes.
        package var statusListBytes = 4 * 1024 * 1024

        /// Creates the documented default values.
        package init() {}
    }

    /// The result of the refresh of one resource.
    package enum Outcome: Sendable {
        /// The server has a new content, and the gate kept it.
        case changed
        /// The server still has the content of the copy.
        case unchanged
        /// The refresh failed, for the given reason. The old copy stays.
        case failed(Failure)
    }

    /// The reason why the old copy stays.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The host is not among the permitted hosts.
        case hostNotListed
        /// Fetching failed, for the given reason.
        case fetch(ResourceFetcher.Failure)
        /// The fetched content is not acceptable, for the given reason.
        case refused(RefreshRefusal)
        /// The fetched content could not be stored; the text is the reason.
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

    private let state: TrustState
    private let hosts: Set<Text>
    private let fetcher: any ResourceFetching
    private let limits: Limits

    /// Creates a refresher that asks only `hosts` (as ``WebURL/place``); empty: the hosts of the issuers' own
    /// ids.
    package init(state: TrustState, hosts: Set<Text>, fetcher: any ResourceFetching, limits: Limits = Limits()) {
        (self.state, self.hosts, self.fetcher, self.limits) = (state, hosts, fetcher, limits)
    }

    /// Brings one resource up to date.
    ///
    /// - Parameters:
    ///   - resource: The resource.
    ///   - verifier: Judges the fetched content, under the trust data in force.
    ///   - copy: The present copy.
    ///   - clock: The date; nothing is fetched while it is not trusted.
    package func refresh(
        _ resource: RefreshResource, by verifier: Verifier, copy: RefreshedCopy?, at clock: WallTime
    ) async -> Outcome {
        guard verifier.policy.trusts(clock) else { return .failed(.clock) }
        guard verifier.trust.places(listed: hosts).contains(resource.address.place) else {
            return .failed(.hostNotListed)
        }
        let answer: ResourceFetcher.Answer
        do {
            answer = try await fetcher.fetch(
                resource.address, entityTag: copy?.entityTag?.string,
                limit: resource.kind == .document ? limits.documentBytes : limits.statusListBytes)
        } catch { return .failed(.fetch(error)) }
        // The earliest date that may be right. The last confirmed date does not count if it is earlier: the
        // machine was not off during the fetch.
        let fetched = clock.possible.min() ?? clock.utc
        var next: RefreshedCopy
        switch (answer, copy) {
        case (.content(let content, let tag), _):
            next = RefreshedCopy(
                resource, content: content, confirmed: fetched, entityTag: tag.map { Text($0) })
        case (.unchanged, let copy?):
            next = copy
            next.confirmed = fetched
        case (.unchanged, nil): return .failed(.fetch(.status(304)))
        }
        // Check unchanged content again, too: the issuer may no longer be trusted, or the list may no longer
        // be valid.
        do {
            try verifier.check(
                next.content, for: resource, replacing: verifier.trust.statusList(resource.id), at: clock)
        } catch { return .failed(.refused(error)) }
        do { try state.keep(next) } catch { return .failed(.disk("\(error)")) }
        return next.content == copy?.content ? .unchanged : .changed
    }
}
