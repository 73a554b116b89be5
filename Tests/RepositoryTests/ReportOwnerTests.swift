import Encoding
import Foundation
import Observation
import TestKit
import Testing

/// The reports of the service have names in `Sources/Observation/Report` only. All other code uses the
/// properties, so that a misspelt name does not compile.
@Suite struct ReportOwnerTests {
    private static let sources = Vectors.repository.appendingPathComponent("Sources").resolvingSymlinksInPath()
    private static let owner = "Observation/Report/"
    private static let types = ["StatusReport", "ConnectionReport", "InvitationReport"]
    private static let names = Set(
        (StatusReport.memberPaths.union(ConnectionReport.memberPaths).union(InvitationReport.memberPaths))
            .flatMap { $0.string.split(separator: ".").map(String.init) })

    /// Members of other documents that files with a report read.
    private static let others: [String: Set<String>] = [
        // a request, and the envelope of an answer
        "GateService/Door/DoorHandler.swift": ["seconds"], "gatehouse/Run/StatusCommand.swift": ["remedy"],
        // the stored state of a connection, and its invitation
        "Courier/Requests/AgentCard.swift": ["handshake", "label", "goal"],
        // the type of a message, and its kind in the message book
        "gatehouse/Agents/AgentListing.swift": ["kind", "name"],
        // settings and rules
        "gatehouse/Records/RedactionTerms.swift": ["policy", "id", "version"],
    ]
    /// Names with capitals that other documents have, too: credentials, trust bundles, the mobile SDK and
    /// `gatehouse trust`.
    private static let shared: Set = ["validUntil", "pwDid", "policySource", "policyFile", "policyOrigin"]

    private static func files() throws -> [(path: String, text: String)] {
        try swiftFiles(below: sources).map { file in
            (String(file.path.dropFirst(sources.path.count + 1)), try String(contentsOf: file, encoding: .utf8))
        }.filter { !$0.path.hasPrefix(owner) }
    }

    /// Returns the names that a source looks up in a value: `json["name"]`.
    private static func lookups(in text: String) -> Set<String> {
        let code = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
        return Set(code.flatMap { $0.matches(of: /[A-Za-z0-9_)\]?!]\["([A-Za-z]+)"\]/).map { String($0.1) } })
    }

    @Test func noOtherFileLooksUpAMember() throws {
        var users = 0
        for (path, text) in try Self.files() where Self.types.contains(where: text.contains) {
            users += 1
            let found = Self.lookups(in: text).intersection(Self.names)
            #expect(found == Self.others[path] ?? [], "\(path)")
        }
        #expect(users > 20)
    }

    /// A name with a capital is unmistakable, so that it is found in any file.
    @Test func noOtherFileContainsAnUnmistakableName() throws {
        let names = Self.names.filter { $0.contains(where: \.isUppercase) }.subtracting(Self.shared)
        #expect(names.count > 25)
        for (path, text) in try Self.files() {
            for literal in SwiftSource(text).literals where names.contains(literal.text) {
                Issue.record("\(path):\(literal.line): \(literal.text)")
            }
        }
    }

    /// A property that the program never fills compiles: it would be missing from every report.
    @Test func everyPropertyOfTheStatusIsFilled() throws {
        let folder = Self.sources.appendingPathComponent(Self.owner)
        let parts = try Vectors.files(in: folder, withExtension: "swift")
            .filter { $0.lastPathComponent.hasPrefix("StatusReport") }
            .flatMap { Self.parts(in: try String(contentsOf: $0, encoding: .utf8)) }
        #expect(parts.count > 12)
        let code = try Self.files().map { SwiftSource($0.text).lines.map(\.code).joined(separator: "\n") }
        for (part, properties) in parts {
            let filled = code.reduce(into: Set<String>()) { $0.formUnion(Self.filled(part, in: $1)) }
            #expect(Set(properties).subtracting(filled) == [], "\(part)")
            #expect(!properties.isEmpty, "\(part)")
        }
    }

    /// Returns the parts that a source declares, each with the names of its properties.
    private static func parts(in text: String) -> [(part: String, properties: [String])] {
        text.components(separatedBy: "package struct ").dropFirst().map { rest in
            (
                String(rest.prefix { $0.isLetter }),
                rest.matches(of: /package var ([A-Za-z]+): [^{\n]+\n/).map { String($0.1) }
            )
        }
    }

    /// Returns the properties of `part` that a source assigns: of a variable that it creates, of the report that is
    /// passed to it, or as the part of a service.
    private static func filled(_ part: String, in code: String) -> [String] {
        let isWhole = part == "StatusReport"
        let made = isWhole ? "StatusReport" : "StatusReport.\(part)"
        let variables = code.matches(of: /var ([a-z][A-Za-z]*) = ([A-Za-z.]+)\(\)/).filter { $0.2 == made }.map(\.1)
        let assigned = code.split(separator: "\n").flatMap { line -> [String] in
            let line = line + " "
            guard let end = line.firstRange(of: " = ") else { return [] }
            return line[..<end.lowerBound].matches(of: /([a-z][A-Za-z]*)\.([a-z][A-Za-z]*)/)
                .filter { variables.contains($0.1) || isWhole && $0.1 == "report" }.map { String($0.2) }
        }
        return assigned
            + (isWhole ? code.matches(of: /StatusPart\(\\\.([a-z][A-Za-z]*)/).map { String($0.1) } : [])
    }

    @Test func aLookupIsFound() {
        for line in ["let a = status[\"silent\"]?.array", "answer?[\"silent\"]", "f()[\"silent\"]", "a[0][\"silent\"]"]
        {
            #expect(Self.lookups(in: line) == ["silent"], "\(line)")
        }
        for line in ["// status[\"silent\"]", "let a = [\"silent\"]", "f([\"silent\"])", "(\"silent\", 1)"] {
            #expect(Self.lookups(in: line).isEmpty, "\(line)")
        }
    }
}
