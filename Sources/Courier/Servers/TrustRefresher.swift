package import Credentials
package import Encoding
package import HTTPTransport
package import Settings
package import TrustFiles

/// Fetches documents and status lists, and stores those that pass the checks. The trust data determine what is
/// fetched, and a plan with random times determines when. No event at the gate has an influence on what or when the
/// program fetches.
package struct TrustRefresher: TrustRefreshing {
    /// The limits on the size of fetched content.
    package struct Limits: Sendable {
        /// The maximum size of a document in bytes.
        var documentBytes = 256 * 1024
        /// The maximum size of a status list in bytes.
        package var statusListBytes = 4 * 1024 * 1024

        /// Creates the documented default values.
        package init() {}
    }

    private let state: TrustState
    private let hosts: Set<Text>
    private let fetcher: any ResourceFetching
    private let limits: Limits

    /// Creates a refresher that fetches only from `hosts` (in the form of ``WebURL/place``). If `hosts` is empty, it
    /// fetches only from the hosts in the ids of the issuers.
    package init(state: TrustState, hosts: Set<Text>, fetcher: any ResourceFetching, limits: Limits = Limits()) {
        (self.state, self.hosts, self.fetcher, self.limits) = (state, hosts, fetcher, limits)
    }

    /// See ``TrustRefreshing/refresh(_:by:copy:at:)``.
    package func refresh(
        _ resource: RefreshResource, by verifier: Verifier, copy: RefreshedCopy?, at clock: WallTime
    ) async -> RefreshOutcome {
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
        // The earliest possible date of the fetch. An earlier stored date is not used: the machine was not off during
        // the fetch.
        let fetched = clock.possible.min() ?? clock.utc
        var next: RefreshedCopy
        switch (answer, copy) {
        case (.content(let content, let tag), _):
            next = RefreshedCopy(
                resource, content: content, confirmed: fetched, entityTag: tag.map { Text($0) })
        case (.unchanged, let copy?):
            next = copy
            next.confirmed = fetched
        case (.unchanged, nil): return .failed(.fetch(ResourceFetcher.Failure.status(304)))
        }
        // Check unchanged content again: the issuer may not be trusted any more, or the list may have expired.
        do {
            try verifier.check(
                next.content, for: resource, replacing: verifier.trust.statusList(resource.id), at: clock)
        } catch { return .failed(.refused(error)) }
        do { try state.keep(next) } catch { return .failed(.disk("\(error)")) }
        return next.content == copy?.content ? .unchanged : .changed
    }
}

extension TrustRefresher {
    /// Creates the refresher of a configuration.
    package init(_ section: TrustSection, state: TrustState, contacts: (any ContactBook)? = nil) {
        var settings = ResourceFetcher.Settings()
        settings.contacts = contacts
        settings.allowsPrivateAddresses = section.allowPrivateHosts
        settings.trustRootsFile = section.rootsFile
        self.init(state: state, hosts: section.hosts, fetcher: ResourceFetcher(settings))
    }
}
