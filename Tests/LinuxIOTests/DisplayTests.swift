import Encoding
import Foundation
import Glibc
import Testing

@testable import LinuxIO

private let uri = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: "0123456789abcdef", count: 4)

@Suite("Display")
struct DisplayTests {
    @Test("a QR code has its three finder patterns and timing lines")
    func structure() throws {
        let code = try QRCode(uri)
        #expect(code.side == 21 + 4 * 5 || code.side == 21 + 4 * 6)
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

    @Test("terminal lines hold every module twice over: both renderings read back")
    func terminal() throws {
        let code = try QRCode(uri)
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

    @Test("a PNG is complete and shows the modules", arguments: [1, 3, 8])
    func png(_ scale: Int) throws {
        let code = try QRCode(uri)
        var reader = ByteReader(code.png(scale: scale))
        #expect(Array(try reader.take(8)) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let size = (code.side + 8) * scale
        var rows: [UInt8] = []
        for type in ["IHDR", "IDAT", "IEND"] {
            let length = try reader.uint32BE()
            #expect(Array(try reader.take(4)) == Array(type.utf8))
            let data = Array(try reader.take(Int(length)))
            _ = try reader.uint32BE()
            if type == "IHDR" {
                var sizes: [UInt8] = []
                for _ in 0..<2 { sizes.appendBE(UInt32(size)) }
                #expect(Array(data.prefix(8)) == sizes)
            }
            if type == "IDAT" { rows = try Gzip.inflate(data, container: .zlib, limit: 1 << 24) }
        }
        #expect(reader.remaining == 0)
        let stride = 1 + (size + 7) / 8
        #expect(rows.count == stride * size)
        for y in 0..<size {
            for x in 0..<size {
                let isWhite = rows[y * stride + 1 + x / 8] & (0x80 >> UInt8(x % 8)) != 0
                #expect(isWhite != code.isDark(x: x / scale - 4, y: y / scale - 4))
            }
        }
    }

    @Test("the checksum of an empty last chunk is the well-known one")
    func checksum() throws {
        #expect(try QRCode("x").png(scale: 1).suffix(4) == [0xAE, 0x42, 0x60, 0x82])
    }

    @Test("a text beyond the largest symbol is an error, and so is none")
    func tooLong() {
        #expect(throws: QRCode.TooLong.self) { try QRCode(String(repeating: "x", count: 3000)) }
        #expect(throws: QRCode.TooLong.self) { try QRCode("") }
    }

    @Test("a file is replaced in one step and taken away again")
    func file() throws {
        let folder = try TemporaryFolder()
        let output = DisplayOutput.file("\(folder.path)/code.png", scale: 2)
        try output.show(uri, caption: "North-Gate")
        #expect(folder.bytes("code.png") == (try QRCode(uri).png(scale: 2)))
        try output.show("other", caption: "")
        #expect(folder.bytes("code.png") == (try QRCode("other").png(scale: 2)))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["code.png"])
        output.clear()
        #expect(folder.bytes("code.png") == [])
        #expect(throws: SystemError.self) { try DisplayOutput.file("/no/such/x.png", scale: 1).show(uri, caption: "") }
    }

    @Test("into a pipe goes plain text, with caption and URI")
    func pipe() throws {
        let (ours, theirs) = try Sockets.pair(SOCK_STREAM)
        defer { close(theirs) }
        try DisplayOutput.terminal(ours).show(uri, caption: "North-Gate")
        close(ours)
        let text = String(decoding: Sockets.readAll(theirs, 1 << 20), as: UTF8.self)
        #expect(!text.contains("\u{1B}"))
        #expect(text.hasSuffix("\nNorth-Gate\n\(uri)\n"))
    }
}
