import Testing

/// The entry point of the test bundle.
///
/// Without this file the package manager writes one, and looks for XCTest's test cases in the index of each test file. The
/// build has no index, which takes a tenth of its time, and there are no such test cases.
@main struct TestMain {
    static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
