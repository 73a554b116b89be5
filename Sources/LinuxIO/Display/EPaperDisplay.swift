import CLinuxShims
import Encoding
import Glibc

/// The three lines that an e-paper panel has beside its bus.
package protocol EPaperLines: AnyObject {
    /// Whether what is sent next is data rather than a command, and whether the panel is held in reset.
    func set(isData: Bool, isReset: Bool) throws(DisplayFailure)
    /// Whether the panel is at work.
    func isBusy() throws(DisplayFailure) -> Bool
    /// Gives the lines back; may be called twice.
    func close()
}

/// A panel of e-paper on an SPI bus with an SSD1680 (data sheet of Solomon Systech), such as those of 2.13 and 2.9 inches.
///
/// What it shows it shows without power. A new code takes a whole refresh of about two seconds with some flicker; a verdict
/// changes only the pixels that differ, in a fraction of that.
package final class EPaperDisplay: DisplayDevice {
    /// What belongs to a panel while it is in use.
    package struct Bus {
        /// The chip select.
        package let wire: any DisplayWire
        /// The lines beside it.
        package let lines: any EPaperLines

        /// That bus with those lines.
        package init(wire: any DisplayWire, lines: any EPaperLines) { (self.wire, self.lines) = (wire, lines) }
    }

    /// How long a refresh may take.
    package static let busyLimit: Duration = .seconds(8)
    /// Bytes of one message: what the kernel's SPI devices take.
    static let message = 4096
    /// Changes of single pixels leave shadows: after so many in a row everything is refreshed.
    static let changes = 20

    /// A picture costs seconds.
    package let detail = DisplayDetail.still
    private let width, height, quarters: Int
    private let open: () throws(DisplayFailure) -> Bus
    private let pause: (Duration) -> Void
    private var bus: Bus?
    private var painter: ScenePainter
    /// What the panel shows, and the code in it; nil: nobody knows.
    private var shown: (picture: Bitmap, code: String?)?
    private var changed = 0

    /// The panel of `width` × `height` pixels (as its data sheet has them: upright) that `open` leads to, the picture turned
    /// clockwise by `rotation` degrees (a multiple of 90). `pause` waits.
    package init(
        width: Int, height: Int, rotation: Int, open: @escaping () throws(DisplayFailure) -> Bus,
        pause: @escaping (Duration) -> Void = { usleep(UInt32(clamping: $0.nanoseconds / 1000)) }
    ) {
        (self.width, self.height, self.open, self.pause) = (width, height, open, pause)
        quarters = rotation / 90
        let isTurned = !quarters.isMultiple(of: 2)
        painter = ScenePainter(width: isTurned ? height : width, height: isTurned ? width : height)
    }

    /// Sends the picture and has the panel show it, which it does by itself: only the next picture waits for that.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        let bus = try opened()
        let picture = painter.paint(scene).rotated(quarters: quarters)
        if let shown, changed < Self.changes, Self.isSame(shown.code, scene.code) {
            try change(shown.picture, to: picture, bus)
            changed += 1
        } else {
            shown = nil
            try refresh(picture, bus)
            changed = 0
        }
        shown = (picture, scene.code)
    }

    /// Lets go of bus and lines.
    package func close() {
        bus?.wire.close()
        bus?.lines.close()
        (bus, shown) = (nil, nil)
    }

    private func opened() throws(DisplayFailure) -> Bus {
        if let bus { return bus }
        let opened = try open()
        bus = opened
        return opened
    }

    private static func isSame(_ one: String?, _ other: String?) -> Bool {
        one.map { Text($0) } == other.map { Text($0) }
    }

    /// Sets the panel up and refreshes all of it.
    private func refresh(_ picture: Bitmap, _ bus: Bus) throws(DisplayFailure) {
        try waitUntilIdle(bus, isAsked: true)
        try bus.lines.set(isData: false, isReset: true)
        pause(.milliseconds(10))
        try bus.lines.set(isData: false, isReset: false)
        pause(.milliseconds(10))
        try waitUntilIdle(bus)
        try command(0x12, [], bus)  // all registers as after power-on
        pause(.milliseconds(10))
        try waitUntilIdle(bus)
        try command(0x01, [UInt8((height - 1) & 0xFF), UInt8((height - 1) >> 8), 0x00], bus)  // lines
        try command(0x11, [0x03], bus)  // rows from the top, bytes from the left
        try command(0x44, [0x00, UInt8((width + 7) / 8 - 1)], bus)
        try command(0x45, [0x00, 0x00, UInt8((height - 1) & 0xFF), UInt8((height - 1) >> 8)], bus)
        try command(0x3C, [0x05], bus)  // a white edge
        try command(0x21, [0x00, 0x80], bus)
        try command(0x18, [0x80], bus)  // its own thermometer
        try send(picture, to: 0x24, bus)
        try send(picture, to: 0x26, bus)
        try command(0x22, [0xF7], bus)
        try command(0x20, [], bus)
    }

    /// Changes the pixels that differ.
    private func change(_ old: Bitmap, to new: Bitmap, _ bus: Bus) throws(DisplayFailure) {
        try waitUntilIdle(bus)
        try command(0x3C, [0x80], bus)  // the edge stays as it is
        try send(old, to: 0x26, bus)
        try send(new, to: 0x24, bus)
        try command(0x22, [0xFF], bus)
        try command(0x20, [], bus)
    }

    private func send(_ picture: Bitmap, to memory: UInt8, _ bus: Bus) throws(DisplayFailure) {
        try command(0x4E, [0x00], bus)
        try command(0x4F, [0x00, 0x00], bus)
        try command(memory, picture.lightBits, bus)
    }

    private func command(_ code: UInt8, _ data: [UInt8], _ bus: Bus) throws(DisplayFailure) {
        try bus.lines.set(isData: false, isReset: false)
        try bus.wire.write([code])
        guard !data.isEmpty else { return }
        try bus.lines.set(isData: true, isReset: false)
        for start in stride(from: 0, to: data.count, by: Self.message) {
            try bus.wire.write(Array(data[start..<min(start + Self.message, data.count)]))
        }
    }

    /// Waits for the end of what the panel does. `isAsked`: one that is busy for ever may be helped by the reset that follows.
    private func waitUntilIdle(_ bus: Bus, isAsked: Bool = false) throws(DisplayFailure) {
        var waited = Duration.zero
        while try bus.lines.isBusy() {
            guard waited < Self.busyLimit else {
                if isAsked { return }
                throw DisplayFailure(
                    "the e-paper panel stays busy", remedy: "Look at its cable, above all at the line display.busy.")
            }
            pause(.milliseconds(10))
            waited += .milliseconds(10)
        }
    }
}
