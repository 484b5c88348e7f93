package admin

import (
	"net/http"

	"moviola/handlers/http/operation"
	"moviola/projections"
)

// Operations that show the state of the service.
var (
	readQueue = operation.Operation{
		Method: http.MethodGet, Path: "/admin/queue", ID: "readQueue", Tag: "Operator", Caller: operation.Operator,
		Summary: "What waits and what is being done",
		Answers: operation.OK("Each kind of work, and the shares of accounts in it, the longest wait first.",
			operation.A[QueueShown]()),
	}
	listWorkers = operation.Operation{
		Method: http.MethodGet, Path: "/admin/workers", ID: "listWorkers", Tag: "Operator", Caller: operation.Operator,
		Summary: "The processes of the installation",
		Text: "What each says about itself, not older than ten seconds: its slots, its sandbox, what it stores; " +
			"and what it does now.",
		Answers: operation.OK("The processes, by name.", operation.A[Workers]()),
	}
	readProjections = operation.Operation{
		Method: http.MethodGet, Path: "/admin/projections", ID: "readProjections", Tag: "Operator", Caller: operation.Operator,
		Summary: "The read models and their lag",
		Answers: operation.OK("As the process that answers sees them.", operation.A[ProjectionsShown]()),
	}
	rebuildProjections = operation.Operation{
		Method: http.MethodPost, Path: "/admin/projections/rebuild", ID: "rebuildProjections", Tag: "Operator",
		Caller: operation.Operator, Summary: "Make read models again from the log",
		Text: "Beside those in use, by the process that answers; lists go on meanwhile. GET /admin/projections of the same process " +
			"tells how far it is. It ends with the process, and can then be begun anew.",
		Parameters: []operation.Parameter{XOperatorParameter},
		Body:       operation.JSON(operation.A[rebuildRequest]()),
		Answers:    operation.OK("Begun.", operation.A[rebuilding]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "models_invalid"),
			operation.On(409, "A rebuild is running.", "rebuild_running"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	readConfiguration = operation.Operation{
		Method: http.MethodGet, Path: "/admin/configuration", ID: "readConfiguration", Tag: "Operator", Caller: operation.Operator,
		Summary: "The configuration in force",
		Answers: operation.OK("Every setting of the process that answers, with secrets hidden.", operation.A[Configuration]()),
	}
)

// serviceModels describe the JSON of the answers and bodies of the operations that show the state of the service.
var serviceModels = []operation.Model{
	operation.Of[QueueShown]("Queue", "", operation.F("more", "How many more shares of accounts there are.")),
	operation.Of[KindShown]("QueueKind", "",
		operation.F("role", "The role of processes that do it."),
		operation.F("waiting", "Due, and nobody has it; counted up to 10,000."),
		operation.F("oldest_seconds", "How long the first of those that wait has been due; 0 when none waits."),
	),
	operation.Of[ShareShown]("QueueAccount", "",
		operation.F("account", "Empty for the service's own work."),
		operation.F("share", "Its part of all work of the kind, waiting and running, from 0 to 1."),
	),
	operation.Of[Workers]("Workers", ""),
	operation.Of[Worker]("WorkersWorker", "",
		operation.F("name", "Host, process id and random digits."),
		operation.F("alive", "Whether it was heard of within a minute. The work of one that is silent goes to others."),
		operation.F("started_at", "", operation.Time),
		operation.F("seen_at", "", operation.Time),
		operation.F("disk_free", "Bytes that are free on the disk of its data folder."),
	),
	operation.Of[Doing]("WorkersDoing", "",
		operation.F("since", "When work on it began first.", operation.Time),
		operation.F("percent", "How far it is; null: that is not told."),
	),
	operation.Of[projections.ProcessSlots]("WorkersSlots", "", operation.F("slots", "How much of it is done at the same time.")),
	operation.Of[projections.ProcessLayer]("WorkersLayer", "",
		operation.F("state", "on, missing, off or unneeded."),
		operation.F("detail", "Why it is missing or not needed, or its version."),
	),
	operation.Of[projections.ProcessPlace]("WorkersPlace", "",
		operation.F("bytes", "Kept for all accounts; 0 without a bound for all, and until something is written."),
		operation.F("account_bytes", "The most for one account; 0: no bound."),
		operation.F("total_bytes", "The most for all accounts; 0: no bound."),
		operation.F("refused", "Writes that a bound has refused since the start."),
	),
	operation.Of[ProjectionsShown]("Projections", "",
		operation.F("message", "The error that is retried after; empty: none."),
		operation.F("position", "Place in the log that is in the read models."),
		operation.F("head", "Place in the log where it ends."),
		operation.F("lag_events", "Events that are not in the read models yet, counted up to 10,000."),
		operation.F("lag_seconds", "Age of the oldest of them."),
		operation.F("rebuild", "The last rebuild that was asked for in this process; null: none."),
	),
	operation.Of[ModelShown]("ProjectionsModel", "",
		operation.F("shape", "Version of its documents."),
		operation.F("building", "Whether it is being built anew by itself, after an upgrade."),
	),
	operation.Of[RebuildShown]("ProjectionsRebuild", "",
		operation.F("models", "Which; none: all."),
		operation.F("message", "Why it failed; empty: it did not."),
		operation.F("started_at", "", operation.Time),
	),
	operation.Of[rebuildRequest]("RebuildProjections", "", operation.F("models", "Their names; left out: all.", operation.Optional)),
	operation.Of[rebuilding]("RebuildingProjections", ""),
	operation.Of[Configuration]("Configuration", "", operation.F("process", "Name of the process that answers.")),
	operation.Of[Setting]("ConfigurationSetting", "",
		operation.F("name", "The flag."),
		operation.F("source", "Where the value comes from: flag, a variable, a file, or default."),
	),
}
