import Glibc
import LinuxIO

/// A display on a file descriptor. On a terminal, each scene replaces the previous one. In a pipe or file, new codes
/// and new lines of events are appended.
package final class TerminalDisplay: DisplayDevice {
    /// The terminal shows all details, including the lines of events.
    package let detail = DisplayDetail.text
    private let descriptor: Int32
    private let isTerminal: Bool
    private var code: String?
    private var line = 0

    /// Creates a display on `descriptor`, which is never closed by this object.
    package init(_ descriptor: Int32) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
    }

    /// Draws the scene on a terminal. In a pipe or file, appends the code and the lines of events that are new.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        guard isTerminal else { return try append(scene) }
        var size = winsize()
        let isKnown = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
        let lines = TerminalPainter(columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24)
            .lines(scene)
        // Hide the cursor while the gate is in service. Clear each line only after its last character, so that the
        // picture does not flicker.
        let cursor = scene.state == .outOfService ? "\u{1B}[?25h" : "\u{1B}[?25l"
        let body = lines.map { $0 + "\u{1B}[0m\u{1B}[K" }.joined(separator: "\r\n")
        try write(cursor + "\u{1B}[H" + body + "\u{1B}[J" + (scene.state == .outOfService ? "\r\n" : ""))
    }

    /// Forgets what is shown, so that the next scene is drawn completely. Does not close the descriptor, because its
    /// owner closes it.
    package func close() { (code, line) = (nil, 0) }

    private func append(_ scene: DisplayScene) throws(DisplayFailure) {
        var text = ""
        if let uri = scene.code, code.map({ !$0.utf8.elementsEqual(uri.utf8) }) ?? true {
            let rows = (try? QRCode(uri))?.terminalLines(colours: false) ?? []
            text += (rows + ["\(scene.instruction): \(scene.name)", uri]).joined(separator: "\n") + "\n"
        }
        for news in scene.news where news.number > line { text += news.text + "\n" }
        if !text.isEmpty { try write(text) }
        (code, line) = (scene.code, max(line, scene.news.last?.number ?? 0))
    }

    private func write(_ text: String) throws(DisplayFailure) {
        do throws(SystemError) { try OpenFile(borrowing: descriptor, "to the terminal").write(text.utf8) } catch {
            throw DisplayFailure(error)
        }
    }
}
