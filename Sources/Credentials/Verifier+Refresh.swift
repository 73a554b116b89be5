package import Encoding
package import Reasons

/// The reason why content that a server sent does not replace the stored copy of a document or status list.
package enum RefreshRefusal: Error, Hashable, Sendable {
    /// The content is no DID document, controller document or key.
    case notADocument
    /// The content is a document whose id is not the requested id.
    case otherDocument
    /// The fetched list is older than the stored list.
    case older
    /// The content is not a valid status list of a trusted issuer. The associated code names the rule that the list
    /// violates.
    case statusList(ReasonCode)
}

extension RefreshRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notADocument: "the answer is not a DID document"
        case .otherDocument: "the answer is the document of another id"
        case .older: "the answer is older than the stored list"
        case .statusList(let code): "the answer is not a status list of a trusted issuer (\(code.text))"
        }
    }
}

extension Verifier {
    /// Checks the content that a server sent for `resource`, by the rules of a verification. A document must be
    /// readable and have the requested id. A status list must have the requested URL, be signed and dated like the
    /// lists of a trusted issuer, and be no older than `old`, the stored list.
    ///
    /// A document without keys is accepted, because an issuer withdraws all its keys in this way. `fetched` is the date
    /// at which stored content was downloaded, or nil for content that has just been downloaded.
    package func check(
        _ content: [UInt8], for resource: RefreshResource, replacing old: [UInt8]? = nil, fetched: Timestamp? = nil,
        at clock: WallTime
    ) throws(RefreshRefusal) {
        switch resource.kind {
        case .document:
            guard let json = try? JSON.parse(content, limits: limits.json), let document = ControllerDocument(json)
            else {
                throw .notADocument
            }
            guard document.id == resource.id else { throw .otherDocument }
        case .statusList: try checkStatusList(content, url: resource.id, replacing: old, fetched, at: clock)
        }
    }
}

extension Verifier {
    /// Checks a status list. The list must be valid for an issuer whose entry names the list. If no entry names the
    /// list, the list must be valid for any trusted issuer.
    private func checkStatusList(
        _ content: [UInt8], url: Text, replacing old: [UInt8]?, _ fetched: Timestamp?, at clock: WallTime
    ) throws(RefreshRefusal) {
        guard content.count <= limits.payloadBytes else { throw .statusList(.inputTooLarge) }
        let all = trust.issuers.values.filter { $0.isValid(at: clock.utc) }.sorted { $0.id < $1.id }
        let naming = all.filter { $0.statusLists.contains(url) }
        let verificationContext = VerificationContext(
            trust: trust, policy: policy, limits: limits, clock: clock, onStage: nil)
        var last = ReasonCode.issuerUntrusted
        for issuer in naming.isEmpty ? all : naming {
            let reader = StatusListReader(verificationContext: verificationContext, issuer: issuer)
            let list: StoredStatusList
            do throws(Rejection) {
                list = try reader.read(content, url: url, fetched: fetched, at: "")
                if list.overdue != nil { throw Rejection(.statusStale) }
                if case .bitstring(let bits, _) = list.content, bits.count < limits.statusListEntries {
                    throw Rejection(.statusInvalid)
                }
            } catch {
                last = error.reason.code
                continue
            }
            // An outdated list must not undo a revocation, no matter whether the issuer's server or an attacker sends
            // the list.
            if let before = try? old.map({ try reader.read($0, url: url, fetched: nil, at: "") }), let age = list.age,
                let ageBefore = before.age, age > ageBefore
            {
                throw .older
            }
            return
        }
        throw .statusList(last)
    }
}

extension Verifier {
    /// Returns the dates of validity in the stored list with the given URL. The dates are only for warnings, so this
    /// function does not check the list's signature. Returns nil if no list is stored or the list is unreadable.
    package func statedDates(ofList url: Text) -> (from: Timestamp?, until: Timestamp?)? {
        let stated = StatedListDates(limits: limits, profile: profile, fetched: trust.listFetched(url))
        return trust.statusList(url).flatMap { stated.read($0) }.map { ($0.issued, $0.until) }
    }
}
