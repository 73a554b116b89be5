import Encoding

/// Encodes PNG files (ISO/IEC 15948).
package enum PNG {
    /// The red, green and blue values of each ink on screens, 0 to 255.
    static let palette: [Bitmap.Ink: [UInt8]] = [
        .light: [0xFF, 0xFF, 0xFF], .dark: [0x00, 0x00, 0x00], .go: [0x00, 0x7A, 0x33], .stop: [0xB8, 0x12, 0x12],
    ]

    /// Encodes the picture with a palette of its four inks, two bits per pixel.
    package static func encode(_ picture: Bitmap) -> [UInt8] {
        let stride = (picture.width + 3) / 4
        var rows: [UInt8] = []
        rows.reserveCapacity((stride + 1) * picture.height)
        for y in 0..<picture.height {
            var row = [UInt8](repeating: 0, count: 1 + stride)  // The first byte of a row: no filter.
            for x in 0..<picture.width {
                row[1 + x / 4] |= picture.pixels[y * picture.width + x] << UInt8(6 - x % 4 * 2)
            }
            rows += row
        }
        var header: [UInt8] = []
        header.appendBE(UInt32(picture.width))
        header.appendBE(UInt32(picture.height))
        header += [2, 3, 0, 0, 0]  // Two bits per pixel, palette, deflate, standard filters, not interlaced.
        // Compression fails only if memory is exhausted. Viewers then reject the file, because it contains no image
        // data.
        let data = (try? Gzip.deflate(rows, container: .zlib)) ?? []
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("PLTE", Bitmap.Ink.allCases.flatMap { palette[$0] ?? [0, 0, 0] }) + chunk("IDAT", data)
            + chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendBE(UInt32(data.count))
        let body = Array(type.utf8) + data
        bytes += body
        bytes.appendBE(crc32(body))
        return bytes
    }

    /// Returns the CRC-32 of ISO/IEC 15948 annex D: polynomial 0xEDB88320, reflected.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0 as UInt32) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }
}
