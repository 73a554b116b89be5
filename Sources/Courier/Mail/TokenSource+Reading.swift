import Encoding
import Foundation
import Glibc
package import HTTPTransport
import LinuxIO
package import Mailboxes
package import Settings

extension TokenSource {
    /// The maximum size of a token in bytes.
    private static let maxBytes = 16 * 1024
    /// The time limit for the complete answer of the server.
    private static let timeLimit = Duration.seconds(10)

    /// The longest wait between two attempts to get a token. It limits the number of requests to the server, and to
    /// the agency that gets the server's tokens. For a file the wait is zero.
    var longestPause: Duration { file == nil ? .seconds(15 * 60) : .zero }

    /// Reads the token from the file, or fetches it in one exchange of at most ``timeLimit`` and ``maxBytes``.
    package func token(by exchange: HTTPExchange) async throws(Failure) -> ProvisionToken {
        switch self {
        case .file(let path): return try read(try content(of: path))
        case .link(let url):
            let answer: HTTPExchange.Answer
            do {
                answer = try await exchange.get(
                    url, accept: "application/json", limit: Self.maxBytes, within: Self.timeLimit)
            } catch {
                throw .link(host: place, error)
            }
            guard answer.status == 200 else { throw .link(host: place, .refused(status: answer.status)) }
            return try read(answer.body)
        }
    }

    /// Checks the file with the token before the service runs. A server is not asked: it would issue a token that is
    /// then lost.
    package func check() throws(Failure) {
        guard case .file(let path) = self else { return }
        _ = try read(try content(of: path))
        var status = stat()
        // The group may read the file: an administrator may own it and the service may read it as a member of its
        // group.
        if stat(path, &status) == 0, status.st_mode & 0o027 != 0 { throw .exposed(path) }
    }

    private func content(of path: String) throws(Failure) -> [UInt8] {
        var status = stat()
        if stat(path, &status) != 0, errno == ENOENT { throw .missing(path) }
        // Read one byte more than the limit, to notice a file that is too large.
        guard FileBytes.isFile(path), let bytes = FileBytes.read(path, limit: Self.maxBytes + 1) else {
            throw .unreadable(path)
        }
        if bytes.allSatisfy({ " \t\r\n".utf8.contains($0) }) { throw .empty(path) }
        return bytes
    }

    private func read(_ bytes: [UInt8]) throws(Failure) -> ProvisionToken {
        guard bytes.count <= Self.maxBytes, let json = try? JSON.parse(bytes), let token = try? ProvisionToken(json)
        else { throw .notAToken(place) }
        return token
    }

    /// The name of the source for a failure. For a URL it is only the host, because the rest of the URL may contain a
    /// password.
    private var place: String {
        switch self {
        case .file(let path): path
        case .link(let url): WebURL(Text(url))?.host.string ?? "its server"
        }
    }
}

extension TokenSource {
    /// The reason why no token can be obtained. ``text`` and ``remedy`` are for the operator.
    package enum Failure: Error, Hashable, Sendable {
        /// The file at the given path does not exist.
        case missing(String)
        /// No regular file is at the given path, or the file cannot be read.
        case unreadable(String)
        /// The file at the given path is empty.
        case empty(String)
        /// The file at the given path is usable, but other users can read or change it.
        case exposed(String)
        /// The server `host` issues no token, for the given reason.
        case link(host: String, ExchangeError)
        /// The content of the file, or the answer of the server, is no token. The text is the file's path or the
        /// server's host.
        case notAToken(String)

        /// The problem, in plain words.
        package var text: String {
            switch self {
            case .missing(let path): "the sponsor's token does not exist: \(path)"
            case .unreadable(let path): "the sponsor's token cannot be read: \(path)"
            case .empty(let path): "the file for the sponsor's token is empty: \(path)"
            case .exposed(let path): "other users can read or change the sponsor's token: \(path)"
            case .link(let host, .refused(let status)): "no sponsor's token: \(host) answers \(status)"
            case .link(let host, _): "no sponsor's token comes from \(host)"
            case .notAToken(let place): "the content of \(place) is not a sponsor's token"
            }
        }

        /// The remedy for the operator.
        package var remedy: String {
            switch self {
            case .missing, .empty:
                "store the token there, as the sponsor's service wrote it; the service uses it "
                    + "immediately"
            case .unreadable: "it must be a file that the service's user may read: its group, mode 0640"
            case .exposed: "restrict the permissions: mode 0640 with the service's group, or 0600 with its user"
            case .link(_, .forbidden): "check agency.token: https, or http to this machine with agent.allowPlainHTTP"
            case .link(_, .untrusted):
                "check its certificate and this machine's clock; add your own certificate authority to agent.rootsFile"
            case .link(_, .refused(let status)) where (300...399).contains(status):
                "redirects are not followed: set agency.token to the final address"
            case .link(_, .refused): "check agency.token and the sponsor's service"
            case .link(_, .tooLarge), .notAToken:
                "it must be only the token: a JSON object with sponseeId, sponsorId, nonce, timestamp, sig and "
                    + "sponsorVerKey, signed by that key"
            case .link: "check the network and the sponsor's service; the service retries"
            }
        }
    }
}
