# shellcheck shell=bash
# Functions for the scripts that make Python environments, which source this file.

# pip_install ENVIRONMENT WORD...: installs packages of PyPI into an environment, with up to three attempts, because
# PyPI may be unavailable for a moment. Returns 1 if all attempts fail.
pip_install() {
    local environment="$1" pause
    shift
    for pause in 5 20 0; do
        "$environment/bin/pip" install --quiet --disable-pip-version-check --retries 5 --timeout 60 "$@" >&2 && return 0
        sleep "$pause"
    done
    return 1
}
