package import Encoding
import Foundation
import Glibc

/// The output of the commands: plain lines in a pipe or file, coloured lines on a person's terminal.
package enum Terminal {
    /// Whether standard output is a terminal that understands control sequences (`TERM` is not `dumb`).
    package static let isInteractive =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    /// Whether the output is coloured: it is interactive, and `NO_COLOR` is not set (https://no-color.org).
    package static let hasColour = isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

    /// The styles of text that the commands use. The raw value is the number in the terminal's control sequence.
    package enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case amber = "33"
        case blue = "34"
    }

    /// Returns the text with styles; unchanged if the output is not coloured.
    package static func styled(_ text: String, _ styles: Style...) -> String {
        guard hasColour else { return text }
        return "\u{1B}[" + styles.map(\.rawValue).joined(separator: ";") + "m" + text + "\u{1B}[0m"
    }

    /// The maximum number of characters in a line: the width of the terminal, but at least 40, and at most 100 because
    /// longer lines are hard to read. Without a terminal it is 80.
    package static let columns: Int = {
        var size = winsize()
        guard isInteractive, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return min(max(Int(size.ws_col), 40), 100)
    }()

    /// Returns the text in lines of at most `columns` characters, broken at spaces. Each line after the first begins
    /// with `hanging` spaces. A word that is longer than a line is not broken, because it may be a path that a person
    /// copies.
    package static func folded(_ text: String, hanging: Int, columns: Int = columns) -> [String] {
        let margin = text.prefix { $0 == " " }
        let indent = String(repeating: " ", count: hanging)
        var lines: [String] = []
        var line = String(margin)
        var isEmpty = true
        for word in text.dropFirst(margin.count).split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, seen(line) + 1 + seen(word) > columns {
                lines.append(line)
                (line, isEmpty) = (indent, true)
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return lines + [line]
    }

    /// Returns a text without this program's styles, for a file.
    package static func unstyled(_ text: String) -> String { text.replacing(/\u{1B}\[[0-9;]*m/, with: "") }

    /// Returns the number of visible characters in a text with styles.
    private static func seen(_ text: some StringProtocol) -> Int {
        var (count, isStyle) = (0, false)
        for character in text {
            if character == "\u{1B}" { isStyle = true } else if !isStyle { count += 1 }
            if character == "m" { isStyle = false }
        }
        return count
    }

    /// Writes one line to standard output at once, even into a pipe. A line end inside the text becomes "?", so that
    /// text from outside cannot make a second line.
    package static func line(_ text: String = "") { put(safe(text, isLine: true) + "\n") }

    /// Writes a text, made safe by ``safe(_:)``, without a line end. `overwrites`: whether the text
    /// begins at the start of the present line.
    package static func write(_ text: String, overwrites: Bool = false) { put((overwrites ? "\r" : "") + safe(text)) }

    /// Writes a JSON value as one line.
    package static func json(_ value: JSON) { json(text: value.compactText) }

    /// Writes a JSON text as one line, made safe by ``safe(json:)``.
    package static func json(text: String) { put(safe(json: text) + "\n") }

    /// Writes a text that is data, such as N-Quads or a table. Into files and pipes it is written unchanged; on a
    /// terminal it is made safe by ``safe(_:)``.
    package static func data(_ text: String) { put(isatty(STDOUT_FILENO) == 1 ? safe(text) : text) }

    /// Writes to standard output. If that fails, prints an error and ends the program with exit code 2. Prints no error
    /// if the reader has closed the pipe, as after `| head`.
    private static func put(_ text: String) {
        let code = write(text, to: STDOUT_FILENO)
        guard code != 0 else { return }
        if code != EPIPE { error("cannot write the output: \(String(cString: strerror(code)))") }
        Foundation.exit(2)
    }

    /// Writes the whole text. Returns 0, or the errno of the failure. Does not use FileHandle, which traps when the
    /// disk is full.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EAGAIN {
                var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&ready, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return 0
    }

    /// Opens /dev/null for each standard stream that is closed. Otherwise the next opened file, such as the database,
    /// would become a standard stream. A program must call this function first, because the first suspension starts
    /// threads, which open files.
    package static func openMissingStreams() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", O_RDWR)
        }
    }

    /// Writes an error and its remedy to standard error.
    package static func error(_ message: String, remedy: String? = nil) { complain(text(of: message, remedy: remedy)) }

    /// Returns an error and its remedy as lines of text. All but the first line of each begin with four spaces, so that
    /// text from outside inside the message does not look like another line of this program.
    package static func text(of message: String, remedy: String?) -> String {
        func indented(_ text: String) -> String {
            text.split(whereSeparator: \.isNewline).joined(separator: "\n    ")
        }
        return "gatehouse: \(indented(message))\n" + (remedy.map { "  what to do: \(indented($0))\n" } ?? "")
    }

    /// Writes a text to standard error, made safe by ``safe(_:)`` and without styles.
    static func complain(_ text: String) { _ = write(safe(text, keepsStyles: false), to: STDERR_FILENO) }
}
