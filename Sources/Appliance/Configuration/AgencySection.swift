package import Aries
import DIDComm
import Encoding

/// `[agency]`: an Evernym-style agency as the mailbox, where `agent.mailbox` says so.
package struct AgencySection: Sendable {
    /// Which agency and how it is used; nil where it is not.
    package let settings: AgencySettings?
    /// Where a sponsor's token is put; nil where none is needed.
    package let tokenFile: String?

    init(_ reader: inout ConfigurationReader, _ folder: String, isUsed: Bool, kiosk: String, allowsPlainHTTP: Bool) {
        let dialect: AgencyDialect = reader.choice("agency.dialect", default: .node)
        let url = reader.text("agency.url", default: "")
        let did = reader.text("agency.did", default: "")
        let verkey = reader.text("agency.verkey", default: "")
        tokenFile = reader.optional("agency.tokenFile").map { resolve($0, in: folder) }
        let webhook = reader.optional("agency.webhook")
        let poll = reader.duration(
            "agency.poll", default: .seconds(20), in: .seconds(1)...(.seconds(24 * 3600)))
        guard isUsed else {
            settings = nil
            return
        }
        let schemes = allowsPlainHTTP ? ["https://", "http://"] : ["https://"]
        if !schemes.contains(where: { url.utf8.starts(with: $0.utf8) && url.utf8.count > $0.utf8.count }) {
            reader.reject(
                "agency.url", "is no URL that may be used",
                "Write url = \"https://agency.example.org\" (without path); http:// needs agent.allowPlainHTTP = true.")
        }
        if !(1...AgencyParty.didBytes).contains(did.utf8.count) {
            reader.reject("agency.did", "is not a DID", "Copy what GET \(url)/agency shows as DID.")
        }
        guard let key = Verkey(Text(verkey)) else {
            reader.reject("agency.verkey", "is not a key", "Copy what GET \(url)/agency shows as verKey.")
            settings = nil
            return
        }
        if dialect == .node, tokenFile != nil {
            reader.reject(
                "agency.tokenFile", "is for the dialect \"evernym\"", "Leave it out, or change agency.dialect.")
        }
        var settings = AgencySettings(
            dialect, url: Text(url), agency: AgencyParty(did: Text(did), key: key), needsToken: tokenFile != nil)
        settings.limits.poll = poll
        settings.webhook = webhook.map { AgencySettings.Webhook(id: Text(kiosk), url: Text($0)) }
        self.settings = settings
    }
}
