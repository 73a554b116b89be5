import Encoding
import Foundation
import Synchronization
import Testing

@testable import Displays
@testable import LinuxIO

/// A bus that records the messages written to it.
private final class RecordedWire: DisplayWire {
    private(set) var messages: [[UInt8]] = []
    var fails = false
    private(set) var isClosed = false

    func write(_ bytes: [UInt8]) throws(DisplayFailure) {
        if fails { throw DisplayFailure("nobody answers") }
        messages.append(bytes)
    }

    func close() { isClosed = true }

    func take() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }
}

private func scene(_ key: Character = "a") -> DisplayScene {
    var scene = DisplayScene(name: "North-Gate")
    scene.code = "OPENID4VP://connect?name=North-Gate&key=" + String(repeating: key, count: 64)
    return scene
}

/// A model of an SSD1306 or a related chip: it interprets the messages.
private struct OLEDChip {
    private var memory = [[UInt8]](repeating: [UInt8](repeating: 0, count: 132), count: 16)
    private(set) var isOn = false
    private var (page, column) = (0, 0)
    /// The number of bytes that were written while the panel was on.
    private(set) var writtenWhileOn = 0

    mutating func take(_ message: [UInt8]) {
        if message.first == 0x40 {
            if isOn { writtenWhileOn += 1 }
            for byte in message.dropFirst() {
                memory[page][column] = byte
                column += 1
            }
            return
        }
        #expect(message.first == 0x00)
        var rest = message.dropFirst()
        while let command = rest.popFirst() {
            switch command {
            case 0xAE: isOn = false
            case 0xAF: isOn = true
            case 0xB0...0xBF: page = Int(command & 0x0F)
            case 0x00...0x0F: column = column & 0xF0 | Int(command)
            case 0x10...0x1F: column = column & 0x0F | Int(command & 0x0F) << 4
            case 0xD5, 0xA8, 0xD3, 0x8D, 0xDA, 0x81, 0xD9, 0xDB, 0xDC, 0xAD: _ = rest.popFirst()
            default: break
            }
        }
    }

    func isLit(_ x: Int, _ y: Int) -> Bool { memory[y / 8][x] >> UInt8(y % 8) & 1 == 1 }
}

@Suite("OLED panels")
struct OLEDTests {
    @Test(
        "the panel shows the picture, lit where it is light",
        arguments: [
            (OLEDDisplay.Controller.ssd1306, 128, 64, 0, 0), (.ssd1306, 128, 32, 0, 0), (.sh1106, 128, 64, 0, 2),
            (.sh1107, 128, 128, 0, 0), (.sh1107, 64, 128, 90, 0), (.ssd1306, 128, 64, 180, 0),
        ])
    func picture(_ chip: OLEDDisplay.Controller, _ width: Int, _ height: Int, _ rotation: Int, _ first: Int) throws {
        let bus = RecordedWire()
        let panel = OLEDDisplay(chip, width: width, height: height, rotation: rotation) { bus }
        try panel.show(scene())
        var memory = OLEDChip()
        for message in bus.take() { memory.take(message) }
        let isTurned = rotation % 180 != 0
        var painter = ScenePainter(width: isTurned ? height : width, height: isTurned ? width : height)
        let picture = painter.paint(scene()).rotated(quarters: rotation / 90)
        #expect((picture.width, picture.height) == (width, height))
        #expect(memory.isOn)
        for y in 0..<height {
            for x in 0..<width { #expect(memory.isLit(x + first, y) == (picture.ink(x: x, y: y) == .light)) }
        }
    }

    @Test("a new code comes while the panel is dark; a verdict while it shines")
    func atomic() throws {
        let bus = RecordedWire()
        let panel = OLEDDisplay(.ssd1306, width: 128, height: 64) { bus }
        var memory = OLEDChip()
        try panel.show(scene("a"))
        var next = scene("b")
        try panel.show(next)
        for message in bus.take() { memory.take(message) }
        #expect(memory.isOn && memory.writtenWhileOn == 0)
        next.result = .init(mark: "3f2a", outcome: .accepted)
        try panel.show(next)
        for message in bus.take() { memory.take(message) }
        #expect(memory.isOn && memory.writtenWhileOn == 8)
    }

    @Test("a panel that was away is set up anew")
    func back() throws {
        let bus = RecordedWire()
        let panel = OLEDDisplay(.ssd1306, width: 128, height: 64) { bus }
        try panel.show(scene())
        bus.fails = true
        #expect(throws: DisplayFailure.self) { try panel.show(scene("b")) }
        panel.close()
        #expect(bus.isClosed)
        bus.fails = false
        _ = bus.take()
        try panel.show(scene("b"))
        #expect(bus.take().first?.prefix(2) == [0x00, 0xAE])
    }
}

/// A model of an e-paper panel: its lines, and the messages that arrive over its bus.
private final class Paper: EPaperLines, DisplayWire {
    private(set) var memory: [UInt8: [UInt8]] = [:]
    private(set) var resets = 0
    /// The mode of each refresh.
    private(set) var refreshes: [UInt8] = []
    private(set) var longest = 0
    /// How many reads the line reports busy after a refresh; nil: forever.
    var busyFor: Int? = 3
    private var busy = 0
    private var (command, isData, mode) = (UInt8(0), false, UInt8(0))
    private(set) var isClosed = false

