// Package deploy holds deploy/ against the programs that read it: the chart against Helm's engine and the types of Kubernetes,
// the compose files against compose-go, and their flags, variables, ports and probes against the service's own. It is a module of
// its own, so that none of these libraries is one of the service.
package deploy
