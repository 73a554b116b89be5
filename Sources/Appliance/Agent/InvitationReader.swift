package import Aries
import Encoding
import Foundation
package import HTTPTransport

/// Turns what an operator types into an invitation: a URL with the invitation in it, a URL that leads to one, or a file.
package enum InvitationReader {
    /// Why there is no invitation. ``remedy`` is for the operator.
    package enum Failure: Error, Hashable, Sendable {
        /// The text was read and is no usable invitation.
        case invitation(InvitationError)
        /// The file cannot be read.
        case file(path: String)
        /// The link cannot be fetched.
        case link(ExchangeError)
        /// The link leads from one to the next more than five times.
        case tooManyLinks

        /// One sentence for the operator.
        package var remedy: String {
            switch self {
            case .invitation(let error): error.remedy
            case .file(let path): "Cannot read \(path): give an existing file, or the invitation's URL in quotes."
            case .link(.forbidden): "The link is not allowed: plain http needs agent.allowPlainHTTP."
            case .link(.untrusted): "The link's server is not trusted: check its certificate and this machine's clock."
            case .link: "The link did not answer: check network and URL, or give the invitation itself."
            case .tooManyLinks: "The link leads in circles: give the invitation itself."
            }
        }
    }

    /// Links followed one after the other.
    static let maxLinks = 5

    /// Looks at a file without asking the network: what it holds is an invitation, or leads to one.
    package static func check(_ path: String) throws(Failure) { _ = try parse(try content(of: path)) }

    private static func content(of path: String) throws(Failure) -> [UInt8] {
        // One byte more than allowed is enough to be told that it is too large.
        guard let file = FileHandle(forReadingAtPath: path),
            let data = try? file.read(upToCount: InvitationText.maxBytes + 1)
        else { throw .file(path: path) }
        return Array(data)
    }

    /// Reads `argument`: JSON, a URL, or the path of a file that holds either.
    package static func read(_ argument: String, by exchange: HTTPExchange) async throws(Failure) -> Invitation {
        var text = Array(argument.utf8)
        if !argument.contains("://"), argument.first(where: { !$0.isWhitespace }) != "{" {
            text = try content(of: argument)
        }
        for _ in 0...maxLinks {
            switch try parse(text) {
            case .invitation(let invitation): return invitation
            case .link(let url): text = try await follow(url.string, by: exchange)
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

    /// What `url` leads to: the body, or the target of a redirect.
    private static func follow(_ url: String, by exchange: HTTPExchange) async throws(Failure) -> [UInt8] {
        do throws(ExchangeError) {
            let answer = try await exchange.get(
                url, accept: "application/json", limit: InvitationText.maxBytes, within: .seconds(10))
            if (300...399).contains(answer.status), let location = answer.location { return Array(location.utf8) }
            guard answer.status == 200 else { throw .refused(status: answer.status) }
            return answer.body
        } catch {
            throw .link(error)
        }
    }
}
