// Package claims holds what a worker has claimed while its work runs: it ends the work when the claim is lost, shows the claim on
// the presence board, and retries the steps of the work.
//
// A work item runs under a chain of contexts, the lower of which only work with a claim has. Each ends with the reason as
// its cause; cancelled work reads it with context.Cause.
//
//	context of all work      ends when a drain has run out of time (errDraining of processors)
//	  └ Own                  ends when the queue wants the slot at once (commands.ErrGiveWay, commands.ErrAlone);
//	    │                    a request to share the slot only closes the channel of ShareOf
//	    └ time limit         of the kind of work (the router's middleware); ends with context.DeadlineExceeded
//	      └ Guard.Claimed    ends when the log shows that the claim has ended (ErrLost): nothing more may be recorded
//	        ├ UntilShared    also ends when another account needs the slot (commands.ErrShare): for work that loses nothing
//	        └ Grace          outlives its parent for a few seconds: for a step that is nearly done, such as recording an outcome
//
// The router's own context is not in the chain: it ends as soon as the router begins to close, but a drain waits for
// running work first. Only the causes that stand at Own are passed on. To change the chain safely, keep these rules. A new
// reason to end work normally is a new cause at the level that knows it, added to the causes that processors.settled
// lists. Only Grace, and short steps such as releasing a claim, may detach from a parent, and only for a bounded time.
package claims
