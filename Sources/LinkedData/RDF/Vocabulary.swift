package import Encoding

/// The XML Schema datatypes that JSON-LD and N-Quads use.
package enum XSD {
    /// `xsd:string`, the datatype of a plain literal.
    package static let string: Text = "http://www.w3.org/2001/XMLSchema#string"
    /// `xsd:boolean`
    package static let boolean: Text = "http://www.w3.org/2001/XMLSchema#boolean"
    /// `xsd:integer`
    package static let integer: Text = "http://www.w3.org/2001/XMLSchema#integer"
    /// `xsd:double`
    package static let double: Text = "http://www.w3.org/2001/XMLSchema#double"
}

/// The part of the RDF vocabulary that JSON-LD and N-Quads use.
package enum RDF {
    /// `rdf:type`
    package static let type: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
    /// `rdf:first`
    package static let first: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#first"
    /// `rdf:rest`
    package static let rest: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#rest"
    /// `rdf:nil`
    package static let `nil`: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#nil"
    /// `rdf:langString`, the datatype of a literal with a language tag.
    package static let langString: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"
    /// `rdf:JSON`, the datatype of a JSON literal (JSON-LD 1.1 section 10.2).
    package static let json: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON"
    /// `rdf:value` of a compound literal (JSON-LD 1.1 section 10.3).
    package static let value: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#value"
    /// `rdf:language` of a compound literal.
    package static let language: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#language"
    /// `rdf:direction` of a compound literal.
    package static let direction: Text = "http://www.w3.org/1999/02/22-rdf-syntax-ns#direction"
    /// The beginning of the datatype IRI of a literal with direction under `i18n-datatype`.
    static let i18n: Text = "https://www.w3.org/ns/i18n#"
}
