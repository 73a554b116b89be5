package import Encoding

/// Why a JSON-LD document was not processed, with an error code of JSON-LD 1.1 API section 9.6.
///
/// An error contains names in contexts and context URLs, but no values of the document.
package struct JSONLDError: Error, Hashable, Sendable {
    /// The error codes. The raw value is the text of the code in the recommendation.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case collidingKeywords = "colliding keywords"
        case conflictingIndexes = "conflicting indexes"
        case contextOverflow = "context overflow"
        case cyclicIRIMapping = "cyclic IRI mapping"
        case invalidBaseDirection = "invalid base direction"
        case invalidBaseIRI = "invalid base IRI"
        case invalidContainerMapping = "invalid container mapping"
        case invalidContextEntry = "invalid context entry"
        case invalidContextNullification = "invalid context nullification"
        case invalidDefaultLanguage = "invalid default language"
        case invalidIDValue = "invalid @id value"
        case invalidImportValue = "invalid @import value"
        case invalidIncludedValue = "invalid @included value"
        case invalidIndexValue = "invalid @index value"
        case invalidIRIMapping = "invalid IRI mapping"
        case invalidJSONLiteral = "invalid JSON literal"
        case invalidKeywordAlias = "invalid keyword alias"
        case invalidLanguageMapValue = "invalid language map value"
        case invalidLanguageMapping = "invalid language mapping"
        case invalidLanguageTaggedString = "invalid language-tagged string"
        case invalidLanguageTaggedValue = "invalid language-tagged value"
        case invalidLocalContext = "invalid local context"
        case invalidNestValue = "invalid @nest value"
        case invalidPrefixValue = "invalid @prefix value"
        case invalidPropagateValue = "invalid @propagate value"
        case invalidProtectedValue = "invalid @protected value"
        case invalidRemoteContext = "invalid remote context"
        case invalidReverseProperty = "invalid reverse property"
        case invalidReversePropertyMap = "invalid reverse property map"
        case invalidReversePropertyValue = "invalid reverse property value"
        case invalidReverseValue = "invalid @reverse value"
        case invalidScopedContext = "invalid scoped context"
        case invalidSetOrListObject = "invalid set or list object"
        case invalidTermDefinition = "invalid term definition"
        case invalidTypeMapping = "invalid type mapping"
        case invalidTypeValue = "invalid type value"
        case invalidTypedValue = "invalid typed value"
        case invalidValueObject = "invalid value object"
        case invalidValueObjectValue = "invalid value object value"
        case invalidVersionValue = "invalid @version value"
        case invalidVocabMapping = "invalid vocab mapping"
        case keywordRedefinition = "keyword redefinition"
        case loadingDocumentFailed = "loading document failed"
        case loadingRemoteContextFailed = "loading remote context failed"
        case processingModeConflict = "processing mode conflict"
        case protectedTermRedefinition = "protected term redefinition"
        /// The document exceeds a limit in ``JSONLDProcessor/Limits``. The recommendation does not have this code.
        case limitExceeded = "limit exceeded"
    }

    /// The error code.
    package var code: Code
    /// A term or keyword of a context, or the name of the exceeded limit, but never a value of the document. Nil if
    /// there is none.
    package var detail: Text?
    /// The JSON pointer (RFC 6901) to the place of the error in the document; nil if the error has no place.
    package var pointer: String?
    /// The URL of the context that is not available or is invalid; nil if the error is not about such a context.
    package var url: Text?

    /// Creates an error from the values of its properties.
    package init(_ code: Code, detail: Text? = nil, pointer: String? = nil, url: Text? = nil) {
        self.code = code
        self.detail = detail
        self.pointer = pointer
        self.url = url
    }
}
