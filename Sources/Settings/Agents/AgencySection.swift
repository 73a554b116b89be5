import DIDComm
package import Encoding
package import Mailboxes

/// `[agency]`: an agency (such as Evernym's) that is the gate's mailbox. It is used if `agent.mailbox` is `agency`.
package struct AgencySection: Sendable {
    /// The receiver of the agency's webhook.
    package struct Listener: Hashable, Sendable {
        /// The address and port on this machine at which the gate listens.
        package let address: ListenAddress
        /// The path and the query of the webhook's URL, which requests must have.
        package let target: String
    }

    /// The agency and how the gate uses it; nil if the agency is not the mailbox.
    package let settings: AgencySettings?
    /// The source of the sponsor's token; nil if the agency requires none.
    package let token: TokenSource?
    /// The receiver of the webhook by which the agency announces messages; nil if the gate does not listen.
    package let listener: Listener?

    init(
        _ reader: inout ConfigurationReader, _ folder: ConfigurationFolder, isUsed: Bool, kiosk: String,
        agent: AgentSection
    ) {
        let allowsPlainHTTP = agent.allowPlainHTTP
        let dialect: AgencyDialect = reader.choice("agency.dialect", default: .node)
        let url = reader.text("agency.url", default: "")
        let did = reader.text("agency.did", default: "")
        let verkey = reader.text("agency.verkey", default: "")
        token = reader.optional("agency.token").map { TokenSource($0, in: folder) }
        let webhook = reader.optional("agency.webhook")
        let listen = reader.optional("agency.webhookListen")
        let poll = reader.duration(
            "agency.poll", default: .seconds(20), in: .seconds(1)...(.seconds(24 * 3600)))
        guard isUsed else {
            (settings, listener) = (nil, nil)
            return
        }
        if WebURL(Text(url)).map({ $0.isSecure || allowsPlainHTTP }) != true {
            reader.reject(
                "agency.url", "is not a permitted URL",
                "Write url = \"https://agency.example.org\" (without path); http:// needs agent.allowPlainHTTP = true.")
        }
        if token?.isAllowed(plainHTTP: allowsPlainHTTP) == false {
            reader.reject(
                "agency.token", "is not a permitted URL",
                "Write the path of a file, or https://…; http:// only to this machine, with agent.allowPlainHTTP = true."
            )
        }
        if dialect == .node, token != nil {
            reader.reject("agency.token", "is for the dialect \"evernym\"", "Remove it, or change agency.dialect.")
        }
        if dialect.hasLongPoll, agent.timeout <= AgencyLongPoll.wait {
            reader.warn(
                "agent.timeout",
                "is too short for the agency to announce messages: messages wait for the next poll",
                "Write timeout = \"20s\", or more.")
        }
        listener = Self.listener(&reader, webhook, listen)
        if !(1...AgencyParty.didBytes).contains(did.utf8.count) {
            reader.reject("agency.did", "is not a DID", "Copy DID from the answer of GET \(url)/agency.")
        }
        guard let key = Verkey(Text(verkey)) else {
            reader.reject("agency.verkey", "is not a key", "Copy verKey from the answer of GET \(url)/agency.")
            settings = nil
            return
        }
        var settings = AgencySettings(
            dialect, url: Text(url), agency: AgencyParty(did: Text(did), key: key), needsToken: token != nil)
        settings.limits.poll = poll
        settings.webhook = webhook.map { AgencySettings.Webhook(id: Text(kiosk), url: Text($0)) }
        self.settings = settings
    }

    /// Checks `agency.webhook` and `agency.webhookListen`, and returns the receiver that they describe; nil if they
    /// describe none.
    private static func listener(
        _ reader: inout ConfigurationReader, _ webhook: String?, _ address: String?
    ) -> Listener? {
        guard let webhook else {
            if address != nil {
                reader.reject(
                    "agency.webhookListen", "has no webhook to listen for",
                    "Write webhook = \"https://kiosk.example.org/wake\" as well, or remove it.")
            }
            return nil
        }
        // Remove the fragment, because clients do not send it.
        guard let target = WebURL(Text(String(webhook.prefix { $0 != "#" })))?.target.string else {
            reader.reject(
                "agency.webhook", "is not a URL", "Write webhook = \"https://kiosk.example.org/wake\", or remove it."
            )
            return nil
        }
        guard let address else {
            reader.warn(
                "agency.webhook",
                "is given to the agency, but agency.webhookListen is not set: messages wait for the "
                    + "next poll",
                "Write webhookListen = \"127.0.0.1:8095\" and forward requests for the URL to it.")
            return nil
        }
        guard let address = ListenAddress(address), address.port >= 1024 else {
            reader.reject(
                "agency.webhookListen", "is not an address with a port",
                "Write webhookListen = \"127.0.0.1:8095\": an IP address of this machine and a port from 1024 on.")
            return nil
        }
        return Listener(address: address, target: target)
    }
}
