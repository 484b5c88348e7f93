package config

// FirstAccount is the account that the first start opens, and the default of commands. Design §10.
const FirstAccount = "default"