    func set(isData: Bool, isReset: Bool) {
        self.isData = isData
        if isReset { (resets, busy, memory) = (resets + 1, 0, [:]) }
    }

    func isBusy() -> Bool {
        guard busyFor != nil || refreshes.isEmpty else { return true }
        busy -= 1
        return busy >= 0
    }

    func write(_ bytes: [UInt8]) {
        longest = max(longest, bytes.count)
        #expect(busy <= 0, "nothing is sent to a panel at work")
        if !isData {
            #expect(bytes.count == 1)
            command = bytes[0]
            if [0x24, 0x26].contains(command) { memory[command] = [] }
            if command == 0x20 { (busy, refreshes) = (busyFor ?? 0, refreshes + [mode]) }
        } else if command == 0x22 {
            mode = bytes[0]
        } else if [0x24, 0x26].contains(command) {
            memory[command]? += bytes
        }
    }

    func close() { isClosed = true }
}

@Suite("E-paper panels")
struct EPaperTests {
    private func panel(_ paper: Paper, waited: @escaping (Duration) -> Void = { _ in }) -> EPaperDisplay {
        EPaperDisplay(
            width: 122, height: 250, rotation: 90,
            open: { EPaperDisplay.Bus(wire: paper, lines: paper) }, pause: waited)
    }

    private func bits(_ scene: DisplayScene) -> [UInt8] {
        var painter = ScenePainter(width: 250, height: 122)
        return painter.paint(scene).rotated(quarters: 1).lightBits
    }

    @Test("a new code refreshes everything, a verdict what differs, in messages that the kernel takes")
    func pictures() throws {
        let paper = Paper()
        let panel = panel(paper)
        try panel.show(scene("a"))
        #expect(paper.memory[0x24] == bits(scene("a")) && paper.memory[0x24]?.count == 16 * 250)
        #expect(paper.refreshes == [0xF7] && paper.resets == 1)
        var told = scene("a")
        told.result = .init(mark: "3f2a", outcome: .rejected)
        try panel.show(told)
        #expect(paper.refreshes == [0xF7, 0xFF] && paper.resets == 1)
        #expect(paper.memory[0x26] == bits(scene("a")) && paper.memory[0x24] == bits(told))
        try panel.show(scene("b"))
        #expect(paper.refreshes == [0xF7, 0xFF, 0xF7] && paper.memory[0x24] == bits(scene("b")))
        #expect(paper.longest <= EPaperDisplay.message)
    }

    @Test("after many changes everything is refreshed once")
    func shadows() throws {
        let paper = Paper()
        let panel = panel(paper)
        try panel.show(scene())
        for number in 0...EPaperDisplay.changes {
            var told = scene()
            told.result = .init(mark: "\(number)", outcome: .accepted)
            try panel.show(told)
        }
        #expect(paper.refreshes.count { $0 == 0xF7 } == 2 && paper.refreshes.last == 0xF7)
    }

    @Test("a panel that stays busy is waited for so long and no longer, then reset")
    func busy() throws {
        let paper = Paper()
        let waited = Mutex(Duration.zero)
        let panel = panel(paper) { time in waited.withLock { $0 += time } }
        try panel.show(scene())
        paper.busyFor = nil
        var told = scene()
        told.result = .init(mark: "3f2a", outcome: .accepted)
        waited.withLock { $0 = .zero }
        #expect(throws: DisplayFailure.self) { try panel.show(told) }
        #expect(waited.withLock { $0 } == EPaperDisplay.busyLimit)
        panel.close()
        #expect(paper.isClosed)
        paper.busyFor = 1
        try panel.show(told)
        #expect(paper.resets == 2 && paper.refreshes.last == 0xF7)
    }
}
