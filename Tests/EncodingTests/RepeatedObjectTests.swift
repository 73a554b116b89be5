import Encoding
import Testing

/// An object that repeats an earlier object byte by byte is not parsed again. The result is the same; only the time
/// differs.
@Suite struct RepeatedObjectTests {
    /// Returns an object long enough to be kept, with `depth` nested containers including itself.
    private func object(depth: Int = 1) -> String {
        let inner = String(repeating: #"{"a":"#, count: depth - 1) + "1" + String(repeating: "}", count: depth - 1)
        return #"{"text":"\#(String(repeating: "x", count: 300))","inner":\#(inner)}"#
    }

    private func code(_ text: String, _ limits: JSON.Limits = .init()) -> JSONError.Code? {
        do throws(JSONError) {
            _ = try JSON.parse(text, limits: limits)
            return nil
        } catch { return error.code }
    }

    @Test func repetitionsAreRead() throws {
        let (text, other) = (object(), object().replacing("inner", with: "other"))
        let value = try JSON.parse(#"{"first":[\#(text)],"again":{"in":\#(text)},"other":\#(other)}"#)
        let single = try JSON.parse(text)
        #expect(value["first"] == [single] && value["again"]?["in"] == single)
        #expect(value["other"]?["other"] == 1 && value["other"] != single)
        #expect(try JSON.parse(value.compactBytes) == value)
    }

    @Test func textAfterARepetitionIsChecked() {
        let text = object()
        for (end, wanted) in [("]", nil), (",]", .syntax), ("}", .syntax), ("", .syntax), ("] ]", .syntax)]
            as [(String, JSONError.Code?)]
        {
            #expect(code("[\(text),\(text)\(end)") == wanted)
        }
        #expect(code("[\(text),\(text.dropLast())") == .syntax)
        #expect(code("[\(text),\(text.dropLast()),\"text\":1}]") == .duplicateName)
        #expect(code(#"{"a":\#(text),"a":\#(text)}"#) == .duplicateName)
    }

    @Test func depthIsExact() {
        // An array, an object and 4 inner objects are 6 containers; the repetition is one level deeper.
        let text = object(depth: 5)
        var limits = JSON.Limits()
        limits.depth = 7
        #expect(code("[\(text),[\(text)]]", limits) == nil)
        #expect(code("[\(text),[[\(text)]]]", limits) == .tooDeep)
        // An object that contains a repetition has the depth of the repeated object plus one.
        let holder = #"{"text":"\#(String(repeating: "y", count: 300))","holds":\#(text)}"#
        #expect(code("[[\(text)],\(holder),[\(holder)]]", limits) == .tooDeep)
        limits.depth = 8
        #expect(code("[[\(text)],\(holder),[\(holder)]]", limits) == nil)
    }

    @Test func numberOfValuesIsExact() {
        // The array, and three values for each object: the object itself, a text and a number.
        let text = object()
        var limits = JSON.Limits()
        limits.values = 10
        #expect(code("[\(text),\(text),\(text)]", limits) == nil)
        limits.values = 9
        #expect(code("[\(text),\(text),\(text)]", limits) == .tooLarge)
    }
}
