package import Credentials
package import Encoding
package import Kiosk
import LinuxIO
package import Settings

/// Finds the dates at which trust data, rules and server certificates expire. The service, the doctor and `gatehouse
/// trust verify` warn about these dates.
package enum Expiries {
    /// The maximum number of certificates in a file whose dates count. A file with more is a list of the system,
    /// which is maintained elsewhere.
    private static let mostCertificates = 20
    /// The maximum number of bytes that are read of a file with certificates. Twenty certificates need far less.
    private static let largestFile = 128 * 1024

    /// Returns the expiry dates of the trust data.
    ///
    /// - Parameters:
    ///   - verifier: Contains the trust data, and the profile by which status lists are read.
    ///   - hosts: The configured hosts from which data may be fetched (``TrustSection/fetchedFrom``); nil if the
    ///     service fetches nothing. Data of other hosts count as not renewed.
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

    /// Returns the latest expiry date of a holder's keys, without withdrawn keys. Only the latest date counts,
    /// because an earlier key has a successor in the document.
    private static func keys(of holder: Text, in store: TrustStore, isRenewed: Bool) -> [Expiry] {
        let keys = (store.keys(of: holder) ?? []).filter { $0.fingerprint != nil && $0.revoked == nil }
        guard let last = keys.map({ $0.end }).max(by: { ($0?.seconds ?? .max) < ($1?.seconds ?? .max) }), let last
        else {
            return []
        }
        return [Expiry(.key, keys.last { $0.end == last }?.method ?? holder, end: last, isRenewed: isRenewed)]
    }

    /// Returns the expiry dates of the gate's other files: rules and server certificates.
    ///
    /// - Parameters:
    ///   - configuration: Names the files with server certificates.
    ///   - rules: The rules in force; nil if there are none.
    package static func gate(_ configuration: Configuration, rules: GatePolicy?) -> [Expiry] {
        var expiries: [Expiry] = []
        if let rules, let end = rules.validUntil { expiries.append(Expiry(.policy, Text(rules.name), end: end)) }
        for file in Set([configuration.agent.rootsFile, configuration.trust.rootsFile].compactMap(\.self)).sorted() {
            expiries += certificates(in: file)
        }
        return expiries
    }

    /// Returns the expiry dates of the certificates in a file. Of several certificates with the same name only the
    /// latest date counts, because its certificate is the successor of the others.
    private static func certificates(in file: String) -> [Expiry] {
        guard FileBytes.isFile(file), let bytes = FileBytes.read(file, limit: largestFile),
            let all = TrustStore.listedCertificates(pem: bytes), all.count <= mostCertificates
        else { return [] }
        let last = Dictionary(
            all.map { (Text($0.name), $0) }, uniquingKeysWith: { $0.notAfter > $1.notAfter ? $0 : $1 })
        return last.map { Expiry(.serverRoot, $0.key, begin: $0.value.notBefore, end: $0.value.notAfter) }
    }
}
