import Foundation
import TestKit
import Testing

@testable import Appliance

/// The wiring pictures can be read: no text on another, none outside, none under a wire.
@Suite("Wiring pictures")
struct WiringPictureTests {
    private func diagrams() throws -> [WiringDiagram] {
        let file = Vectors.repository.appendingPathComponent("hardware/pinout.toml")
        return try Pinout(try Vectors.bytes(file)).diagrams
    }

    private struct Area {
        let left, right, top, bottom: Int

        init(_ label: Label) { (left, right, top, bottom) = label.edges }

        /// A line's part between two points, with its width.
        init(_ from: (x: Int, y: Int), _ to: (x: Int, y: Int), width: Int) {
            (left, right) = (min(from.x, to.x) - width / 2, max(from.x, to.x) + width / 2)
            (top, bottom) = (min(from.y, to.y) - width / 2, max(from.y, to.y) + width / 2)
        }

        func meets(_ other: Area) -> Bool {
            left < other.right && other.left < right && top < other.bottom && other.top < bottom
        }
    }

    @Test("no text is on another or outside")
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

    @Test("no wire runs through a text, but under a pin's number")
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

    @Test("a pinout with another number in it is refused, or drawn as well")
    func otherNumbers() throws {
        let file = Vectors.repository.appendingPathComponent("hardware/pinout.toml")
        let bytes = try Vectors.bytes(file)
        let digits = bytes.indices.filter { UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[$0] }
        var (refused, drawn) = (0, 0)
        for (number, place) in digits.enumerated() where number % 7 == 0 {
            var changed = bytes
            changed[place] = UInt8(ascii: "0") + (bytes[place] - UInt8(ascii: "0") + UInt8(1 + number % 9)) % 10
            guard let pinout = try? Pinout(changed) else {
                refused += 1
                continue
            }
            drawn += 1
            for picture in pinout.diagrams.map(\.picture) {
                #expect(picture.labels.allSatisfy { $0.edges.left >= 0 && $0.edges.right <= picture.width })
            }
        }
        #expect(refused > 20 && drawn > 5)
    }

    @Test("a picture is told in words too, and is XML")
    func words() throws {
        for diagram in try diagrams() {
            let svg = diagram.svg
            #expect(svg.contains("<title>\(diagram.title)</title>"))
            for pin in diagram.pins.values { #expect(svg.contains("(pin \(pin)) to "), "\(diagram.name): \(pin)") }
            #expect(!svg.contains("<script") && !svg.contains("href"))
            // Every element that is opened is closed, and nothing but its own characters is escaped.
            let opened = svg.components(separatedBy: "<").dropFirst().filter { !$0.hasPrefix("/") }
            let closed = svg.components(separatedBy: "</").count - 1 + svg.components(separatedBy: "/>").count - 1
            #expect(opened.count == closed, "\(diagram.name)")
        }
    }

    @Test("the gate's pictures have what keeps it shut: a resistor to ground, a fuse, COM on the plus")
    func safety() throws {
        for diagram in try diagrams() where ["turnstile", "strike", "magnet", "time-relay"].contains(diagram.name) {
            #expect(diagram.parts.contains { $0.kind == .resistor && $0.rows == 2...3 && $0.gap == 0 })
            #expect(diagram.parts.contains { $0.kind == .fuse })
            #expect(diagram.wires.contains { $0.from.hasPrefix("COM") && $0.to.hasPrefix("+") })
            #expect(diagram.parts.contains { $0.kind == .diode } == (diagram.name == "strike"))
            #expect(diagram.parts.contains { $0.kind == .release } == (diagram.name == "magnet"))
        }
    }
}
