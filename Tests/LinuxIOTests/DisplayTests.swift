import Encoding
import Foundation
import Glibc
import TestKit
import Testing

@testable import Displays
@testable import LinuxIO

/// Returns an invitation with the longest possible name.
private func invitation(_ seed: UInt64 = 1, name: String = "Fourteen-Bytes") -> String {
    var state = seed
    let key = (0..<32).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 56)
    }
    return "OPENID4VP://connect?name=\(name)&key=\(Hex.encode(key))"
}

extension Bitmap {
    /// The text that a QR reader finds in the picture.
    fileprivate var code: String? {
        QRReader.read(width: width, height: height) { ink(x: $0, y: $1) == .dark }
    }
}

@Suite("QR code")
struct QRCodeTests {
    @Test("a QR code has its three finder patterns and timing lines")
    func structure() throws {
        let code = try QRCode(invitation())
        for (left, top) in [(0, 0), (code.side - 7, 0), (0, code.side - 7)] {
            for y in 0..<7 {
                for x in 0..<7 {
                    let ring = max(abs(x - 3), abs(y - 3))
                    #expect(code.isDark(x: left + x, y: top + y) == (ring != 2))
                }
            }
        }
        for place in 8..<code.side - 8 {
            #expect(code.isDark(x: place, y: 6) == place.isMultiple(of: 2))
            #expect(code.isDark(x: 6, y: place) == place.isMultiple(of: 2))
        }
        #expect(!code.isDark(x: -1, y: 0) && !code.isDark(x: 0, y: code.side))
    }

    @Test("every invitation, the longest name's too, has 37 modules and reads back")
    func size() throws {
        for seed in 1...300 as ClosedRange<UInt64> {
            for name in ["G", "North-Gate", "Fourteen-Bytes", "ABCDEFGHIJKLMN", "12345678901234"] {
                let text = invitation(seed, name: name)
                let code = try QRCode(text)
                #expect(code.side == 37, "\(text)")
                var picture = Bitmap(width: 45, height: 45)
                picture.draw(code, x: 0, y: 0, scale: 1)
                #expect(picture.code == text)
            }
        }
    }

    @Test("error correction is as strong as the modules allow")
    func level() throws {
        // Capacity of version 1 in bytes: 17 at level L, 14 at level M. The fourth bit of the format is clear
        // at level M.
        for (count, isStrong) in [(10, true), (16, false)] {
            let code = try QRCode(String(repeating: "x", count: count))
            #expect(code.side == 21)
            let format = (0..<5).reduce(0) { $0 << 1 | (code.isDark(x: $1, y: 8) ? 1 : 0) } ^ 0b10101
            #expect(format >> 3 == (isStrong ? 0b00 : 0b01))
        }
    }

    @Test("a text beyond the largest symbol is an error, and so is none or one with an end in it")
    func tooLong() {
        for text in [String(repeating: "x", count: 3000), "", "a\u{0}b"] {
            #expect(throws: QRCode.TooLong.self) { try QRCode(text) }
        }
    }

    @Test("terminal lines hold every module twice over: both renderings read back")
    func terminal() throws {
        let code = try QRCode(invitation())
        for colours in [true, false] {
            let lines = code.terminalLines(colours: colours)
            #expect(lines.count == (code.side + 8 + 1) / 2)
            for (row, line) in lines.enumerated() {
                let start = "\u{1B}[38;5;16;48;5;231m"
                #expect(!colours || line.hasPrefix(start) && line.hasSuffix("\u{1B}[0m"))
                let cells = Array(colours ? line.dropFirst(start.count).dropLast(4) : line[...])
                #expect(cells.count == code.side + 8)
                for (column, cell) in cells.enumerated() {
                    let (upper, lower) = ("█▀".contains(cell), "█▄".contains(cell))
                    #expect((upper == colours) == code.isDark(x: column - 4, y: 2 * row - 4))
                    #expect((lower == colours) == code.isDark(x: column - 4, y: 2 * row - 3))
                }
            }
        }
    }
}

