import CLinuxShims
import LinuxIO

/// A kernel framebuffer, `/dev/fbN`: an HDMI, DSI or SPI screen. All pixel formats of 16, 24 and 32 bits are
/// supported.
package final class Framebuffer: DisplayDevice {
    /// The layout of the pixels in the framebuffer's memory.
    package struct Geometry: Hashable, Sendable {
        /// The position of a colour within a pixel, in bits from the lowest.
        package struct Channel: Hashable, Sendable {
            /// The lowest bit (`offset`) and the number of bits (`length`, 0 to 8).
            package var offset, length: Int

            /// Creates a position.
            package init(offset: Int, length: Int) { (self.offset, self.length) = (offset, length) }

            /// Returns the highest bits of an eight-bit value, shifted to the position of the colour.
            fileprivate func place(_ value: UInt8) -> UInt32 {
                UInt32(value >> UInt8(8 - min(max(length, 0), 8))) << UInt32(min(max(offset, 0), 31))
            }
        }

        /// The size of the visible area in pixels.
        package var width, height: Int
        /// The offset of the first pixel (`start`), and the distance from one row to the next (`stride`), both in
        /// bytes.
        package var start, stride: Int
        /// The number of bits per pixel: 16, 24 or 32.
        package var bits: Int
        /// The positions of the three colours within a pixel.
        package var red, green, blue: Channel

        /// Creates the kernel's usual layout without gaps between rows: 16 bits per pixel (5 red, 6 green, 5 blue),
        /// or 24 or 32 bits (8 for each colour).
        package init(width: Int, height: Int, bits: Int) {
            (self.width, self.height, self.bits, start) = (width, height, bits, 0)
            stride = width * bits / 8
            let isSmall = bits == 16
            red = isSmall ? Channel(offset: 11, length: 5) : Channel(offset: 16, length: 8)
            green = isSmall ? Channel(offset: 5, length: 6) : Channel(offset: 8, length: 8)
            blue = isSmall ? Channel(offset: 0, length: 5) : Channel(offset: 0, length: 8)
        }

        /// Whether the program supports the layout. A size larger than any screen is rejected, because the kernel's
        /// information must be wrong.
        var isSound: Bool {
            (1...8192).contains(width) && (1...8192).contains(height) && [16, 24, 32].contains(bits)
                && (width * bits / 8...1 << 20).contains(stride) && (0...1 << 30).contains(start)
        }

        /// Returns the bytes of one pixel with the given ink, in little-endian order as on all supported machines.
        fileprivate func pixel(_ ink: Bitmap.Ink) -> [UInt8] {
            let rgb = PNG.palette[ink] ?? [0, 0, 0]
            var value = red.place(rgb[0]) | green.place(rgb[1]) | blue.place(rgb[2])
            // Set the bits that belong to no colour. If the layout has an alpha channel, they make the pixel opaque.
            if bits == 32 { value |= ~(red.place(0xFF) | green.place(0xFF) | blue.place(0xFF)) }
            return (0..<bits / 8).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
        }
    }

    /// The display shows the whole scene.
    package let detail = DisplayDetail.lively
    private let path: String
    private let quarters: Int
    private let fixed: Geometry?
    private var node: DeviceNode?

    /// Creates a display on the framebuffer at `path`. The picture is turned clockwise by `rotation` degrees (a
    /// multiple of 90). `geometry` is the layout of a regular file that replaces a framebuffer, as in tests; nil: the
    /// kernel reports the layout.
    package init(_ path: String, rotation: Int = 0, geometry: Geometry? = nil) {
        (self.path, quarters, fixed) = (path, rotation / 90, geometry)
    }

    /// Draws the scene in memory and writes it from top to bottom in one operation.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        let node = try opened()
        // Read the layout each time, because another screen of another size may have been connected.
        var geometry = Geometry(width: 0, height: 0, bits: 0)
        if let fixed { geometry = fixed } else { geometry = try Self.geometry(of: node) }
        guard geometry.isSound else {
            throw DisplayFailure(
                "\(path) has \(geometry.width) × \(geometry.height) pixels of \(geometry.bits) bits",
                remedy: "Set 16, 24 or 32 bits a pixel (fbset -depth 32).")
        }
        let isTurned = !quarters.isMultiple(of: 2)
        var painter = ScenePainter(
            width: isTurned ? geometry.height : geometry.width, height: isTurned ? geometry.width : geometry.height)
        try node.write(Self.frame(painter.paint(scene).rotated(quarters: quarters), geometry), at: geometry.start)
    }

    /// Releases the framebuffer.
    package func close() {
        node?.close()
        node = nil
    }

    private func opened() throws(DisplayFailure) -> DeviceNode {
        if let node { return node }
        let opened = try DeviceNode(
            path,
            remedy:
                "Check ls /dev/fb*, and add the user to the group video (see "
                + "/usr/share/doc/gatehouse/hardware/displays.md)."
        )
        node = opened
        return opened
    }

    private static func frame(_ picture: Bitmap, _ geometry: Geometry) -> [UInt8] {
        let inks = Bitmap.Ink.allCases.map(geometry.pixel)
        let bytes = geometry.bits / 8
        // Leave out the gap after the last row, because it may lie beyond the end of the memory.
        var frame = [UInt8](repeating: 0, count: geometry.stride * (geometry.height - 1) + geometry.width * bytes)
        for y in 0..<geometry.height {
            var place = y * geometry.stride
            for x in 0..<geometry.width {
                for byte in inks[Int(picture.pixels[y * picture.width + x])] {
                    frame[place] = byte
                    place += 1
                }
            }
        }
        return frame
    }

    private static func geometry(of node: DeviceNode) throws(DisplayFailure) -> Geometry {
        var seen = clinux_framebuffer()
        let result = clinux_framebuffer_geometry(node.descriptor, &seen)
        guard result == 0 else {
            throw DisplayFailure(
                SystemError("asking \(node.path) for its size", code: -result, remedy: "Is it a framebuffer?"))
        }
        var geometry = Geometry(width: Int(seen.width), height: Int(seen.height), bits: Int(seen.bits))
        (geometry.start, geometry.stride) = (Int(seen.start), Int(seen.stride))
        geometry.red = .init(offset: Int(seen.red_offset), length: Int(seen.red_length))
        geometry.green = .init(offset: Int(seen.green_offset), length: Int(seen.green_length))
        geometry.blue = .init(offset: Int(seen.blue_offset), length: Int(seen.blue_length))
        return geometry
    }
}
