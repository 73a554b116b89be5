/// Words that make a sentence hard to read: a subject without a noun, and words in a rare meaning.
enum HouseWords {
    /// The words. The unwanted words of the glossary are added to them.
    static let dialect = [
        "whoever", "somebody", "nobody", "anybody", "stands for", "stand for", "is told", "are told", "was told",
        "were told", "tells", "hears", "behind", "beside", "that one",
    ]
}
