import LinuxIO

/// A PNG file that another program displays. The file is replaced in one step and is never removed.
package final class PictureFile: DisplayDevice {
    /// The size in modules of the longest invitation's code with its quiet zone; `scale` is pixels per
    /// module.
    private static let span = 37 + 2 * QRCode.quietZone

    /// The display shows reduced detail, because each picture is written as a file.
    package let detail = DisplayDetail.calm
    private let path: String
    private var painter: ScenePainter

    /// Creates a display on the file at `path`. The picture has an aspect ratio of 16 to 9, and each module
    /// of the code has `scale` pixels.
    package init(_ path: String, scale: Int) {
        self.path = path
        let height = Self.span * max(1, scale)
        painter = ScenePainter(width: max(height * 16 / 9, height + ScenePainter.least), height: height)
    }

    /// Replaces the file.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        let bytes = PNG.encode(painter.paint(scene))
        do throws(SystemError) { try FileBytes.replace(path, with: bytes) } catch { throw DisplayFailure(error) }
    }

    /// Does nothing, because the display holds no resource.
    package func close() {}
}
