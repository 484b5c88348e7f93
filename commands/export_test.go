package commands

// SubmitLimit is a bound that tests speak of.
const SubmitLimit = submitLimit
