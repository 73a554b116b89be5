/// A PNG file that another program shows: replaced in one step, and never taken away while the gate is there.
package final class PictureFile: DisplayDevice {
    /// Modules of the longest invitation's code with its quiet zone: what `scale` counts in.
    private static let span = 37 + 2 * QRCode.quietZone

    /// Written as a file each time.
    package let detail = DisplayDetail.calm
    private let path: String
    private var painter: ScenePainter

    /// The file at `path`, a picture of 16 to 9 in which a module of the code has `scale` pixels.
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

    /// Nothing is held.
    package func close() {}
}
