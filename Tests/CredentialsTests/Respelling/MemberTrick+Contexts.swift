import Encoding

extension MemberTrick {
    /// Tricks with names that the document itself defines.
    static let inline = [
        defining("inline alias") { site, meaning in
            Result(
                node: site.node.renaming(site.name, to: "respelt", meaning.value),
                context: ["respelt": .string(meaning.property)])
        },
        defining("inline alias with @container @set") { site, meaning in
            Result(
                node: site.node.renaming(site.name, to: "respelt", meaning.value),
                context: ["respelt": ["@id": .string(meaning.property), "@container": "@set"]])
        },
        defining("inline alias with @container @index") { site, meaning in
            Result(
                node: site.node.renaming(site.name, to: "respelt", ["key": meaning.value]),
                context: ["respelt": ["@id": .string(meaning.property), "@container": "@index"]])
        },
        defining("inline alias with @container @id") { site, meaning in
            guard meaning.values.count == 1, let node = meaning.values[0].object, let id = node["@id"]?.string else {
                return nil
            }
            return Result(
                node: site.node.renaming(
                    site.name, to: "respelt", .object([id: .object(node.without("@id"))])),
                context: ["respelt": ["@id": .string(meaning.property), "@container": "@id"]])
        },
        defining("inline alias with @type") { site, meaning in
            guard meaning.values.count == 1, let text = meaning.values[0]["@value"], text.string != nil,
                let type = meaning.values[0]["@type"]
            else { return nil }
            return Result(
                node: site.node.renaming(site.name, to: "respelt", text),
                context: ["respelt": ["@id": .string(meaning.property), "@type": type]])
        },
        defining("inline @reverse") { site, meaning in
            guard meaning.values.count == 1, var node = meaning.values[0].object, node["@value"] == nil else {
                return nil
            }
            if node["@id"] == nil { node["@id"] = "_:value" }
            node["respelt"] = ["@id": .string(site.id)]
            return Result(
                node: site.named(site.rest).with("@included", .object(node)),
                context: ["respelt": ["@reverse": .string(meaning.property)]])
        },
        defining("inline @vocab") { site, meaning in
            guard let (stem, local) = meaning.property.stemAndName else { return nil }
            return Result(
                node: site.node.renaming(site.name, to: local, meaning.value), context: ["@vocab": .string(stem)])
        },
        defining("inline prefix") { site, meaning in
            guard let (stem, local) = meaning.property.stemAndName else { return nil }
            return Result(
                node: site.node.renaming(site.name, to: Text("respelt:" + local.string), meaning.value),
                context: ["respelt": .string(stem)])
        },
        MemberTrick(name: "inline alias of @nest", isInline: true) { site in
            Result(node: site.rest.with("respelt", [site.name: site.value]), context: ["respelt": "@nest"])
        },
        defining("inline alias of @included") { site, meaning in
            Result(
                node: site.named(site.rest).with("respelt", .object(site.fragment(meaning))),
                context: ["respelt": "@included"])
        },
        MemberTrick(name: "inline alias of @id", isInline: true) { site in
            guard site.name == "id" else { return nil }
            return Result(node: site.node.renaming("id", to: "respelt"), context: ["respelt": "@id"])
        },
        MemberTrick(name: "inline alias of @type", isInline: true) { site in
            guard site.name == "type" else { return nil }
            return Result(node: site.node.renaming("type", to: "respelt"), context: ["respelt": "@type"])
        },
        defining("inline alias of @value") { site, meaning in
            guard meaning.values.count == 1, let object = meaning.values[0].object, object["@value"] != nil else {
                return nil
            }
            return Result(
                node: site.node.with(site.name, .object(object.renaming("@value", to: "respelt"))),
                context: ["respelt": "@value"])
        },
        defining("inline context below") { site, meaning in
            guard !site.isTop, site.node["@context"] == nil else { return nil }
            return Result(
                node: site.node.renaming(site.name, to: "respelt", meaning.value)
                    .with("@context", ["respelt": .string(meaning.property)]))
        },
        defining("@nest defined inline") { site, meaning in
            Result(
                node: site.rest.with("respelt", ["inner": meaning.value]),
                context: ["respelt": "@nest", "inner": ["@id": .string(meaning.property), "@nest": "respelt"]])
        },
    ]

    /// Tricks with names of another pinned context.
    static let pinned = [
        MemberTrick(name: "alias of a second context", isForm: true) { site in
            guard let meaning = site.meaning(), let alias = site.aliases[meaning.property] else { return nil }
            return Result(
                node: site.node.renaming(site.name, to: alias, meaning.value),
                context: .string(SecondContext.aliasURL))
        },
        meant("alias of a second context below") { site, meaning in
            guard !site.isTop, let alias = site.aliases[meaning.property] else { return nil }
            let contexts = (site.node["@context"]?.elements ?? []) + [.string(SecondContext.aliasURL)]
            return site.node.renaming(site.name, to: alias, meaning.value).with("@context", .several(contexts[...]))
        },
    ]

    private static func defining(
        _ name: String, _ apply: @escaping @Sendable (MemberSite, Meaning) -> Result?
    ) -> MemberTrick {
        MemberTrick(name: name, isInline: true) { site in site.meaning().flatMap { apply(site, $0) } }
    }
}

extension Text {
    /// The IRI divided after its last `#`, `/` or `:`.
    fileprivate var stemAndName: (Text, Text)? {
        let ends: [UInt8] = [UInt8(ascii: "#"), UInt8(ascii: "/"), UInt8(ascii: ":")]
        guard let end = utf8.lastIndex(where: ends.contains) else { return nil }
        let next = utf8.index(after: end)
        guard next < utf8.endIndex else { return nil }
        return (
            Text(String(decoding: utf8[..<next], as: UTF8.self)), Text(String(decoding: utf8[next...], as: UTF8.self))
        )
    }
}
