import Commissioning
import Encoding

/// The content of `hardware/pinout.toml`: the lines, and the wiring diagrams.
struct Wiring {
    /// The lines, their header pins and the things that are connected to them.
    let pinout: Pinout
    /// The wiring diagrams, one for each use.
    let diagrams: [WiringDiagram]

    /// Reads and checks `hardware/pinout.toml`. In addition to the rules of ``Pinout``, every terminal of a diagram
    /// must be connected, and no two diagrams may have the same name.
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
