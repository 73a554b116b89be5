import Encoding

extension MemberTrick {
    /// Tricks that write the same value in another form.
    static let values = [
        meant("value object") { $1.values.count == 1 ? $0.node.with($0.name, $1.values[0]) : nil },
        meant("value objects in an array") { $0.node.with($0.name, $1.value) },
        meant("full IRI as value") { site, meaning in
            guard meaning.values.count == 1, let id = meaning.values[0]["@id"]?.string,
                meaning.values[0].object?.count == 1
            else { return nil }
            return site.node.with(site.name, .string(id))
        },
        meant("compact IRI as value") { site, meaning in
            guard meaning.values.count == 1, let id = meaning.values[0]["@id"]?.string else { return nil }
            let texts = site.prefixes.compactMap { prefix in
                id.rest(behind: prefix.stem).map { Text(prefix.term.string + ":" + $0.string) }
            }
            return texts.first.map { compact in
                let isObject = (meaning.values[0].object?.count ?? 0) > 1
                guard isObject, var object = site.value.object else {
                    return site.node.with(site.name, .string(compact))
                }
                object[object["id"] == nil ? "@id" : "id"] = .string(compact)
                return site.node.with(site.name, .object(object))
            }
        },
        plain("compact IRI as id") { site in
            guard let id = site.value.string else { return nil }
            let texts = site.prefixes.compactMap { prefix in
                id.rest(behind: prefix.stem).map { Text(prefix.term.string + ":" + $0.string) }
            }
            return texts.first.map { site.node.with(site.name, .string($0)) }
        },
        plain("reference as object") { site in
            site.value.string.map { site.node.with(site.name, ["@id": .string($0)]) }
        },
        plain("object by its id alone") { site in
            guard site.value.object?.count == 1, let id = site.value["id"] else { return nil }
            return site.node.with(site.name, id)
        },
        plain("number in other digits") { site in
            guard let number = site.value.number else { return nil }
            let text = number.int == nil ? number.text + "0" : number.text + ".0"
            return site.node.with(site.name, .number(JSONNumber(validated: text)))
        },
        plain("number with an exponent") { site in
            guard let number = site.value.number, number.int != nil else { return nil }
            return site.node.with(site.name, .number(JSONNumber(validated: number.text + "e0")))
        },
    ]

    /// Tricks that write the same set in another form.
    static let sets = [
        plain("array of one") { $0.value.array == nil ? $0.node.with($0.name, [$0.value]) : nil },
        plain("value of an array of one") { site in
            guard let elements = site.value.array, elements.count == 1 else { return nil }
            return site.node.with(site.name, elements[0])
        },
        plain("nested arrays") { $0.node.with($0.name, [[.array($0.value.elements)]]) },
        plain("@set") { $0.node.with($0.name, ["@set": .array($0.value.elements)]) },
        plain("@set in an array") { $0.node.with($0.name, [["@set": $0.value]]) },
        plain("@list as written") { $0.node.with($0.name, ["@list": .array($0.value.elements)]) },
        plain("other order") { site in
            guard let elements = site.value.array, elements.count > 1 else { return nil }
            return site.node.with(site.name, .array(elements.reversed()))
        },
        plain("value repeated") { $0.node.with($0.name, .array($0.value.elements + $0.value.elements.prefix(1))) },
        plain("null beside") { $0.node.with($0.name, .array($0.value.elements + [.null])) },
        plain("one of several elsewhere") { site in
            guard let elements = site.value.array, elements.count > 1 else { return nil }
            return site.node.with(site.name, .several(elements.dropLast()))
                .with("@nest", [site.name: elements[elements.count - 1]])
        },
        plain("last member first") { site in
            guard let last = site.node.members.last, last.name == site.name else { return nil }
            return JSONObject([last] + site.node.members.dropLast())
        },
    ]
}
