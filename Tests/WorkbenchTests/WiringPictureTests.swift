import Commissioning
import Foundation
import TestKit
import Testing

@testable import Workshop

/// The wiring pictures are readable: no text overlaps another text, the edge or a wire.
@Suite("Wiring pictures")
struct WiringPictureTests {
    private func diagrams() throws -> [WiringDiagram] {
        let file = Vectors.repository.appendingPathComponent("hardware/pinout.toml")
        return try Wiring(try Vectors.bytes(file)).diagrams
    }

    private struct Area {
        let left, right, top, bottom: Int

        init(_ label: Label) { (left, right, top, bottom) = label.edges }

        /// The area of a line between two points, with its width.
        init(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), width: Int) {
            (left, right) = (min(from.x, to.x) - width / 2, max(from.x, to.x) + width / 2)
            (top, bottom) = (min(from.y, to.y) - width / 2, max(from.y, to.y) + width / 2)
        }

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    @Test("no text overlaps another text or the edge")
    func texts() throws {
        let diagrams = try diagrams()
        #expect(diagrams.count > 8)
        for diagram in diagrams {
            let picture = diagram.picture
            let labels = picture.labels
            #expect(labels.count > 6)
            for (index, label) in labels.enumerated() {
                let area = Area(label)
                #expect(area.left >= 0 && area.right <= picture.width, "\(diagram.name): \(label.text)")
                #expect(area.top >= 0 && area.bottom <= picture.height, "\(diagram.name): \(label.text)")
                for other in labels[..<index] {
                    #expect(!area.meets(Area(other)), "\(diagram.name): \(label.text) and \(other.text)")
                }
            }
        }
    }

    @Test("no wire crosses a text, except under the number of a pin")
    func wires() throws {
        for diagram in try diagrams() {
            let picture = diagram.picture
            var segments: [Area] = []
            for case .line(let points, _, let width) in picture.shapes {
                segments += zip(points, points.dropFirst()).map { Area($0, $1, width: width) }
            }
            #expect(!segments.isEmpty)
            for label in picture.labels where label.colour != "#ffffff" {
                let area = Area(label)
                #expect(!segments.contains { $0.meets(area) }, "\(diagram.name): \(label.text)")
            }
        }
    }

