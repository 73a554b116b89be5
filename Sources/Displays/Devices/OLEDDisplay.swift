import CLinuxShims
import Encoding

/// A small OLED panel on an I²C bus: SSD1306, SH1106 or SH1107 (data sheets of Solomon Systech and Sino
/// Wealth).
package final class OLEDDisplay: DisplayDevice {
    /// The panel's controller chip.
    package enum Controller: String, CaseIterable, Sendable {
        case ssd1306, sh1106, sh1107

        /// The first visible column. An SH1106 has 132 columns, and its panels show the middle 128.
        fileprivate var firstColumn: Int { self == .sh1106 ? 2 : 0 }
    }

    /// The display shows the whole scene.
    package let detail = DisplayDetail.lively
    private let controller: Controller
    private let width, height, quarters: Int
    private let open: () throws(DisplayFailure) -> any DisplayWire
    private var wire: (any DisplayWire)?
    private var code: String?
    private var painter: ScenePainter

    /// Creates a display on the panel that `open` opens. `width` × `height` is the size of the panel in pixels; each
    /// must be a multiple of 8. The picture is turned clockwise by `rotation` degrees (a multiple of 90).
    package init(
        _ controller: Controller, width: Int, height: Int, rotation: Int = 0,
        open: @escaping () throws(DisplayFailure) -> any DisplayWire
    ) {
        (self.controller, self.width, self.height, self.open) = (controller, width, height, open)
        quarters = rotation / 90
        let isTurned = !quarters.isMultiple(of: 2)
        painter = ScenePainter(width: isTurned ? height : width, height: isTurned ? width : height)
    }

    /// Creates a display on the panel with the 7-bit address `address` on the bus `path`, for example `/dev/i2c-1`.
    package convenience init(
        _ controller: Controller, width: Int, height: Int, rotation: Int, path: String, address: Int
    ) {
        self.init(controller, width: width, height: height, rotation: rotation) { () throws(DisplayFailure) in
            try DeviceNode(
                path,
                remedy:
                    "Enable the bus, check i2cdetect, and give the user access (see "
                    + "/usr/share/doc/gatehouse/hardware/displays.md)."
            ) { clinux_i2c_address($0, Int32(address)) }
        }
    }

    /// Writes the picture. The panel is switched off while a new code is written, so that it never shows parts of the
    /// old and of the new code together. With each new code the panel is also set up again, because it may have lost
    /// power.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        let isFirst = wire == nil
        let wire = try opened()
        let isNew = isFirst || code.map { Text($0) } != scene.code.map { Text($0) }
        let picture = painter.paint(scene).rotated(quarters: quarters)
        if isNew { try wire.write([0x00] + setup) }
        for page in 0..<height / 8 {
            let column = controller.firstColumn
            try wire.write([0x00, 0xB0 | UInt8(page & 0x0F), UInt8(column & 0x0F), 0x10 | UInt8(column >> 4)])
            try wire.write([0x40] + (0..<width).map { Self.column(picture, $0, page) })
        }
        if isNew { try wire.write([0x00, 0xAF]) }  // switch the panel on
        code = scene.code
    }

    /// Releases the bus.
    package func close() {
        wire?.close()
        (wire, code) = (nil, nil)
    }

    private func opened() throws(DisplayFailure) -> any DisplayWire {
        if let wire { return wire }
        let opened = try open()
        wire = opened
        return opened
    }

    /// Returns eight vertical pixels as bits; the uppermost pixel is the lowest bit. Light pixels of the picture are
    /// lit, because code readers expect a dark code on a light ground.
    private static func column(_ picture: Bitmap, _ x: Int, _ page: Int) -> UInt8 {
        (0..<8).reduce(0) { $0 | (picture.ink(x: x, y: page * 8 + $1) == .light ? 1 << UInt8($1) : 0) }
    }

    /// The commands that switch the panel off and set it up. The panel stays off afterwards.
    private var setup: [UInt8] {
        let lines = UInt8(height - 1)
        switch controller {
        case .ssd1306:
            // The settings in their order: clock, number of lines, no offset, first line, charge pump, page
            // addressing, connector at the top, COM pins, contrast, precharge, voltage level, show the memory, not
            // inverted.
            let pins: UInt8 = height == 32 ? 0x02 : 0x12
            return [0xAE, 0xD5, 0x80, 0xA8, lines, 0xD3, 0x00, 0x40, 0x8D, 0x14, 0x20, 0x02, 0xA1, 0xC8, 0xDA, pins]
                + [0x81, 0xCF, 0xD9, 0xF1, 0xDB, 0x40, 0x2E, 0xA4, 0xA6]
        case .sh1106:
            return [0xAE, 0xD5, 0x80, 0xA8, lines, 0xD3, 0x00, 0x40, 0xAD, 0x8B, 0xA1, 0xC8, 0xDA, 0x12]
                + [0x81, 0xCF, 0xD9, 0x1F, 0xDB, 0x40, 0xA4, 0xA6]
        case .sh1107:
            // The columns of the panel are the lines that the controller scans. A narrow panel shows the middle ones
            // of the controller's 128 lines.
            let offset: UInt8 = width == 64 ? 0x60 : 0x00
            return [0xAE, 0xD5, 0x51, 0x20, 0x81, 0x4F, 0xAD, 0x8A, 0xA0, 0xC0, 0xDC, 0x00, 0xD3, offset]
                + [0xD9, 0x22, 0xDB, 0x35, 0xA8, UInt8(width - 1), 0xA4, 0xA6]
        }
    }
}
