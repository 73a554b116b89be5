import LinuxIO

/// A PNG file that another program displays. Each new picture replaces the file in one step. The file is never
/// removed.
package final class PictureFile: DisplayDevice {
    /// The height of the picture in modules of the code: the code of the longest invitation, with its quiet zone.
    private static let span = 37 + 2 * QRCode.quietZone

    /// The display shows progress in coarse steps, because each picture is written as a file.
    package let detail = DisplayDetail.calm
    private let path: String
    private var painter: ScenePainter

    /// Creates a display on the file at `path`. The picture has an aspect ratio of 16 to 9. The side of each module
    /// of the code is `scale` pixels.
    package init(_ path: String, scale: Int) {
        self.path = path
        let height = Self.span * max(1, scale)
        painter = ScenePainter(width: max(height * 16 / 9, height + ScenePainter.least), height: height)
    }

    /// Replaces the file by a picture of the scene.
    package func show(_ scene: DisplayScene) throws(DisplayFailure) {
        let bytes = PNG.encode(painter.paint(scene))
        do throws(SystemError) { try FileBytes.replace(path, with: bytes) } catch { throw DisplayFailure(error) }
    }

    /// Does nothing, because this display holds no open file.
    package func close() {}
}
