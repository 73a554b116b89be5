package import Aries
package import Encoding
import Foundation
package import HTTPTransport
package import LinuxIO

/// Reads an invitation from an operator's input: a URL that contains the invitation, a URL from which it can be
/// fetched, or the path of a file.
package enum InvitationReader {
    /// The reason why an input leads to no invitation. ``text`` and ``remedy`` are for the operator.
    package enum Failure: Error, Hashable, Sendable {
        /// The input was read, but is no usable invitation, for the given reason.
        case invitation(InvitationError)
        /// The file cannot be read.
        case file(path: String, FileObstacle? = nil)
        /// The URL cannot be fetched, for the given reason.
        case link(ExchangeError)
        /// The server has no resource at the URL (404, 410).
        case gone
        /// The server `host` requires a sign-in (401, 403, 407).
        case signIn(host: String)
        /// The server `host` returned a web page, not an invitation.
        case page(host: String)
        /// The URL leads to a chain of more than ``maxLinks`` further URLs.
        case tooManyLinks

        /// The problem, in plain words.
        package var text: String {
            switch self {
            case .invitation: "no usable invitation was given"
            case .file: "no invitation was found"
            case .link, .tooManyLinks: "the invitation cannot be fetched"
            case .gone: "the invitation cannot be fetched: the link does not exist"
            case .signIn(let host): "the invitation cannot be fetched: \(host) requires a sign-in"
            case .page(let host):
                "the link leads to a web page at \(host), perhaps a sign-in page, not to an invitation"
            }
        }

        /// The remedy in one sentence, for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .file(let path, let obstacle):
                "\(path) \(obstacle?.text ?? "cannot be read"). "
                    + (obstacle?.remedy ?? "Give an existing file, or the invitation's URL in quotes.")
            case .link(.forbidden):
                "The link is not allowed: it must be https://HOST, plain http needs agent.allowPlainHTTP, and a port is from 1 to "
                    + "65535."
            case .link(.untrusted):
                "The link's server is not trusted: check its certificate and this machine's clock; add your own "
                    + "certificate authority to agent.rootsFile."
            case .link(.tooLarge):
                "The document at the link is larger than 64 KiB and not an invitation: give the invitation itself."
            case .link(.refused(let status)):
                "The link's server answers with status \(status): ask for a new link, or give the invitation itself."
            case .link: "The link did not answer: check network and URL, or give the invitation itself."
            case .gone: "The link is truncated, used up or expired: copy it again in quotes, or ask for a new one."
            case .signIn, .page:
                "Open the link in a browser, sign in, and give the result: the invitation's URL, or a file with its "
                    + "JSON. On a hotspot, sign in to the network first."
            case .tooManyLinks: "The link redirects in circles: give the invitation itself."
            }
        }
    }

    /// The maximum number of URLs that are fetched one after another.
    static let maxLinks = 5

    /// Checks that the file contains an invitation or the URL of one. Does not use the network.
    package static func check(_ path: String) throws(Failure) { _ = try parse(try content(of: path)) }

    /// Returns the invitation that the text itself contains. Uses neither network nor disk.
    package static func invitation(in text: Text) throws(Failure) -> Invitation {
        guard case .invitation(let invitation) = try parse(Array(text.utf8)) else {
            throw .invitation(.notAnInvitation)
        }
        return invitation
    }

    private static func content(of path: String) throws(Failure) -> [UInt8] {
        // Read one byte more than the limit, to notice a file that is too large.
        guard let bytes = FileBytes.beginning(path, limit: InvitationText.maxBytes + 1) else {
            throw .file(path: path, FileObstacle(path))
        }
        return bytes
    }

    /// Reads an invitation from `argument`: JSON, a URL, or the path of a file that contains JSON or a URL.
    package static func read(_ argument: String, by exchange: HTTPExchange) async throws(Failure) -> Invitation {
        var text = Array(argument.utf8)
        if !argument.contains("://"), argument.first(where: { !$0.isWhitespace }) != "{" {
            text = try content(of: argument)
        }
        for followed in 0...maxLinks {
            switch try parse(text) {
            case .invitation(let invitation): return invitation
            case .link(let url):
                guard followed < maxLinks else { throw .tooManyLinks }
                text = try await follow(url.string, by: exchange)
            }
        }
        throw .tooManyLinks
    }

    private static func parse(_ text: [UInt8]) throws(Failure) -> InvitationText {
        do {
            return try InvitationText.read(text)
        } catch {
            throw .invitation(error)
        }
    }

    /// Fetches `url`. Returns the body of the answer, or the URL to which the server redirects.
    private static func follow(_ url: String, by exchange: HTTPExchange) async throws(Failure) -> [UInt8] {
        let answer: HTTPExchange.Answer
        do {
            answer = try await exchange.get(
                url, accept: "application/json", limit: InvitationText.maxBytes, within: .seconds(10))
        } catch {
            throw .link(error)
        }
        switch answer.status {
        case 301, 302, 303, 307, 308:
            guard let target = answer.location.flatMap({ resolve($0, from: url) }) else {
                throw .link(.refused(status: answer.status))
            }
            return Array(target.utf8)
        case 200 where isPage(answer): throw .page(host: host(of: url))
        case 200: return answer.body
        case 401, 403, 407: throw .signIn(host: host(of: url))
        case 404, 410: throw .gone
        default: throw .link(.refused(status: answer.status))
        }
    }

    /// Returns the absolute URL of a redirect (RFC 9110 section 10.2.2). `location`, the value of the header field,
    /// may be relative to `url` (RFC 3986 section 5). Returns nil if the result is no URL.
    static func resolve(_ location: String, from url: String) -> String? {
        // Return an absolute URL byte for byte: it may contain the invitation.
        if location.contains(/^[A-Za-z][A-Za-z0-9+.\-]*:\/\//) { return location }
        return URL(string: url).flatMap { URL(string: location, relativeTo: $0)?.absoluteString }
    }

    private static func isPage(_ answer: HTTPExchange.Answer) -> Bool {
        ["text/html", "application/xhtml+xml"].contains(answer.contentType)
            || answer.body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "<")
    }

    private static func host(of url: String) -> String { WebURL(Text(url))?.host.string ?? "its server" }
}
