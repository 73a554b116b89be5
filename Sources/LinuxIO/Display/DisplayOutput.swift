import Glibc

/// Where visitors see the invitation.
package enum DisplayOutput: Hashable, Sendable {
    /// The terminal behind this descriptor. A real terminal is cleared first; into a pipe or file the code is appended.
    case terminal(Int32)
    /// A PNG file that another program shows; it is replaced in one step. `scale`: pixels a module.
    case file(String, scale: Int)
    /// Nothing.
    case none

    /// Shows the URI as a QR code with a caption below it.
    package func show(_ uri: String, caption: String) throws(SystemError) {
        let code: QRCode
        do { code = try QRCode(uri) } catch { throw SystemError("making a QR code", code: EMSGSIZE) }
        switch self {
        case .none: break
        case .file(let path, let scale): try FileBytes.replace(path, with: code.png(scale: scale))
        case .terminal(let descriptor):
            let isTerminal = isatty(descriptor) == 1
            let lines = code.terminalLines(colours: isTerminal) + [caption, uri]
            let text = (isTerminal ? "\u{1B}[H\u{1B}[2J" : "") + lines.joined(separator: "\n") + "\n"
            try Self.write(Array(text.utf8), to: descriptor)
        }
    }

    /// Takes the invitation away, when nobody can use it any more.
    package func clear() {
        switch self {
        case .file(let path, _): unlink(path)
        case .terminal(let descriptor):
            if isatty(descriptor) == 1 { try? Self.write(Array("\u{1B}[H\u{1B}[2J".utf8), to: descriptor) }
        case .none: break
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                throw SystemError("writing to the terminal", code: errno)
            }
        }
    }
}