@Suite("Pictures")
struct PictureTests {
    private var scene: DisplayScene {
        var scene = DisplayScene(name: "Fourteen-Bytes")
        scene.code = invitation()
        return scene
    }

    @Test(
        "the code is whole on every panel that has room for it, whatever else is shown",
        arguments: [
            (128, 64), (128, 128), (64, 128), (250, 122), (122, 250), (296, 128), (240, 240), (320, 240), (480, 320),
            (93, 45),
            (800, 480), (720, 405),
        ])
    func code(_ width: Int, _ height: Int) {
        #expect(ScenePainter.hasRoomForCode(width: width, height: height))
        var painter = ScenePainter(width: width, height: height)
        var crowded = scene
        crowded.guests = (0..<8).map { .init(mark: "\($0)f2a", stage: .receiving(percent: 10 * $0)) }
        for outcome in [nil, .accepted, .rejected, .failed] as [DisplayScene.Result.Outcome?] {
            crowded.result = outcome.map { .init(mark: "3f2a", outcome: $0) }
            let picture = painter.paint(crowded)
            #expect((picture.width, picture.height) == (width, height))
            // The text has dark pixels next to the code, so only the left or upper part of the picture is
            // read.
            let isBeside = picture.width > picture.height
            let span = min(width, height)
            let read = QRReader.read(width: isBeside ? span : width, height: isBeside ? height : span) {
                picture.ink(x: $0, y: $1) == .dark
            }
            #expect(read == crowded.code || Self.readsAlone(picture, crowded.code), "\(width) × \(height)")
        }
    }

    /// Returns whether the code is somewhere in the picture, with its quiet zone.
    private static func readsAlone(_ picture: Bitmap, _ code: String?) -> Bool {
        for scale in 1...max(1, min(picture.width, picture.height) / 45) {
            let span = 45 * scale
            for (x, y) in [
                (0, (picture.height - span) / 2), ((picture.width - span) / 2, 0),
            ] where x >= 0 && y >= 0 {
                let read = QRReader.read(width: span, height: span) { picture.ink(x: x + $0, y: y + $1) == .dark }
                if read == code { return true }
            }
        }
        return false
    }

    @Test("a panel without room for the code shows the rest")
    func small() {
        #expect(!ScenePainter.hasRoomForCode(width: 128, height: 32))
        var painter = ScenePainter(width: 128, height: 32)
        let idle = painter.paint(scene)
        var told = scene
        told.result = .init(mark: "3f2a", outcome: .accepted)
        let accepted = painter.paint(told)
        told.result = .init(mark: "3f2b", outcome: .accepted)
        #expect(idle.lightBits != accepted.lightBits && painter.paint(told).lightBits != accepted.lightBits)
    }

    @Test("no code is shown by a gate that serves no visitor")
    func outOfOrder() {
        var painter = ScenePainter(width: 250, height: 122)
        for state in [.outOfOrder(remedy: "Plug the adapter in."), .outOfService] as [DisplayScene.State] {
            var told = scene
            told.state = state
            var blank = told
            blank.code = nil
            #expect(painter.paint(told) == painter.paint(blank) && painter.paint(told).code == nil)
        }
    }

    @Test("verdicts differ without colours, and whose they are is seen")
    func verdicts() {
        var painter = ScenePainter(width: 128, height: 64)
        var seen: Set<[UInt8]> = []
        for outcome in [.accepted, .rejected, .failed] as [DisplayScene.Result.Outcome] {
            for mark in ["3f2a", "91c0"] {
                var told = scene
                told.result = .init(mark: mark, outcome: outcome)
                seen.insert(painter.paint(told).lightBits)
            }
        }
        #expect(seen.count == 6)
    }

