import Commissioning
import Encoding

/// The wiring of a gate: the lines, and the diagrams that the same file describes.
struct Wiring {
    /// The lines and their header pins.
    let pinout: Pinout
    /// The wiring diagrams, one for each use.
    let diagrams: [WiringDiagram]

    /// Reads and checks `hardware/pinout.toml`. In addition to the rules of ``Pinout``, every wire of a diagram
    /// must lead somewhere, and each diagram needs a name of its own.
    init(_ bytes: [UInt8]) throws(Pinout.Failure) {
        pinout = try Pinout(bytes)
        var diagrams: [WiringDiagram] = []
        for section in try PinoutSection(file: bytes).sections("diagram") {
            let diagram = try WiringDiagram(section, places: pinout.places)
            guard !diagrams.contains(where: { $0.name.utf8.elementsEqual(diagram.name.utf8) }) else {
                throw section.failure("two diagrams have the name \(diagram.name)")
            }
            diagrams.append(diagram)
        }
        self.diagrams = diagrams
    }
}
