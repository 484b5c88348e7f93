package credits

import (
	"moviola/handlers/http/operation"
)

// models describe the JSON of the answers of the operations on credits.
var models = []operation.Model{
	operation.Of[credits]("Credits", "",
		operation.F("state", "suspended: all credits have been spent, and nothing may be submitted until some are added.",
			operation.Enum("active", "suspended", "closed")),
		operation.F("granted", "Ever."),
		operation.F("charged", "Ever."),
		operation.F("balance", "granted − charged"),
		operation.F("held", "Set aside for what is not made yet."),
		operation.F("available", "balance − held"),
		operation.F("storage_blocked", "Nothing may be stored in the media library until credits are added."),
		operation.F("period", "Null on plans that need credits."),
	),
	operation.Of[line]("LedgerEntry", "",
		operation.F("number", "Its place in the account's ledger, from 0."),
		operation.F("event", "Its persisted name.",
			operation.Enum("CreditsGranted", "CreditsHeld", "CreditsHoldChanged", "CreditsCharged", "CreditsReleased",
				"MovieCounted", "DraftCounted", "CountKept", "CountReleased", "ZeroBalancePurged", "LedgerClosed")),
		operation.F("subject", "The movie's project, an item of a preload batch as preload/number, or the reference of a grant."),
		operation.F("amount", "Credits it speaks of."),
		operation.F("granted", "By how much it changes what was granted."),
		operation.F("held", "By how much it changes what is held."),
		operation.F("charged", "By how much it changes what was charged."),
		operation.F("kind", "Of a grant: pack, or null."),
		operation.F("reason", "Why credits or a count were given back."),
		operation.F("period", "The month that a movie or draft was counted for."),
	),
	operation.Of[statement]("Ledger", "",
		operation.F("from", "Null: from the first entry on.", operation.Time),
		operation.F("to", "Null: up to the last one.", operation.Time),
	),
	operation.Of[counted]("CreditsPeriod", "",
		operation.F("month", "In UTC, such as 2026-11."),
	),
}
