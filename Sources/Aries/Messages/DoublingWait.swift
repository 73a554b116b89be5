/// The wait between failing attempts. Each further failure doubles it, up to a longest wait.
package enum DoublingWait {
    /// Returns the wait after a failure that followed `failures` other failures in a row: `first` for 0, and at most
    /// `longest`.
    package static func after(_ failures: Int, first: Duration, longest: Duration) -> Duration {
        min(first * (1 << min(failures, 30)), longest)
    }
}
