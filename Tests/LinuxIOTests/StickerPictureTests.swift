import Encoding
import Testing

@testable import Displays
@testable import LinuxIO

@Suite struct StickerPictureTests {
    private static let text =
        "OPENID4VP://connect?name=North-Gate&key=" + Hex.encode([UInt8](repeating: 0xA7, count: 32))

    /// Returns the text of the code, at any height in the picture.
    private func read(_ picture: Bitmap) -> String? {
        for top in stride(from: 0, to: picture.height - picture.width, by: 20) {
            let text = QRReader.read(width: picture.width, height: picture.width) {
                picture.ink(x: $0, y: top + $1) == .dark
            }
            if let text { return text }
        }
        return nil
    }

    @Test(arguments: ["G", "North-Gate", "sixteen letters!"]) func thePictureHoldsTheCodeBetweenNameAndDate(
        _ name: String
    )
        throws
    {
        let lines = ["Scan this with your wallet", "Good until 31 December 2026"]
        let picture = try #require(StickerPicture.paint(name: name, code: Self.text, lines: lines))
        #expect(picture.width == 900 && picture.height < 1400)
        #expect(read(picture) == Self.text)
        // Nothing is cut off at the upper and lower edge, and both ends have text.
        let rows = (0..<picture.height).filter { y in (0..<picture.width).contains { picture.ink(x: $0, y: y) == .dark }
        }
        #expect((rows.first ?? 0) > 0 && (rows.first ?? 0) < 100 && (rows.last ?? 0) > picture.height - 100)
        #expect((0..<picture.height).allSatisfy { picture.ink(x: 899, y: $0) == .light })
    }

    @Test func aTooLargeCodeHasNoPicture() {
        #expect(StickerPicture.paint(name: "G", code: String(repeating: "x", count: 5000), lines: []) == nil)
    }
}
