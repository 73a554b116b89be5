import Testing

@testable import Encoding

/// A known object is recognised by its bytes. The result is the same as without recognition; only the time differs.
@Suite struct KnownObjectTests {
    private static let letters = #"{ "b":[1,{"c":"\u0061"}], "a" : 1e1,"":null}"#

    private func known(_ letters: String = letters, in text: String? = nil, largest: Int = 1000) throws -> KnownObject?
    {
        let object = try #require(try JSON.parse(letters).object)
        return find([object], in: text ?? letters, largest: largest).first
    }

    private func find(_ objects: [JSONObject], in text: String, largest: Int = 1000) -> [KnownObject] {
        KnownObject.find(objects, in: Array(text.utf8), limits: .init(), largest: largest)
    }

    private func code(_ text: String, _ known: KnownObject?, _ limits: JSON.Limits) -> JSONError? {
        do throws(JSONError) {
            _ = try JSON.parse(Array(text.utf8), limits: limits, knowing: [known].compactMap(\.self))
            return nil
        } catch { return error }
    }

    @Test func isRecognisedAtEveryPlace() throws {
        let known = try #require(try known())
        let text = #"{"x":[\#(Self.letters),{"y":\#(Self.letters)}],"z":{ "b":[1,{"c":"a"}]}}"#
        let read = try JSON.parse(Array(text.utf8), knowing: [known])
        let plain = try JSON.parse(text)
        #expect(read == plain && read.hashValue == plain.hashValue && read.compactBytes == plain.compactBytes)
        #expect(try read.canonicalized() == plain.canonicalized())
        #expect(read["x"]?.array?[0].object?.known === known && read["x"]?.array?[1]["y"]?.object?.known === known)
        #expect(read.object?.known == nil && read["z"]?.object?.known == nil)
        #expect(try JSON.parse(Array(Self.letters.utf8), knowing: [known]).object?.known === known)
    }

    @Test func otherLettersAreReadAsEver() throws {
        let known = try #require(try known())
        for place in Self.letters.utf8.indices {
            for letter in [#"""#, "x", "1", " ", "}", "]"] as [Character] {
                var text = Self.letters
                text.replaceSubrange(place...place, with: [letter])
                let (read, plain) = (try? JSON.parse(Array(text.utf8), knowing: [known]), try? JSON.parse(text))
                #expect(read == plain && (text == Self.letters || read?.object?.known == nil))
            }
        }
        for cut in 1..<Self.letters.utf8.count {
            #expect(code(String(Self.letters.dropLast(cut)), known, .init())?.code == .syntax)
        }
        #expect(code(Self.letters + "}", known, .init())?.code == .syntax)
        #expect(code(#"{"a":\#(Self.letters),"a":1}"#, known, .init())?.code == .duplicateName)
    }

    @Test func limitsAreThoseOfItsLetters() throws {
        let known = try #require(try known())
        let text = #"{"x":[\#(Self.letters),\#(Self.letters)]}"#
        var limits = JSON.Limits()
        for depth in 1...7 {
            limits.depth = depth
            #expect(
                code(text, known, limits) == code(text, nil, limits) && (code(text, nil, limits) == nil) == (depth > 4))
        }
        for values in 1...18 {
            limits.values = values
            #expect(code(text, known, limits) == code(text, nil, limits))
        }
        #expect(code(text, known, limits) == nil)
    }

    @Test func changedObjectsAreNotRecognised() throws {
        let known = try #require(try known())
        for change in [
            { $0["a"] = 2 }, { $0["a"] = nil }, { $0["new"] = 1 }, { _ = $0.appendIfNew(.init("new", 1)) },
        ] as [(inout JSONObject) -> Void] {
            var object = try #require(try JSON.parse(Array(Self.letters.utf8), knowing: [known]).object)
            var plain = try #require(try JSON.parse(Self.letters).object)
            change(&object)
            change(&plain)
            #expect(object == plain && object.known == nil)
            #expect(try JSON.object(object).canonicalized() == JSON.object(plain).canonicalized())
        }
        var object = try #require(try JSON.parse(Array(Self.letters.utf8), knowing: [known]).object)
        #expect(!object.appendIfNew(.init("a", 1)) && object["a"] == .number(.init(validated: "1e1")))
    }

    @Test func manyMembersAreFound() throws {
        let letters = "{" + (0..<100).map { #""name\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        let known = try #require(try known(letters, largest: 10_000))
        var object = try #require(try JSON.parse(Array(letters.utf8), knowing: [known]).object)
        #expect(object.known != nil && object["name77"] == 77 && object["name100"] == nil)
        object["name100"] = 100
        object["name0"] = nil
        #expect(object["name77"] == 77 && object["name100"] == 100 && object["name0"] == nil && object.count == 100)
    }

    @Test func notEverythingCanBeKnown() throws {
        #expect(try known(in: #"[1,{"a":1},\#(Self.letters)]"#)?.text == Array(Self.letters.utf8))
        #expect(try known(in: #"{"a":{"b":[1,{"c":"a"}],"a":1e1,"":0}}"#) == nil)
        #expect(try known(in: "no JSON") == nil)
        #expect(try known(largest: Self.letters.utf8.count) != nil)
        #expect(try known(largest: Self.letters.utf8.count - 1) == nil)
        #expect(try known(#"{"a":1e999}"#) == nil)
        #expect(try known("{}") == nil)
        let known = try #require(try known())
        let again = try #require(try JSON.parse(Array(Self.letters.utf8), knowing: [known]).object)
        #expect(find([again], in: Self.letters).isEmpty)
    }

    @Test func manyAreFoundAtOnce() throws {
        let letters = [#"{"a":1}"#, #"{"b": {"a":1}}"#, #"{"c":{}}"#, #"{"d":4}"#]
        let objects = try letters.map { try #require(try JSON.parse($0).object) }
        let text = #"[\#(letters[1]),{"b":{"a":1}},\#(letters[2]),{"a": 1}]"#
        #expect(find(objects, in: text).map { String(decoding: $0.text, as: UTF8.self) } == Array(letters[0...2]))
    }

    @Test func thoseOfTheSameLettersAreTheSame() throws {
        let (one, other) = (try #require(try known()), try #require(try known()))
        let spaced = try #require(try known(Self.letters, in: "[" + Self.letters.replacing(":", with: ": ") + "]"))
        #expect(one !== other && one == other && one != spaced && Set([one, other, spaced]).count == 2)
        #expect(one.object == spaced.object && one.canonical == spaced.canonical)
    }
}
