import Encoding

/// The source of a token for this gate, which the operator's sponsor issues (`agency.token`): a file, or a server
/// that issues a new token for each request. A token is secret until it is used, so no error contains any part of it.
package enum TokenSource: Hashable, Sendable {
    /// The file with the given absolute path.
    case file(String)
    /// The server with the given URL, which returns a token to a GET request.
    case link(String)

    /// Creates a source from the configured text: a URL, or a path relative to `folder`.
    init(_ text: String, in folder: ConfigurationFolder) {
        self = text.contains("://") ? .link(text) : .file(resolve(text, in: folder))
    }

    /// The path of the file; nil if the source is a server.
    package var file: String? { if case .file(let path) = self { path } else { nil } }

    /// Returns whether a token may come from this source. Permitted are files and servers with TLS; a server without
    /// TLS only if `plainHTTP` is true and it is on this machine.
    func isAllowed(plainHTTP: Bool) -> Bool {
        guard case .link(let text) = self else { return true }
        guard let url = WebURL(Text(text)) else { return false }
        return url.isSecure || plainHTTP && (HostAddress(url.host.string)?.isLoopback ?? (url.host == "localhost"))
    }
}
