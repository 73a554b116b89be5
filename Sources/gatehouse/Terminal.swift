import Foundation

/// What the commands print: plain lines for pipes, colour where a person looks on.
enum Terminal {
    /// Whether standard output is a terminal that wants colour (https://no-color.org is honoured).
    static let isInteractive = isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    static let hasColour = isInteractive && ProcessInfo.processInfo.environment["NO_COLOR"] == nil

    /// The text effects in use.
    enum Style: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case amber = "33"
        case blue = "34"
    }

    static func styled(_ text: String, _ styles: Style...) -> String {
        guard hasColour else { return text }
        return "\u{1B}[" + styles.map(\.rawValue).joined(separator: ";") + "m" + text + "\u{1B}[0m"
    }

    /// Writes a line to standard output at once, also into a pipe.
    static func line(_ text: String = "") {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }

    /// Writes text without a line end.
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    /// Writes an error and its remedy to standard error.
    static func error(_ message: String, remedy: String? = nil) {
        var text = "gatehouse: \(message)\n"
        if let remedy { text += "  what to do: \(remedy)\n" }
        FileHandle.standardError.write(Data(text.utf8))
    }
}

/// Reads whole files, with the error a person needs.
enum InputFile {
    /// The bytes of the file at `path`, or of standard input for `-`; at most `limit` bytes.
    static func bytes(_ path: String, limit: Int = 16 * 1024 * 1024) throws -> [UInt8] {
        do {
            let handle =
                path == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            let data = try handle.read(upToCount: limit + 1) ?? Data()
            guard data.count <= limit else {
                throw CommandFailure("\(path) is larger than \(limit) bytes", remedy: "give the credential alone")
            }
            return [UInt8](data)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(
                "cannot read \(path): \((error as NSError).localizedFailureReason ?? error.localizedDescription)",
                remedy: "check the path and its permissions")
        }
    }
}