    @Test("sizes of nothing, and texts of any kind, are drawn without harm")
    func odd() {
        for (width, height) in [(0, 0), (1, 1), (7, 200), (200, 7), (45, 45), (-3, 5)] {
            var painter = ScenePainter(width: width, height: height)
            var told = scene
            _ = painter.paint(told)
            told.name = "Ünï…\u{1F600}\u{0}"
            told.instruction = String(repeating: "long ", count: 100)
            told.code = nil
            told.guests = [
                .init(mark: "", stage: .receiving(percent: -5)), .init(mark: "x", stage: .receiving(percent: 900)),
            ]
            _ = painter.paint(told)
            told.result = .init(mark: "", outcome: .failed)
            _ = painter.paint(told)
        }
    }

    @Test("a picture turned four times is itself")
    func rotation() {
        var painter = ScenePainter(width: 128, height: 64)
        let picture = painter.paint(scene)
        let quarter = picture.rotated(quarters: 1)
        #expect((quarter.width, quarter.height) == (64, 128) && quarter.ink(x: 63, y: 0) == picture.ink(x: 0, y: 0))
        #expect(quarter.ink(x: 64 - 1 - 20, y: 7) == picture.ink(x: 7, y: 20))
        #expect(quarter.rotated(quarters: 3) == picture && picture.rotated(quarters: -4) == picture)
    }

    @Test("a PNG is complete and shows the picture", arguments: [(93, 45), (33, 50)])
    func png(_ width: Int, _ height: Int) throws {
        var painter = ScenePainter(width: width, height: height)
        var told = scene
        told.result = .init(mark: "3f2a", outcome: .rejected)
        let picture = painter.paint(told)
        #expect(try decode(PNG.encode(picture)) == picture.pixels)
    }

    @Test("the checksum of an empty last chunk is the well-known one")
    func checksum() {
        #expect(PNG.encode(Bitmap(width: 1, height: 1)).suffix(4) == [0xAE, 0x42, 0x60, 0x82])
    }
}

/// Returns the palette index of each pixel of a PNG as the product writes it; throws for anything else.
private func decode(_ png: [UInt8]) throws -> [UInt8] {
    var reader = ByteReader(png)
    #expect(Array(try reader.take(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    var (width, height) = (0, 0)
    var rows: [UInt8] = []
    for type in ["IHDR", "PLTE", "IDAT", "IEND"] {
        let length = try reader.uint32BE()
        try #require(Array(try reader.take(4)) == Array(type.utf8))
        var data = ByteReader(Array(try reader.take(Int(length))))
        _ = try reader.uint32BE()
        switch type {
        case "IHDR":
            (width, height) = (Int(try data.uint32BE()), Int(try data.uint32BE()))
            #expect(Array(try data.take(5)) == [2, 3, 0, 0, 0])
        case "PLTE": #expect(length == 12)
        case "IDAT": rows = try Gzip.inflate(Array(try data.take(Int(length))), container: .zlib, limit: 1 << 24)
        default: #expect(length == 0)
        }
    }
    #expect(reader.remaining == 0)
    let stride = 1 + (width + 3) / 4
    try #require(rows.count == stride * height)
    return (0..<height).flatMap { y in
        (0..<width).map { x in rows[y * stride + 1 + x / 4] >> UInt8(6 - x % 4 * 2) & 3 }
    }
}

@Suite("Display devices")
struct DisplayDeviceTests {
    private var scene: DisplayScene {
        var scene = DisplayScene(name: "Fourteen-Bytes")
        scene.code = invitation()
        return scene
    }

    @Test("a file is replaced in one step, never gone and never half, and says so when the gate is out of service")
    func file() async throws {
        let folder = try TestFolder()
        let file = PictureFile("\(folder.path)/code.png", scale: 1)
        var told = scene
        try file.show(told)
        #expect(FileManager.default.fileExists(atPath: folder.path + "/code.png"))
        let path = folder.path + "/code.png"
        let viewer = Task.detached {
            var looks = 0
            repeat {
                guard let picture = FileManager.default.contents(atPath: path) else { return -1 }
                guard (try? decode([UInt8](picture))) != nil else { return -2 }
                looks += 1
            } while !Task.isCancelled
            return looks
        }
        for seed in 0..<100 as Range<UInt64> {
            told.code = seed % 3 == 0 ? nil : invitation(seed)
            try file.show(told)
        }
        viewer.cancel()
        let looks = await viewer.value
        #expect(looks > 0)
        told.state = .outOfService
        try file.show(told)
        var painter = ScenePainter(width: 93, height: 45)
        #expect(try decode(folder.bytes("code.png")) == painter.paint(told).pixels)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["code.png"])
        #expect(throws: DisplayFailure.self) { try PictureFile("/no/such/x.png", scale: 1).show(told) }
    }

