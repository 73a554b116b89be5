package import Encoding

/// An error that an agency reports. Verity reports a code; the Node agency answers every error with HTTP 500 and no
/// cause.
package struct AgencyProblem: Error, Hashable, Sendable {
    /// The code of the problem, such as `GNR-115`, cut to 128 bytes; `http-STATUS` if the answer has no code.
    package let code: Text
    /// The kind of the problem, which determines what the gate does.
    package let kind: Kind

    /// The kinds of problems that the gate handles differently.
    package enum Kind: Hashable, Sendable {
        /// The agency cannot answer now, but may later: GNR-100, AEPSS-101 to 106, and HTTP 5xx without a known code.
        case busy
        /// A value is not allowed, or the message's state does not permit the request: GNR-115.
        case invalid
        /// The object that the request names does not exist: GNR-113, GNR-114.
        case notFound
        /// The gate is not authorised: GNR-121, HTTP 401 and 403.
        case unauthorised
        /// The gate's key was connected before: CS-101.
        case alreadyConnected
        /// The key was never connected: CS-102.
        case notConnected
        /// The connection is deleted: CS-103.
        case deleted
        /// The agency has accepted the connection's key before: CS-104.
        case keyTaken
        /// The gate has an agent already: ACS-101.
        case agentExists
        /// The agency creates an agent only for a sponsor's token: ACS-103.
        case needsToken
        /// The gate is registered already: ARS-101.
        case registered
        /// The gate is not registered yet: ARS-102.
        case notRegistered
        /// Any other problem.
        case other
    }

    /// Creates the problem with the code `code`.
    package init(code: Text) {
        let kind: Kind =
            switch code {
            case "GNR-100", "AEPSS-101", "AEPSS-102", "AEPSS-103", "AEPSS-104", "AEPSS-105", "AEPSS-106": .busy
            case "GNR-113", "GNR-114": .notFound
            case "GNR-115": .invalid
            case "GNR-121": .unauthorised
            case "CS-101": .alreadyConnected
            case "CS-102": .notConnected
            case "CS-103": .deleted
            case "CS-104": .keyTaken
            case "ACS-101": .agentExists
            case "ACS-103": .needsToken
            case "ARS-101": .registered
            case "ARS-102": .notRegistered
            default: .other
            }
        self.init(code, kind)
    }

    /// Creates the problem of an answer with the HTTP status `status`, which is outside 2xx. A body of more than 16 KiB
    /// is ignored.
    package init(status: Int, body: [UInt8]) {
        if body.count <= 16 * 1024, let code = (try? JSON.parse(body))?["statusCode"]?.string, !code.isEmpty {
            let named = AgencyProblem(code: code)
            self.init(code, named.kind == .other && status >= 500 ? .busy : named.kind)
            return
        }
        let kind: Kind =
            switch status {
            case 401, 403: .unauthorised
            case 408, 429, 500...: .busy
            default: .other
            }
        self.init(Text("http-\(status)"), kind)
    }

    private init(_ code: Text, _ kind: Kind) {
        (self.code, self.kind) = (code.prefix(bytes: 128), kind)
    }
}
