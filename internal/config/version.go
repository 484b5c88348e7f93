package config

// Version is set by the linker.
var Version = "dev"
