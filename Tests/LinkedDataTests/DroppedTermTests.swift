import Encoding
import LinkedData
import Testing

/// The list of members that no signature over the dataset covers, as the expansion reports them.
@Suite struct DroppedTermTests {
    private func dropped(_ text: String, _ options: Options = Options()) throws -> [String] {
        let processor = JSONLDProcessor(contexts: ContextDocuments([:]))
        return try processor.expand(try JSON.parse(text), options: options).dropped
            .map { "\($0.pointer) \($0.reason)" }
    }

    @Test func nothingIsDroppedOfAFullyDefinedDocument() throws {
        let text = """
            {"@context": {"id": "@id", "type": "@type", "T": "ex:T", "name": "ex:name", "knows": {"@id": "ex:knows", "@type": "@id"},
             "list": {"@id": "ex:list", "@container": "@list"}, "j": {"@id": "ex:j", "@type": "@json"}},
             "id": "urn:a", "type": ["T"], "name": ["x", true, 1.5], "knows": ["urn:b", {"id": "_:c", "name": "y"}],
             "list": [], "j": null}
            """
        #expect(try dropped(text) == [])
    }

    @Test func undefinedMembersAndTypes() throws {
        let text = """
            {"@context": {"id": "@id", "type": "@type", "T": "ex:T", "sub": "ex:sub", "dated": {"@id": "ex:d", "@type": "ex:date"}},
             "id": "urn:a", "type": ["T", "Unknown"], "secret": {"deep": 1},
             "sub": {"id": "urn:b", "type": "Other", "a/b~c": 1, "sub": [{"x": 1}, "y"]}}
            """
        #expect(
            try dropped(text) == [
                "/type/1 undefinedType", "/secret undefinedTerm", "/sub/type undefinedType",
                "/sub/a~1b~0c undefinedTerm", "/sub/sub/0/x undefinedTerm",
            ])
    }

    @Test func emptyValues() throws {
        let text = """
            {"@context": {"p": "ex:p", "q": {"@id": "ex:q", "@container": "@set"}}, "@id": "urn:a",
             "p": [null, 1, {"@value": null}, []], "q": [], "ex:r": null, "ex:s": {"@set": []}}
            """
        #expect(
            try dropped(text) == [
                "/p/0 emptyValue", "/p/2 emptyValue", "/p/3 emptyValue", "/q emptyValue", "/ex:r emptyValue",
                "/ex:s emptyValue",
            ])
    }

    @Test func relativeReferencesWithoutABase() throws {
        let text = """
            {"@context": {"ref": {"@id": "ex:ref", "@type": "@id"}, "p": "ex:p"}, "@id": "urn:a",
             "ref": ["b", "urn:b"], "p": {"@id": "c", "p": "lost with it"}, "ex:lost in space": 1, "_:p": 1}
            """
        #expect(
            try dropped(text) == [
                "/ref/0 relativeIRI", "/p relativeIRI", "/ex:lost in space relativeIRI", "/_:p blankProperty",
            ])
        #expect(
            try dropped(text, Options(base: "http://base/")) == ["/ex:lost in space relativeIRI", "/_:p blankProperty"])
    }

    @Test func aRelativeSubjectTakesAllItsMembers() throws {
        let text = #"{"@id": "a", "ex:p": 1, "ex:q": {"@id": "urn:b", "ex:r": 2}}"#
        #expect(try dropped(text) == ["/@id relativeIRI", "/ex:p relativeIRI", "/ex:q relativeIRI"])
    }

    @Test func freeFloatingParts() throws {
        let text = #"[1, {"@id": "urn:a"}, {"@graph": ["x", {"@value": "y"}, {"@id": "urn:b", "ex:p": 1}]}]"#
        #expect(
            try dropped(text) == [
                "/0 freeFloating", "/1 freeFloating", "/2/@graph/0 freeFloating", "/2/@graph/1 freeFloating",
            ])
    }

    @Test func indexesDirectionsAndLanguages() throws {
        let text = """
            {"@context": {"m": {"@id": "ex:m", "@container": "@index"}, "l": {"@id": "ex:l", "@container": "@language"}},
             "@id": "urn:a", "@index": "i", "m": {"k": 1}, "l": {"en": "x", "not a tag": "y", "de": null},
             "ex:d": {"@value": "z", "@direction": "rtl"}, "ex:e": {"@value": "z", "@language": "a b"}}
            """
        #expect(
            try dropped(text) == [
                "/@index index", "/m/k index", "/l/not a tag languageTag", "/l/de emptyValue",
                "/ex:d/@direction direction", "/ex:e languageTag",
            ])
        let kept = #"{"@id": "urn:a", "ex:d": {"@value": "z", "@direction": "rtl"}}"#
        #expect(try dropped(kept, Options(rdfDirection: .i18nDatatype)) == [])
    }

    /// Removing a listed member leaves the canonical dataset unchanged. Removing any other member changes the dataset.
    @Test func deletionAgreesWithTheList() throws {
        let text = """
            {"@context": {"id": "@id", "type": "@type", "T": "ex:T", "s": "ex:s", "g": {"@id": "ex:g", "@container": "@graph"},
              "ref": {"@id": "ex:ref", "@type": "@id"}, "date": {"@id": "ex:date", "@type": "nodate:"}, "n": "@nest",
              "i": {"@id": "ex:i", "@container": "@id"}, "r": {"@reverse": "ex:r"}},
             "id": "urn:a", "type": ["T", "U"], "s": {"t": 1, "s": "x", "id": "urn:s", "type": ["V"]}, "g": {"s": "y", "z": 1},
             "ref": ["urn:b", "c"], "n": {"s": "nested", "w": 1}, "i": {"urn:i": {"s": 1}, "rel": {"s": 2}},
             "r": [{"id": "urn:r", "s": 3}, {"id": "rel", "s": 4}], "e": [], "s2": null}
            """
        let processor = JSONLDProcessor(contexts: ContextDocuments([:]))
        let document = try JSON.parse(text)
        func canonical(_ document: JSON) throws -> [UInt8] {
            try RDFC10.canonicalize(try processor.deserialize(document).dataset).nQuads
        }
        let whole = try canonical(document)
        let dropped = Set(try processor.expand(document).dropped.map(\.pointer))
        #expect(dropped.count == 10)
        for pointer in pointers(in: document) where !pointer.hasPrefix("/@context") {
            let isListed = dropped.contains { pointer == $0 || pointer.hasPrefix($0 + "/") }
            let remains = removing(pointer.split(separator: "/").map(String.init)[...], from: document)
            let isUnsigned = (try? canonical(remains)) == whole
            // A node may be dropped because of its name. Without the name, the node would appear in the dataset.
            if pointer.hasSuffix("/id"), isListed { continue }
            #expect(isListed == isUnsigned, "\(pointer)")
        }
    }

    private func pointers(in value: JSON, _ prefix: String = "") -> [String] {
        switch value {
        case .array(let elements):
            elements.enumerated().flatMap { ["\(prefix)/\($0)"] + pointers(in: $1, "\(prefix)/\($0)") }
        case .object(let object):
            object.members.flatMap { ["\(prefix)/\($0.name)"] + pointers(in: $0.value, "\(prefix)/\($0.name)") }
        default: []
        }
    }

    private func removing(_ path: ArraySlice<String>, from value: JSON) -> JSON {
        guard let step = path.first else { return .null }
        switch value {
        case .array(var elements):
            guard let index = Int(step) else { return value }
            if path.count == 1 {
                elements.remove(at: index)
            } else {
                elements[index] = removing(path.dropFirst(), from: elements[index])
            }
            return .array(elements)
        case .object(var object):
            let name = Text(step)
            object[name] = path.count == 1 ? nil : removing(path.dropFirst(), from: object[name] ?? .null)
            return .object(object)
        default: return value
        }
    }
}
