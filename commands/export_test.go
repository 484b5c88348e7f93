package commands

// SubmitLimit is submitLimit, for tests.
const SubmitLimit = submitLimit
