"""Makes documents with random contexts, and prints PyLD's results for them: scoped_contexts.py SEED COUNT

Each line is JSON: {"contexts": {URL: context document}, "document": ..., "canonical": N-Quads or null,
"error": code or null}.
The contexts use the scopes of JSON-LD 1.1: contexts of properties and of types, @protected, lists of contexts, and,
below them, containers, coercions and aliases. They avoid everything that PyLD is known to process differently from the
specification: @import and a false @protected, which PyLD regards as terms, @propagate in lists, null contexts, and maps
by language, id, type or graph. The same seed results in the same lines.
"""
import copy
import json
import random
import sys

from pyld import jsonld
from pyld.resolved_context import ResolvedContext

# Switch off PyLD's cache of processed contexts, because it sometimes returns the wrong one.
ResolvedContext.get_processed = lambda self, active: None

BASE = "https://scopes.example/"
NAMES = ["name", "level", "role", "zones", "owner", "parts", "note", "day"]
TYPES = ["Pass", "Admin", "Guest", "Item"]
VOCABULARIES = ["https://a.example/#", "https://b.example/#", "https://c.example/#"]
XSD = "http://www.w3.org/2001/XMLSchema#"


class Maker:
    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        # Use scopes either of properties or of types. With both, PyLD ends the scopes too early, and it processes a
        # term's own scope twice if that scope defines the term again with another scope.
        self.of_types = chance.random() < 0.5
        self.open = []
        # PyLD caches loaded contexts, so each URL must name only one context.
        self.urls = [f"{BASE}{seed}/c{number}" for number in range(chance.randint(1, 4))]
        self.contexts = {}
        for number, url in enumerate(self.urls):
            # A context refers only to contexts made before it, because a cycle of contexts would always be an error.
            self.contexts[url] = {"@context": self.context(self.urls[:number], 2, is_scope=False) or {}}

    def one_in(self, count):
        return self.chance.randrange(count) == 0

    def iri(self, name):
        return self.chance.choice(VOCABULARIES) + name

    def context(self, urls, depth, is_scope=True):
        """Returns a random value of @context."""
        if depth and self.one_in(4):
            return [self.single(urls, depth - 1, False) for _ in range(self.chance.randint(1, 3))]
        return self.single(urls, depth, is_scope)

    def single(self, urls, depth, is_scope):
        """Returns one context. Only the context of a scope, outside a list, can have @base: in a loaded document
        JSON-LD ignores @base, and PyLD does not."""
        if urls and self.one_in(3):
            return self.chance.choice(urls)
        result = {}
        if self.one_in(4):
            result["@version"] = 1.1
        if self.one_in(4):
            result["@vocab"] = self.chance.choice(VOCABULARIES)
        if self.one_in(6):
            # Never false, because PyLD regards a false @protected as a term.
            result["@protected"] = True
        if self.one_in(10):
            result["@language"] = self.chance.choice(["en", "de"])
        if is_scope and self.one_in(12):
            result["@base"] = self.chance.choice([BASE + "base/", None])
        for name in self.chance.sample(NAMES, self.chance.randint(0, 4)):
            if name in self.open:
                continue
            result[name] = self.definition(name, urls, depth)
        for name in self.chance.sample(TYPES, self.chance.randint(0, 2)):
            result[name] = self.type(name, urls, depth)
        for alias, keyword in (("id", "@id"), ("type", "@type"), ("nest", "@nest")):
            if self.one_in(3):
                result[alias] = keyword
        return result

    def definition(self, name, urls, depth):
        if self.one_in(12):
            return None
        if self.one_in(3):
            return self.iri(name)
        result = {"@id": self.iri(self.chance.choice([name, name, self.chance.choice(NAMES)]))}
        if self.one_in(3):
            result["@type"] = self.chance.choice(["@id", "@vocab", "@none", XSD + "date", XSD + "integer"])
        if self.one_in(4):
            result["@container"] = self.chance.choice(["@set", "@list", "@index", ["@set", "@index"]])
        if self.one_in(10):
            result["@language"] = self.chance.choice(["en", None])
        if self.one_in(8):
            result["@protected"] = self.chance.choice([True, False])
        if self.one_in(20):
            result["@nest"] = "nest"
        if depth and not self.of_types and self.one_in(3):
            self.open.append(name)
            result["@context"] = self.context([], depth - 1)
            self.open.pop()
        return result

    def type(self, name, urls, depth):
        result = {"@id": self.iri(name)}
        if depth and self.of_types and not self.one_in(3):
            result["@context"] = self.context(urls, depth - 1)
        if self.one_in(8):
            result["@protected"] = True
        return result

    def node(self, depth):
        result = {}
        if self.one_in(8):
            result["@context"] = self.context(self.urls, 1)
        if self.one_in(2):
            key = self.chance.choice(["@type", "type"])
            types = self.chance.sample(TYPES, self.chance.randint(1, 2))
            result[key] = types[0] if len(types) == 1 else types
        if self.one_in(3):
            result[self.chance.choice(["@id", "id"])] = self.chance.choice([BASE + "n1", "did:example:n2"])
        for name in self.chance.sample(NAMES, self.chance.randint(1, 4)):
            result[name] = self.value(depth)
        if self.one_in(12):
            result[self.chance.choice(["@nest", "nest"])] = {self.chance.choice(NAMES): self.value(depth)}
        return result

    def value(self, depth):
        choices = ["text", "Admin", "Guest", 3, 2.5, 1e21, True, "2026-01-01", BASE + "other", "did:example:n2", None]
        kind = self.chance.randrange(10)
        if kind < 4 or not depth:
            return self.chance.choice(choices)
        if kind < 7:
            return self.node(depth - 1)
        if kind == 7:
            return [self.value(depth - 1) for _ in range(self.chance.randint(0, 3))]
        if kind == 8:
            return self.chance.choice([
                {"@value": self.chance.choice(["text", 3, True])}, {"@value": "text", "@language": "en"},
                {"@value": "2026-01-01", "@type": XSD + "date"}, {"@id": "did:example:n2"}, {"@id": BASE + "other"},
                {"@list": ["a", 1]}, {"@set": ["a", 1]}])
        return {self.chance.choice(["a", "en", "Pass", BASE + "key", "@none"]): self.value(depth - 1)}

    def document(self):
        node = self.node(3)
        contexts = [self.chance.choice(self.urls) if not self.one_in(5) else self.single(self.urls, 1, False)
                    for _ in range(self.chance.randint(1, 3))]
        return {"@context": contexts if len(contexts) > 1 else contexts[0], **{
            name: value for name, value in node.items() if name != "@context"}}


def line(seed):
    maker = Maker(seed)
    document = maker.document()

    def load(url, options=None):
        if url not in maker.contexts:
            raise jsonld.JsonLdError("unknown", "loading", code="loading remote context failed")
        return {"contentType": "application/ld+json", "contextUrl": None, "documentUrl": url,
                # A copy, because PyLD changes the documents that it loads.
                "document": copy.deepcopy(maker.contexts[url])}

    canonical, error = None, None
    try:
        canonical = jsonld.normalize(copy.deepcopy(document), {
            "algorithm": "URDNA2015", "format": "application/n-quads", "documentLoader": load, "base": BASE})
    except jsonld.JsonLdError as failure:
        while isinstance(failure.__cause__, jsonld.JsonLdError):
            failure = failure.__cause__
        error = failure.code or failure.type
    except Exception as failure:
        # An internal error of PyLD; there is no result to compare with.
        error = "internal " + type(failure).__name__
    return {"contexts": maker.contexts, "document": document, "canonical": canonical, "error": error}


def main():
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for number in range(first, first + count):
        print(json.dumps(line(number)), flush=False)


if __name__ == "__main__":
    main()
