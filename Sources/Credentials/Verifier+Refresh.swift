package import Encoding

/// Why what a server sent does not take the place of the stored copy.
package enum RefreshRefusal: Error, Hashable, Sendable {
    /// It is no DID document, controller document or key.
    case notADocument
    /// It is the document of somebody else.
    case otherDocument
    /// It is a list from before the one at hand.
    case older
    /// No trusted issuer stands behind this list; the code says what is wrong with it.
    case statusList(ReasonCode)
}

extension RefreshRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notADocument: "the answer is no DID document"
        case .otherDocument: "the answer is the document of another id"
        case .older: "the answer is older than the list at hand"
        case .statusList(let code): "the answer is no status list of a trusted issuer (\(code.text))"
        }
    }
}

extension Verifier {
    /// Looks at what a server sent for `resource` with the eyes of a verification: a document must be readable and carry the
    /// id; a status list must be the one of that URL, signed and dated as those of a trusted issuer, and no older than the
    /// one at hand.
    ///
    /// A document without keys is accepted: so an issuer withdraws them all. What is stored already is looked at with the date
    /// at which it was `fetched`.
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
    /// The list must pass for one of the issuers that name it; where none does, for any trusted issuer.
    private func checkStatusList(
        _ content: [UInt8], url: Text, replacing old: [UInt8]?, _ fetched: Timestamp?, at clock: WallTime
    ) throws(RefreshRefusal) {
        guard content.count <= limits.payloadBytes else { throw .statusList(.inputTooLarge) }
        let all = trust.issuers.values.filter { $0.isValid(at: clock.utc) }.sorted { $0.id < $1.id }
        let naming = all.filter { $0.statusLists.contains(url) }
        let surroundings = Surroundings(trust: trust, policy: policy, limits: limits, clock: clock, onStage: nil)
        var last = ReasonCode.issuerUntrusted
        for issuer in naming.isEmpty ? all : naming {
            let reader = StatusListReader(surroundings: surroundings, issuer: issuer)
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
            // A server, or whoever stands in its place, must not undo a revocation with a list that was right once.
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
    /// From when and until when the stored list of that URL holds, as it states itself: no signature is looked at, as this is for
    /// warnings alone. Nil where no list is stored or nothing can be read of it.
    package func statedDates(ofList url: Text) -> (from: Timestamp?, until: Timestamp?)? {
        let stated = StatedListDates(limits: limits, profile: profile, fetched: trust.listFetched(url))
        return trust.statusList(url).flatMap { stated.read($0) }.map { ($0.issued, $0.until) }
    }
}
