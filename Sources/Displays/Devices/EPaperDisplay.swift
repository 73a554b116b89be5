import CLinuxShims
import Encoding
import Glibc

/// The three lines of an e-paper panel (data or command, reset, busy), which it has in addition to the SPI bus.
package protocol EPaperLines: AnyObject {
    /// Sets two lines: whether the next bytes are data or a command, and whether the panel is held in reset.
    func set(isData: Bool, isReset: Bool) throws(DisplayFailure)
    /// Returns whether the panel is busy and accepts no commands.
    func isBusy() throws(DisplayFailure) -> Bool
    /// Releases the lines. Further calls do nothing.
    func close()
}

/// An e-paper panel on an SPI bus with an SSD1680 controller (data sheet of Solomon Systech), for example of 2.13 or
/// 2.9 inches.
///
/// The panel shows its picture without power. A new code needs a full refresh, which takes about two seconds and
/// flickers. For a verdict only the pixels that differ are changed, which is much faster.
package final class EPaperDisplay: DisplayDevice {
    /// The connections of an open panel: its SPI bus and its lines.
    package struct Bus {
        /// The connection to the panel's chip select on the SPI bus.
        package let wire: any DisplayWire
        /// The panel's lines for data or command, reset and busy.
        package let lines: any EPaperLines

        /// Creates the connections.
        package init(wire: any DisplayWire, lines: any EPaperLines) { (self.wire, self.lines) = (wire, lines) }
    }

    /// How long to wait for the end of a refresh. After that time the panel counts as failed.
    package static let busyLimit: Duration = .seconds(8)
    /// The maximum length of one message in bytes: the limit of the kernel's SPI devices.
    static let message = 4096
    /// The number of partial changes after which the whole panel is refreshed, because partial changes leave faint
    /// traces.
    static let changes = 20

    /// The panel shows only the code, the verdict and failures, because each picture takes seconds.
    package let detail = DisplayDetail.still
    private let width, height, quarters: Int
    private let open: () throws(DisplayFailure) -> Bus
    private let pause: (Duration) -> Void
    private var bus: Bus?
    private var painter: ScenePainter
    /// The picture that the panel shows, with the code in it; nil if the picture on the panel is unknown.
    private var shown: (picture: Bitmap, code: String?)?
    private var changed = 0

    /// Creates a display on the panel that `open` opens. `width` × `height` is the size in pixels of the upright
    /// panel, as in its data sheet. The picture is turned clockwise by `rotation` degrees (a multiple of 90). `pause`
    /// waits for the given time.
    package init(
        width: Int, height: Int, rotation: Int, open: @escaping () throws(DisplayFailure) -> Bus,
        pause: @escaping (Duration) -> Void = { usleep(UInt32(clamping: $0.nanoseconds / 1000)) }
    ) {
        (self.width, self.height, self.open, self.pause) = (width, height, open, pause)
        quarters = rotation / 90
        let isTurned = !quarters.isMultiple(of: 2)
        painter = ScenePainter(width: isTurned ? height : width, height: isTurned ? width : height)
    }

    /// Sends the picture and starts the refresh of the panel. Does not wait for the end of the refresh; the next call
    /// waits for it.
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

    /// Releases the bus and the lines.
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

    /// Resets the panel and refreshes it completely.
    private func refresh(_ picture: Bitmap, _ bus: Bus) throws(DisplayFailure) {
        try waitUntilIdle(bus, isAsked: true)
        try bus.lines.set(isData: false, isReset: true)
        pause(.milliseconds(10))
        try bus.lines.set(isData: false, isReset: false)
        pause(.milliseconds(10))
        try waitUntilIdle(bus)
        try command(0x12, [], bus)  // reset all registers to their values after power-on
        pause(.milliseconds(10))
        try waitUntilIdle(bus)
        try command(0x01, [UInt8((height - 1) & 0xFF), UInt8((height - 1) >> 8), 0x00], bus)  // the number of lines
        try command(0x11, [0x03], bus)  // write from the top row down and from the left byte to the right
        try command(0x44, [0x00, UInt8((width + 7) / 8 - 1)], bus)
        try command(0x45, [0x00, 0x00, UInt8((height - 1) & 0xFF), UInt8((height - 1) >> 8)], bus)
        try command(0x3C, [0x05], bus)  // white border
        try command(0x21, [0x00, 0x80], bus)
        try command(0x18, [0x80], bus)  // internal temperature sensor
        try send(picture, to: 0x24, bus)
        try send(picture, to: 0x26, bus)
        try command(0x22, [0xF7], bus)
        try command(0x20, [], bus)
    }

    /// Changes only the pixels that differ between the two pictures. `old` is the picture that the panel shows.
    private func change(_ old: Bitmap, to new: Bitmap, _ bus: Bus) throws(DisplayFailure) {
        try waitUntilIdle(bus)
        try command(0x3C, [0x80], bus)  // leave the border unchanged
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

    /// Waits until the panel is idle. Throws if it stays busy for ``busyLimit``; with `isAsked` returns in that case,
    /// because a reset follows that may help.
    private func waitUntilIdle(_ bus: Bus, isAsked: Bool = false) throws(DisplayFailure) {
        var waited = Duration.zero
        while try bus.lines.isBusy() {
            guard waited < Self.busyLimit else {
                if isAsked { return }
                throw DisplayFailure(
                    "the e-paper panel stays busy", remedy: "Check its cable, especially the line display.busy.")
            }
            pause(.milliseconds(10))
            waited += .milliseconds(10)
        }
    }
}
