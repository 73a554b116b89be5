package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
package import Settings

/// Finds expiry dates: in trust data, rules and certificates for servers. The service, the
/// doctor and `gatehouse trust verify` all use it for their warnings.
package enum Expiries {
    /// The maximum number of certificates in a file to examine. A file with more certificates is the system's list,
    /// which is maintained elsewhere.
    private static let mostCertificates = 20
    /// The maximum number of bytes to read from a file of certificates. Such a file needs far fewer bytes.
    private static let largestFile = 128 * 1024

    /// Returns the expiry dates of trust data.
    ///
    /// - Parameters:
    ///   - verifier: The trust data, with the profile for reading lists.
    ///   - hosts: The hosts that the operator lists for fetching documents and lists (``TrustSection/fetchedFrom``);
    ///     nil if nothing is fetched. An item of an unlisted host is not renewed.
    package static func trust(_ verifier: Verifier, fetchedFrom hosts: Set<Text>?) -> [Expiry] {
        let store = verifier.trust
        var expiries: [Expiry] = []
        if let edition = store.edition {
            expiries.append(Expiry(.bundle, Text(edition.name), begin: edition.issued, end: edition.validUntil))
        }
        let renewed = Set(store.refreshed(from: hosts).map(\.id))
        var holders: Set<Text> = []
        for issuer in store.listedIssuers {
            if let end = issuer.notAfter {
                expiries.append(Expiry(.issuer, issuer.id, begin: issuer.notBefore, end: end))
            }
            for holder in [issuer.id] + issuer.controllers where holders.insert(holder).inserted {
                if let age = issuer.documentMaxAge, store.document(holder) != nil, let date = store.confirmed(holder) {
                    expiries.append(
                        Expiry(
                            .document, holder, begin: date, end: date.advanced(by: age),
                            isRenewed: renewed.contains(holder)))
                }
                expiries += keys(of: holder, in: store, isRenewed: renewed.contains(holder))
            }
        }
        expiries += store.listedRoots.map { Expiry(.root, Text($0.name), begin: $0.notBefore, end: $0.notAfter) }
        for url in store.statusListURLs {
            guard let dates = verifier.statedDates(ofList: url), let end = dates.until else { continue }
            expiries.append(
                Expiry(.statusList, url, begin: dates.from, end: end, isRenewed: renewed.contains(url)))
        }
        return expiries
    }

    /// Returns the last expiry date of a holder's keys. Withdrawn keys do not count. A key that ended long ago has a
    /// successor in the document.
    private static func keys(of holder: Text, in store: TrustStore, isRenewed: Bool) -> [Expiry] {
        let keys = (store.keys(of: holder) ?? []).filter { $0.fingerprint != nil && $0.revoked == nil }
        guard let last = keys.map({ $0.end }).max(by: { ($0?.seconds ?? .max) < ($1?.seconds ?? .max) }), let last
        else {
            return []
        }
        return [Expiry(.key, keys.last { $0.end == last }?.method ?? holder, end: last, isRenewed: isRenewed)]
    }

    /// Returns the expiry dates of a gate outside its trust data.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, which names the files with these dates.
    ///   - rules: The rules in force.
    package static func gate(_ configuration: Configuration, rules: GatePolicy?) -> [Expiry] {
        var expiries: [Expiry] = []
        if let rules, let end = rules.validUntil { expiries.append(Expiry(.policy, Text(rules.name), end: end)) }
        for file in Set([configuration.agent.rootsFile, configuration.trust.rootsFile].compactMap(\.self)).sorted() {
            expiries += certificates(in: file)
        }
        return expiries
    }

    /// Returns the expiry dates of the certificates in a file. Of several certificates with the same name, the last is
    /// the successor of the others, so only its date counts.
    private static func certificates(in file: String) -> [Expiry] {
        guard FileBytes.isFile(file), let bytes = FileBytes.read(file, limit: largestFile),
            let all = TrustStore.listedCertificates(pem: bytes), all.count <= mostCertificates
        else { return [] }
        let last = Dictionary(
            all.map { (Text($0.name), $0) }, uniquingKeysWith: { $0.notAfter > $1.notAfter ? $0 : $1 })
        return last.map { Expiry(.serverRoot, $0.key, begin: $0.value.notBefore, end: $0.value.notAfter) }
    }
}
