/// The waits between failing attempts: the first one, doubled with each further failure, up to the longest.
enum DoublingWait {
    /// Returns the wait after a failure that `failures` others preceded.
    static func after(_ failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(failures, 30)), longest)
    }
}
