package config

// FirstAccount is the account that the first start opens, and the one that commands mean which are told of none. Design §10.
const FirstAccount = "default"
