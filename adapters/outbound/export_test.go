package outbound

// ControlPublic is the last check, on the socket itself, of a guard on a host without addresses of its own.
var ControlPublic = (&Guard{own: newOwnAddresses(nil)}).control
