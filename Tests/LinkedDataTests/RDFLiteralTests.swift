import Encoding
import LinkedData
import Testing

@Suite struct RDFLiteralTests {
    private func literal(_ value: String, type: String? = nil) throws -> String {
        let typed = type.map { #"{"@value": \#(value), "@type": "\#($0)"}"# } ?? value
        let processor = JSONLDProcessor(contexts: ContextDocuments([:]))
        let dataset = try processor.deserialize(try JSON.parse(#"{"@id": "a:s", "a:p": \#(typed)}"#)).dataset
        guard case .literal(let literal)? = dataset.quads.first?.object else { return "none" }
        return literal.value.string + " " + (literal.datatype.string.split(separator: "#").last ?? "")
    }

    /// JSON-LD 1.1 API section 8.6: the output of `printf("%1.15E")`, without its trailing zeros.
    @Test(arguments: [
        ("1", "1 integer"), ("-0", "0 integer"), ("1.0", "1 integer"), ("1e3", "1000 integer"),
        ("12.50e1", "125 integer"),
        ("9007199254740993", "9007199254740993 integer"), ("999999999999999999999", "999999999999999999999 integer"),
        ("1e20", "100000000000000000000 integer"), ("1e21", "1.0E21 double"), ("-1E+21", "-1.0E21 double"),
        ("0e99999999999", "0 integer"),
        // Exponents at the limits of an Int, and beyond.
        ("10e9223372036854775807", "INF double"), ("-10E+9223372036854775807", "-INF double"),
        ("1e9223372036854775806", "INF double"), ("1e9223372036854775808", "INF double"),
        ("1.0e-9223372036854775808", "0.0E0 double"), ("0.1e-9223372036854775807", "0.0E0 double"),
        ("1e-9223372036854775809", "0.0E0 double"), ("0.0e9223372036854775807", "0 integer"),
        ("10.0e4294967297", "INF double"), ("0.01e-4294967296", "0.0E0 double"),
        ("1.1", "1.1E0 double"), ("0.1", "1.0E-1 double"), ("5.3e-5", "5.3E-5 double"), ("-12.75", "-1.275E1 double"),
        ("123456789.123456789", "1.234567891234568E8 double"), ("0.30000000000000004", "3.0E-1 double"),
        ("9.007199254740993", "9.007199254740993E0 double"), ("5e-324", "4.940656458412465E-324 double"),
        ("1.7976931348623157e308", "1.797693134862316E308 double"), ("9.9999999999999999", "1.0E1 double"),
        ("2.2250738585072014e-308", "2.225073858507201E-308 double"), ("1e400", "INF double"),
        ("true", "true boolean"), ("\"1\"", "1 string"),
    ])
    func natives(_ value: String, _ expected: String) throws {
        #expect(try literal(value) == expected)
    }

    @Test func datatypesOfNumbers() throws {
        let double = "http://www.w3.org/2001/XMLSchema#double"
        #expect(try literal("10", type: double) == "1.0E1 double")
        #expect(try literal("0", type: double) == "0.0E0 double")
        #expect(try literal("\"10\"", type: double) == "10 double")
        #expect(try literal("1.5", type: "http://www.w3.org/2001/XMLSchema#decimal") == "1.5E0 decimal")
        #expect(try literal("15", type: "http://www.w3.org/2001/XMLSchema#decimal") == "15 decimal")
        #expect(try literal("true", type: "http://www.w3.org/2001/XMLSchema#string") == "true string")
    }

    @Test func jsonLiterals() throws {
        #expect(
            try literal(#"{"b": [1.0, null], "a": "\u00e9"}"#, type: "@json")
                == "{\"a\":\"\u{E9}\",\"b\":[1,null]} JSON")
        #expect(throws: JSONLDError(.invalidJSONLiteral)) { try literal("[1e400]", type: "@json") }
    }
}