    @Test("into a pipe go codes and lines, each once")
    func pipe() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_STREAM)
        defer { close(theirs) }
        let terminal = TerminalDisplay(ours)
        var told = scene
        told.news = [.init(number: 1, text: "one")]
        try terminal.show(told)
        told.news.append(.init(number: 2, text: "two"))
        told.guests = [.init(mark: "3f2a", stage: .checking)]
        try terminal.show(told)
        try terminal.show(told)
        told.code = invitation(2)
        try terminal.show(told)
        close(ours)
        let text = String(decoding: Sockets.readAll(theirs, 1 << 20), as: UTF8.self)
        #expect(!text.contains("\u{1B}"))
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count == 2 * (23 + 2) + 2)
        #expect(lines[23...26] == ["Scan with your wallet: Fourteen-Bytes", invitation(), "one", "two"])
        #expect(lines.last == invitation(2))
    }

    @Test("a terminal of 80 × 24 shows the whole code, and all the text next to it", .tags(.realTime))
    func terminal() throws {
        let (master, line) = try Sockets.pseudoTerminal()
        let other = open(line, O_RDWR | O_NOCTTY)
        defer {
            close(master)
            close(other)
        }
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)
        let terminal = TerminalDisplay(other)
        var told = scene
        told.news = (1...64).map {
            .init(number: $0, text: "● ○ ○ ○  3f2a  a line that is longer than there is room beside the code")
        }
        told.guests = (0..<8).map { .init(mark: "\($0)f2a", stage: .receiving(percent: 10 * $0)) }
        for outcome in [nil, .accepted, .rejected, .failed] as [DisplayScene.Result.Outcome?] {
            told.result = outcome.map { .init(mark: "3f2a", outcome: $0) }
            nonisolated(unsafe) let device = terminal
            // A write to the terminal blocks until the test reads, so `show` runs on a thread of its own.
            let isShown = DispatchSemaphore(value: 0)
            Thread { [told] in
                try? device.show(told)
                isShown.signal()
            }.start()
            var screen = Screen()
            var text: [UInt8] = []
            while !String(decoding: text, as: UTF8.self).hasSuffix("\u{1B}[J") {
                try #require(Sockets.waitReadable(master))
                text += Sockets.readAll(master, 1)
            }
            isShown.wait()
            screen.feed(String(decoding: text, as: UTF8.self))
            #expect(screen.isWithin(columns: 80, rows: 24))
            let code = QRReader.read(width: 45, height: 46) { screen.isDark(column: $0, halfRow: $1) }
            #expect(code == told.code, "the code alone, in its first 45 columns")
            #expect(screen.text.contains("Fourteen-Bytes"))
            let word = outcome.map { $0 == .accepted ? "ACCEPTED" : $0 == .rejected ? "REJECTED" : "Try again" }
            #expect(screen.text.contains((word ?? "7f2a") + (word == nil ? "" : "  3f2a")))
        }
    }

    @Test("a terminal that is too small says so, and wide letters move nothing")
    func smallTerminal() {
        var told = scene
        for (columns, rows) in [(44, 24), (80, 22), (1, 1), (0, 0)] {
            let lines = TerminalPainter(columns: columns, rows: rows).lines(told)
            #expect(lines.count <= rows && !lines.joined().contains("█"))
        }
        #expect(
            TerminalPainter(columns: 80, rows: 22).lines(told).joined(separator: " ").contains("45 columns and 23 rows")
        )
        told.news = [.init(number: 1, text: "漢字 é\u{301} \u{1F600}")]
        let text = TerminalPainter(columns: 80, rows: 24).lines(told).joined(separator: "\n")
        #expect(text.contains("?? ?? ?") && !text.contains("漢"))
    }

    /// A terminal that interprets the product's output: cells, and whether each was written in black on
    /// white.
    private struct Screen {
        private var cells: [[(character: Character, isInk: Bool)]] = [[]]
        private var isInk = false

        var text: String { cells.map { String($0.map(\.character)) }.joined(separator: "\n") }

        func isWithin(columns: Int, rows: Int) -> Bool {
            cells.count <= rows && cells.allSatisfy { $0.count <= columns }
        }

        func isDark(column: Int, halfRow: Int) -> Bool {
            guard cells.indices.contains(halfRow / 2), cells[halfRow / 2].indices.contains(column) else { return false }
            let cell = cells[halfRow / 2][column]
            return cell.isInk && (halfRow % 2 == 0 ? "█▀" : "█▄").contains(cell.character)
        }

        mutating func feed(_ output: String) {
            var rest = output.unicodeScalars[...]
            while let scalar = rest.popFirst() {
                switch scalar {
                case "\u{1B}":
                    _ = rest.popFirst()
                    let sequence = rest.prefix { !$0.properties.isAlphabetic }
                    rest = rest.dropFirst(sequence.count)
                    let end = rest.popFirst()
                    if end == "m" { isInk = String(String.UnicodeScalarView(sequence)) == "38;5;16;48;5;231" }
                case "\r": break
                case "\n": cells.append([])
                default: cells[cells.count - 1].append((Character(scalar), isInk))
                }
            }
        }
    }

    @Test("a framebuffer gets the picture in its own form of pixels, and nothing around it", arguments: [16, 24, 32])
    func framebuffer(_ bits: Int) throws {
        let folder = try TestFolder()
        var geometry = Framebuffer.Geometry(width: 160, height: 100, bits: bits)
        (geometry.start, geometry.stride) = (64, geometry.stride + 32)
        let memory = [UInt8](repeating: 0x5A, count: geometry.start + geometry.stride * geometry.height)
        try Data(memory).write(to: URL(fileURLWithPath: folder.path + "/fb0"))
        let screen = Framebuffer(folder.path + "/fb0", geometry: geometry)
        var told = scene
        told.result = .init(mark: "3f2a", outcome: .accepted)
        try screen.show(told)
        var painter = ScenePainter(width: 160, height: 100)
        let picture = painter.paint(told)
        let bytes = folder.bytes("fb0")
        #expect(bytes.count == memory.count)
        #expect(bytes.prefix(64).allSatisfy { $0 == 0x5A }, "before the part that is seen")
        #expect(bytes.suffix(32).allSatisfy { $0 == 0x5A }, "behind it")
        let inks: [Bitmap.Ink: [UInt8]] =
            switch bits {
            case 16: [.light: [0xFF, 0xFF], .dark: [0, 0], .go: [0xC6, 0x03]]
            case 24: [.light: [0xFF, 0xFF, 0xFF], .dark: [0, 0, 0], .go: [0x33, 0x7A, 0]]
            default: [.light: [0xFF, 0xFF, 0xFF, 0xFF], .dark: [0, 0, 0, 0xFF], .go: [0x33, 0x7A, 0, 0xFF]]
            }
        for y in 0..<100 {
            for x in 0..<160 {
                let place = geometry.start + y * geometry.stride + x * bits / 8
                #expect(Array(bytes[place..<place + bits / 8]) == inks[picture.ink(x: x, y: y)], "\(x), \(y)")
            }
        }
        var other = geometry
        other.bits = 8
        #expect(throws: DisplayFailure.self) { try Framebuffer(folder.path + "/fb0", geometry: other).show(told) }
        #expect(throws: DisplayFailure.self) { try Framebuffer(folder.path + "/fb1").show(told) }
        #expect(throws: DisplayFailure.self) { try Framebuffer(folder.path + "/fb0").show(told) }  // a plain file
    }
}
