package admin

import (
	"net/http"

	"moviola/domain/operator"
	"moviola/handlers/http/operation"
)

// Declared lists the operations and models of this package, for the OpenAPI document.
var Declared = operation.Room{Operations: []operation.Operation{
	readAccounts, openAccount, closeAccount, grantCredits, listKeysOf, issueKeyFor, revokeKeyOf, changePlan, listActs,
	listUsage, readCapacity, listStuckWork, retryWork, dropWork, listOperators, addOperator, renewOperator, revokeOperator,
	listOperatorSessions, endOperatorSession,
	listPlans, readQueue, listWorkers, readProjections, rebuildProjections, readConfiguration,
}, Models: append(models, serviceModels...)}

// Parameters used by several of the operations under /admin.
var (
	XOperatorParameter = operation.Header("X-Operator", "How whoever has the token of the configuration is named in the "+
		"trail of operators' acts. Other tokens have names of their own.")
)

// The declarations of the operations under /admin.
var (
	readAccounts = operation.Operation{
		Method: http.MethodGet, Path: "/admin/accounts", ID: "readAccounts", Tag: "Operator", Caller: operation.Operator,
		Summary: "Accounts, or one of them",
		Parameters: []operation.Parameter{
			operation.Query("account", "One account."),
			operation.Limit("Accounts per page."),
			operation.NextToken,
		},
		Answers: operation.OK("One account with its credits, or a page of all in the order in which they were opened.",
			operation.Either(operation.Ref("AccountInFull"), operation.Ref("AccountsOfOperator"))),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_missing", "limit_invalid", "next_token_invalid"),
			operation.On(404, "There is no such account.", "account_not_found"),
		},
	}
	openAccount = operation.Operation{
		Method: http.MethodPost, Path: "/admin/accounts", ID: "openAccount", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn: true,
		Summary:     "Open an account",
		Parameters:  []operation.Parameter{XOperatorParameter},
		Body:        operation.JSON(operation.A[openRequest]()),
		Answers:     operation.OK("The account, with its admin key.", operation.A[opened]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "credits_invalid", "name_missing", "name_required", "name_too_long", "plan_invalid"),
			operation.On(409, "The account exists.", "account_exists"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	closeAccount = operation.Operation{
		Method: http.MethodDelete, Path: "/admin/accounts", ID: "closeAccount", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn: true,
		Summary:     "Close an account for ever",
		Parameters:  []operation.Parameter{operation.Query("account", "Which account.").Needed(), XOperatorParameter},
		Answers: operation.OK("Closed, now or before. Nothing is submitted or granted any more; open movies are cancelled, and "+
			"once they are settled everything that is stored is removed.", operation.Ref("ClosedAccount")),
		Refusals: []operation.Refusal{
			operation.On(400, "The account is missing.", "account_missing"),
			operation.On(404, "There is no such account.", "account_not_found"),
		},
	}
	grantCredits = operation.Operation{
		Method: http.MethodPost, Path: "/admin/credits", ID: "grantCredits", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn: true,
		Summary:     "Grant credits",
		Parameters:  []operation.Parameter{XOperatorParameter},
		Body:        operation.JSON(operation.A[grantRequest]()),
		Answers:     operation.OK("Granted, now or before with the same reference.", operation.A[granted]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_missing", "amount_invalid", "credits_invalid", "kind_unknown", "reference_missing",
				"reference_required"),
			operation.On(404, "There is no such account.", "account_not_found"),
			operation.On(409, "The account is closed.", "account_closed"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	listKeysOf = operation.Operation{
		Method: http.MethodGet, Path: "/admin/keys", ID: "listKeysOf", Tag: "Operator", Caller: operation.Operator,
		Summary: "An account's keys",
		Parameters: []operation.Parameter{
			operation.Query("account", "Whose keys.").Needed(),
			operation.Limit("Keys per page."),
			operation.NextToken,
		},
		Answers: operation.OK("A page of keys.", operation.Ref("Keys")),
		Refusals: []operation.Refusal{
			operation.On(400, "A parameter is missing or not valid.", "account_missing", "limit_invalid", "next_token_invalid"),
			operation.On(404, "There is no such account.", "account_not_found"),
		},
	}
	issueKeyFor = operation.Operation{
		Method: http.MethodPost, Path: "/admin/keys", ID: "issueKeyFor", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn: true,
		Summary:     "Issue a key for an account",
		Text: "The only way to issue keys of the legacy kinds: primary acts as admin, secondary as render, and " +
			"answers to them carry Deprecation.",
		Parameters: []operation.Parameter{XOperatorParameter},
		Body:       operation.JSON(operation.A[issueRequest]()),
		Answers:    operation.OK("Issued.", operation.A[issuedKey]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_missing", "expires_at_invalid", "legacy_invalid", "name_required", "name_too_long",
				"role_invalid"),
			operation.On(404, "There is no such account.", "account_not_found"),
			operation.On(409, "The account is closed.", "account_closed"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	revokeKeyOf = operation.Operation{
		Method: http.MethodDelete, Path: "/admin/keys", ID: "revokeKeyOf", Tag: "Operator", Caller: operation.Operator,
		Summary: "Revoke a key of whichever account",
		Parameters: []operation.Parameter{
			operation.Query("id", "The id of the key.", operation.Pattern(`^[0-9a-f]{32}$`)).Needed(),
			XOperatorParameter,
		},
		Answers: operation.OK("Revoked, now or before.", operation.A[revokedKey]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The id is missing or malformed.", "key_id_invalid"),
			operation.On(404, "There is no such key.", "key_not_found"),
		},
	}
	changePlan = operation.Operation{
		Method: http.MethodPost, Path: "/admin/accounts/plan", ID: "changePlan", Tag: "Operator", Caller: operation.Operator,
		Summary:    "Put an account on another plan",
		Parameters: []operation.Parameter{XOperatorParameter},
		Body:       operation.JSON(operation.A[planRequest]()),
		Answers:    operation.OK("On that plan; what is submitted from a second later on is held against it.", operation.A[planned]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "account_missing", "plan_invalid", "plan_missing"),
			operation.On(404, "There is no such account.", "account_not_found"),
			operation.On(409, "The account is closed.", "account_closed"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	listActs = operation.Operation{
		Method: http.MethodGet, Path: "/admin/acts", ID: "listActs", Tag: "Operator", Caller: operation.Operator,
		Summary: "What operators have done",
		Parameters: []operation.Parameter{
			operation.Query("on", "Only what was done to this account, key or piece of work."),
			operation.Limit("Acts per page."),
			operation.NextToken,
		},
		Answers: operation.OK("A page of the trail, the newest first. Every act is recorded before it is done: one that was "+
			"refused is here too.", operation.A[actPage]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "limit_invalid", "next_token_invalid"),
		},
	}
	listUsage = operation.Operation{
		Method: http.MethodGet, Path: "/admin/usage", ID: "listUsage", Tag: "Operator", Caller: operation.Operator,
		Summary: "What accounts did on each day",
		Parameters: []operation.Parameter{
			operation.Query("account", "Only this account."),
			operation.Query("start_date", "The first day: a date or a date-time; the day in UTC counts."),
			operation.Query("end_date", "The last day: a date or a date-time; the day in UTC counts."),
			operation.Limit("Documents per page."),
			operation.NextToken,
		},
		Answers: operation.OK("A page by day and account, the first day first. It may trail what was just done.",
			operation.A[usagePage]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "end_date_invalid", "limit_invalid", "next_token_invalid", "start_date_invalid"),
		},
	}
	readCapacity = operation.Operation{
		Method: http.MethodGet, Path: "/admin/capacity", ID: "readCapacity", Tag: "Operator", Caller: operation.Operator,
		Summary: "How many renderers are wanted",
		Answers: operation.OK("Movies that wait for a slot of a renderer, and those that have one. `slots_wanted` divided by "+
			"`--render-slots` is how many renderers an autoscaler should run.", operation.A[capacity]()),
	}
	listStuckWork = operation.Operation{
		Method: http.MethodGet, Path: "/admin/work", ID: "listStuckWork", Tag: "Operator", Caller: operation.Operator,
		Summary: "Work that is stuck",
		Answers: operation.OK("What has failed ten times or more in a row for its own reasons. It is tried again all the same.",
			operation.A[workList]()),
	}
	retryWork = operation.Operation{
		Method: http.MethodPost, Path: "/admin/work/retry", ID: "retryWork", Tag: "Operator", Caller: operation.Operator,
		Summary:    "Try stuck work anew",
		Text:       "One piece of work, or all; all only with the count that GET /admin/work has told.",
		Parameters: []operation.Parameter{XOperatorParameter},
		Body:       operation.JSON(operation.A[retryRequest]()),
		Answers:    operation.OK("Its failures are forgotten, and it is tried within a minute.", operation.A[retried]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "work_invalid"),
			operation.On(404, "No such work is stuck.", "work_not_found"),
			operation.On(409, "Another number of pieces of work is stuck now.", "work_count_changed"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	dropWork = operation.Operation{
		Method: http.MethodPost, Path: "/admin/work/drop", ID: "dropWork", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn: true,
		Summary:     "Give stuck work up",
		Parameters:  []operation.Parameter{XOperatorParameter},
		Body:        operation.JSON(operation.A[dropRequest]()),
		Answers: operation.OK("What it is about has ended as failed: the movie, its delivery, or the item of a batch.",
			operation.A[dropped]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "work_missing"),
			operation.On(404, "No such work is stuck.", "work_not_found"),
			operation.On(409, "It has to be done, or has been done since.", "work_done", "work_not_droppable"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	listOperators = operation.Operation{
		Method: http.MethodGet, Path: "/admin/operators", ID: "listOperators", Tag: "Operator", Caller: operation.Operator,
		Summary: "The operators with tokens of their own",
		Text:    "By name. Whoever has the token of the configuration is an owner, and not listed.",
		Answers: operation.OK("The operators.", operation.A[Operators]()),
	}
	addOperator = operation.Operation{
		Method: http.MethodPost, Path: "/admin/operators", ID: "addOperator", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn:  true,
		OperatorRole: operator.Owner,
		Summary:      "Add an operator",
		Text:         "The answer shows the token, once; a hash of it is stored.",
		Parameters:   []operation.Parameter{XOperatorParameter},
		Body:         operation.JSON(operation.A[addRequest]()),
		Answers:      operation.OK("Added.", operation.A[AddedOperator]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "name_invalid", "role_invalid"),
			operation.On(409, "The name is taken, or there are too many operators.", "operator_exists", "operators_full"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	renewOperator = operation.Operation{
		Method: http.MethodPost, Path: "/admin/operators/renew", ID: "renewOperator", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn:  true,
		OperatorRole: operator.Owner,
		Summary:      "Give an operator another token",
		Text:         "The answer shows the token, once. The one before opens nothing any more, and sessions begun with it end.",
		Parameters:   []operation.Parameter{XOperatorParameter},
		Body:         operation.JSON(operation.A[renewRequest]()),
		Answers:      operation.OK("Renewed.", operation.A[AddedOperator]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "name_invalid"),
			operation.On(404, "There is no operator of this name.", "operator_not_found"),
			operation.On(413, "The body is over 64 KB."),
		},
	}
	listOperatorSessions = operation.Operation{
		Method: http.MethodGet, Path: "/admin/operators/sessions", ID: "listOperatorSessions", Tag: "Operator",
		Caller: operation.Operator, Summary: "The open sessions of the operators' console",
		Text:    "The newest first, 1,000 at most. Each ends by itself at until, or an hour after its last call.",
		Answers: operation.OK("The sessions.", operation.A[OperatorSessions]()),
	}
	endOperatorSession = operation.Operation{
		Method: http.MethodDelete, Path: "/admin/operators/sessions", ID: "endOperatorSession", Tag: "Operator",
		Caller: operation.Operator, OperatorRole: operator.Owner, Summary: "End a session of the operators' console",
		Text:       "It opens nothing from the next call on, in every process.",
		Parameters: []operation.Parameter{operation.Query("id", "Which session.").Needed(), XOperatorParameter},
		Answers:    operation.OK("Ended.", operation.A[endedSession]()),
		Refusals: []operation.Refusal{
			operation.On(400, "", "id_missing"),
			operation.On(404, "There is no open session with this id.", "session_not_found"),
		},
	}
	listPlans = operation.Operation{
		Method: http.MethodGet, Path: "/admin/plans", ID: "listPlans", Tag: "Operator", Caller: operation.Operator,
		Summary: "The plans that accounts can be on",
		Answers: operation.OK("The plans, by name: those that are built in, and those of the file of plans.",
			operation.A[PlansAnswer]()),
	}
	revokeOperator = operation.Operation{
		Method: http.MethodDelete, Path: "/admin/operators", ID: "revokeOperator", Tag: "Operator", Caller: operation.Operator,
		FreshSignIn:  true,
		OperatorRole: operator.Owner,
		Summary:      "Revoke an operator's token",
		Text:         "It opens nothing from then on.",
		Parameters:   []operation.Parameter{operation.Query("name", "Whose token.").Needed(), XOperatorParameter},
		Answers:      operation.OK("Revoked.", operation.A[revokedOperator]()),
		Refusals: []operation.Refusal{
			operation.On(400, "The name is missing or not valid.", "name_invalid", "name_missing"),
			operation.On(404, "There is no operator of this name.", "operator_not_found"),
		},
	}
)