    @Test("a pinout with a changed number is refused or drawn")
    func otherNumbers() throws {
        let file = Vectors.repository.appendingPathComponent("hardware/pinout.toml")
        let bytes = try Vectors.bytes(file)
        let digits = bytes.indices.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[$0] }
        var (refused, drawn) = (0, 0)
        for (number, place) in digits.enumerated() where number % 7 == 0 {
            var changed = bytes
            changed[place] = UInt8(ascii: "0") + (bytes[place] - UInt8(ascii: "0") + UInt8(1 + number % 9)) % 10
            guard let wiring = try? Wiring(changed) else {
                refused += 1
                continue
            }
            drawn += 1
            for picture in wiring.diagrams.map(\.picture) {
                #expect(picture.labels.allSatisfy { $0.edges.left >= 0 && $0.edges.right <= picture.width })
            }
        }
        #expect(refused > 20 && drawn > 5)
    }

    @Test("each picture has a description in words and is XML")
    func words() throws {
        for diagram in try diagrams() {
            let svg = diagram.svg
            #expect(svg.contains("<title>\(diagram.title)</title>"))
            for pin in diagram.pins.values { #expect(svg.contains("(pin \(pin)) to "), "\(diagram.name): \(pin)") }
            #expect(!svg.contains("<script") && !svg.contains("href"))
            // Every opened element is closed, and only the permitted characters are escaped.
            let opened = svg.components(separatedBy: "<").dropFirst().filter { !$0.hasPrefix("/") }
            let closed = svg.components(separatedBy: "</").count - 1 + svg.components(separatedBy: "/>").count - 1
            #expect(opened.count == closed, "\(diagram.name)")
        }
    }

    @Test(
        "pictures with a relay show what keeps it at rest: a resistor to ground at each input, a fuse, COM on plus")
    func safety() throws {
        let relays = [
            "turnstile", "strike", "magnet", "time-relay", "free-turnstile", "free-strike", "free-magnet",
        ]
        let diagrams = try diagrams().filter { relays.contains($0.name) }
        #expect(diagrams.count == relays.count)
        for diagram in diagrams {
            let inputs = diagram.wires.filter {
                $0.columns == 0...1 && !$0.from.hasPrefix("ground") && $0.to.contains("B · pin")
            }
            #expect(!inputs.isEmpty)
            for input in inputs {
                #expect(
                    diagram.parts.contains { part in
                        part.kind == .resistor && part.gap == 0
                            && [part.rows.lowerBound, part.rows.upperBound].contains(input.row)
                            && part.rows.contains { row in
                                diagram.wires.contains { $0.row == row && $0.from == "ground" }
                            }
                    }, "\(diagram.name): \(input.from)")
            }
            #expect(diagram.parts.contains { $0.kind == .fuse })
            #expect(diagram.wires.contains { $0.from.hasPrefix("COM") && $0.to.hasPrefix("+") })
            #expect(diagram.parts.contains { $0.kind == .diode } == diagram.name.hasSuffix("strike"))
            #expect(diagram.parts.contains { $0.kind == .release } == diagram.name.hasSuffix("magnet"))
        }
    }

    /// The contacts from the lock's supply to the lock: in parallel, or in series.
    @Test("free passage: parallel to the gate's contact for a strike, in series for a magnet")
    func freePassage() throws {
        func contacts(_ name: String) throws -> [String] {
            let diagram = try #require(try diagrams().first { $0.name == name })
            return diagram.wires.filter { $0.columns.lowerBound > 1 && ["NO", "NC", "COM"].contains($0.from) }
                .map { "\($0.from) to \($0.to)" }.sorted()
        }
        #expect(try contacts("free-strike") == ["COM to COM", "NO to +", "NO to NO"])
        #expect(try contacts("free-magnet") == ["NC to +", "NC to COM"])
        #expect(try contacts("free-turnstile") == ["COM to common of inputs", "NO to free passage"])
    }

    /// The chip's pull-up alone does not withstand the interference on a long wire. Therefore 1 kΩ is between wire and
    /// line, and a pull-up is on the wire's side.
    @Test("inputs are contacts to ground with resistors, and their rest level is that of the program")
    func inputs() throws {
        let wiring = try Wiring(try Vectors.bytes(Vectors.repository.appendingPathComponent("hardware/pinout.toml")))
        let inputs = wiring.pinout.inputs
        for name in ["inputs", "turnstile"] {
            let diagram = try #require(wiring.diagrams.first { $0.name == name })
            let wires = diagram.wires.filter { wire in inputs.contains { diagram.pins[wire.row] == $0.pin } }
            #expect(wires.count == (name == "inputs" ? 4 : 1))
            for wire in wires {
                let parts = diagram.parts.filter { $0.gap == 0 && $0.rows.contains(wire.row) }
                let series = parts.first { !$0.isUpright && $0.label == "1 kΩ" }
                let pullUp = parts.first { part in
                    part.isUpright && part.label == "4.7 kΩ"
                        && part.rows.contains { diagram.boxes[0].right(at: $0) == "3.3 V" }
                }
                let lanes = [series?.lane, pullUp?.lane].compactMap(\.self)
                #expect(lanes.count == 2 && lanes[0] < lanes[1], "\(name): \(wire.from)")
                guard let contact = parts.first(where: \.kind.isContact) else { continue }
                let input = inputs.first { diagram.pins[wire.row] == $0.pin }
                #expect(
                    (contact.kind == .closed) == input?.activeHigh && contact.lane > (lanes.last ?? 0), "\(wire.from)")
            }
            #expect(diagram.wires.contains { $0.from == "ground" && $0.columns.lowerBound == 0 })
        }
    }

    @Test("signals of another supply pass an optocoupler; each wire of a controller has a transistor")
    func separated() throws {
        let diagrams = try diagrams()
        let coupler = try #require(diagrams.first { $0.name == "optocoupler" })
        // No wire leads from the board around the coupler, and none from the far side to the board's ground.
        #expect(coupler.wires.allSatisfy { $0.columns == 0...1 || $0.columns == 1...2 })
        #expect(coupler.parts.contains { $0.kind == .diode && $0.isUpright && $0.gap == 1 })
        let wiegand = try #require(diagrams.first { $0.name == "wiegand" })
        for row in [2, 5] {
            #expect(wiegand.wires.contains { $0.row == row && $0.to == "gate" } && wiegand.pins[row] != nil)
            #expect(wiegand.wires.contains { $0.row == row && $0.from == "drain" && $0.to.hasPrefix("data") })
            #expect(wiegand.parts.contains { $0.label == "10 kΩ" && $0.rows == row...(row + 1) })
        }
    }

    @Test("descriptions include the parts on a wire")
    func partsInWords() throws {
        let inputs = try #require(try diagrams().first { $0.name == "inputs" })
        #expect(
            inputs.svg.contains(
                "request-to-exit · GPIO26 (pin 37) to common of the contacts button inside, through resistor 1 kΩ, button"
            ))
        #expect(
            inputs.svg.contains(
                "resistor 4.7 kΩ from Raspberry Pi 3.3 V (pin 1) to Raspberry Pi contact · GPIO20 (pin 38)"))
        let magnet = try #require(try diagrams().first { $0.name == "magnet" })
        #expect(magnet.svg.contains("through release emergency release"))
    }
}
