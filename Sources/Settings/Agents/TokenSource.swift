import Encoding

/// The source of a token for this gate from the operator's sponsor (`agency.token`): a file, or a server that
/// issues a new one for each request. A token is a secret until it is used: a failure contains nothing of it.
package enum TokenSource: Hashable, Sendable {
    /// The file of that absolute path.
    case file(String)
    /// The server at that URL, which is asked by GET.
    case link(String)

    /// Creates a source from the operator's setting: a URL, or a path relative to `folder`.
    init(_ text: String, in folder: ConfigurationFolder) {
        self = text.contains("://") ? .link(text) : .file(resolve(text, in: folder))
    }

    /// The file; nil for a server.
    package var file: String? { if case .file(let path) = self { path } else { nil } }

    /// Returns whether a token may be obtained that way: from a file, over TLS or, if plain HTTP is allowed
    /// at all, from this machine.
    func isAllowed(plainHTTP: Bool) -> Bool {
        guard case .link(let text) = self else { return true }
        guard let url = WebURL(Text(text)) else { return false }
        return url.isSecure || plainHTTP && (HostAddress(url.host.string)?.isLoopback ?? (url.host == "localhost"))
    }
}
