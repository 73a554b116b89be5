import Encoding
import Foundation
import TestKit
import Testing

@Suite struct JSONTestSuiteTests {
    /// The decisions of the parser in cases that RFC 8259 leaves open. For a file, the first row with a matching name
    /// counts.
    ///
    /// | files | decision | why |
    /// |---|---|---|
    /// | `i_number_*` | accepted | numbers stay text; a caller that needs a value checks its range |
    /// | `i_structure_500_nested_arrays` | too deep | 64 containers are more than any credential has |
    /// | every other `i_*` | syntax | invalid UTF-8, UTF-16, BOM, lone surrogates: parsers disagree on them |
    private func decision(_ name: String) -> JSONError.Code? {
        if name.hasPrefix("i_number_") { return nil }
        return name.hasPrefix("i_structure_500_nested_arrays") ? .tooDeep : .syntax
    }

    /// Duplicate names are legal JSON. Two parsers may read different values, so a signature could cover the
    /// value that the other parser ignores.
    private let duplicates = ["y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json"]

    @Test func everyFileIsDecidedAsDocumented() throws {
        guard let folder = Vectors.path("json/JSONTestSuite") else { return }
        var tally = VectorTally("json/JSONTestSuite")
        for file in Vectors.files(in: folder, withExtension: "json") {
            let name = file.lastPathComponent
            var found: JSONError.Code?
            do { _ = try JSON.parse(try Vectors.bytes(file)) } catch let error as JSONError { found = error.code }
            switch name.prefix(2) {
            case "y_":
                let expected: JSONError.Code? = duplicates.contains(name) ? .duplicateName : nil
                tally.record(name, found == expected ? nil : "\(String(describing: found))")
            case "n_": tally.record(name, found == nil ? "is accepted" : nil)
            case "i_": tally.record(name, found == decision(name) ? nil : "\(String(describing: found))")
            default: tally.skip(name, because: "no case")
            }
        }
        #expect(tally.finish() == [])
    }

    @Test func acceptedFilesSurviveWritingAndReading() throws {
        guard let folder = Vectors.path("json/JSONTestSuite") else { return }
        for file in Vectors.files(in: folder, withExtension: "json") {
            guard let value = try? JSON.parse(try Vectors.bytes(file)) else { continue }
            #expect(try JSON.parse(value.compactBytes) == value)
        }
    }
}
