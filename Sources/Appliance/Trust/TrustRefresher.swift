package import Credentials
package import Encoding
package import HTTPTransport

/// Fetches documents and status lists and keeps those that pass. Beside the verifier and unknown to it: what it asks for follows
/// from the trust data, when from a plan with chance in it; nothing that happens at the gate reaches it.
package struct TrustRefresher: Sendable {
    /// Bounds.
    package struct Limits: Sendable {
        /// Bytes of a document.
        package var documentBytes = 256 * 1024
        /// Bytes of a status list.
        package var statusListBytes = 4 * 1024 * 1024

        /// The documented defaults.
        package init() {}
    }

    /// What came of one resource.
    package enum Outcome: Sendable {
        /// The server has another content, and it is kept.
        case changed
        /// The server still has the content at hand.
        case unchanged
        /// The old copy stays.
        case failed(Failure)
    }

    /// Why the old copy stays.
    package enum Failure: Error, Sendable, CustomStringConvertible {
        /// The host is none that may be asked.
        case hostNotListed
        /// Nothing was fetched.
        case fetch(ResourceFetcher.Failure)
        /// What was fetched is not acceptable.
        case refused(RefreshRefusal)
        /// It could not be stored.
        case disk(String)
        /// The date is not known well enough to say that a copy is of today.
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

    /// A refresher that asks only `hosts` (as ``WebURL/place``); none listed: the hosts of the issuers' own ids.
    package init(state: TrustState, hosts: Set<Text>, fetcher: any ResourceFetching, limits: Limits = Limits()) {
        (self.state, self.hosts, self.fetcher, self.limits) = (state, hosts, fetcher, limits)
    }

    /// Brings one resource up to date.
    ///
    /// - Parameters:
    ///   - resource: What.
    ///   - verifier: Judges what is fetched, under the trust data in force.
    ///   - copy: The copy at hand.
    ///   - clock: The date; under one that cannot be trusted nothing is fetched.
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
        // The machine was not off while this was fetched: the last confirmed date says nothing of it.
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
        // Also what is unchanged is looked at again: an issuer may have lost the operator's trust, a list its validity.
        do {
            try verifier.check(
                next.content, for: resource, replacing: verifier.trust.statusList(resource.id), at: clock)
        } catch { return .failed(.refused(error)) }
        do { try state.keep(next) } catch { return .failed(.disk("\(error)")) }
        return next.content == copy?.content ? .unchanged : .changed
    }
}
