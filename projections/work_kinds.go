package projections

// The roles of processes that do work, by their names in `moviola serve --roles`.
const (
	RoleRenderer  = "renderer"
	RoleDeliverer = "deliverer"
	RoleKeeper    = "keeper"
)

// WorkKind is a row of the table of kinds of work.
type WorkKind struct {
	Name string
	Role string // role of the processes that do the work
}

// WorkKinds is the table of kinds of work. A kind has its row here, its folding in the work model, its processor in
// handlers/background/processors, and its slots in the wiring; tests fail when one of them is missing.
func WorkKinds() []WorkKind {
	return []WorkKind{
		{WorkFetch, RoleRenderer},
		{WorkRender, RoleRenderer},
		{WorkPreload, RoleRenderer},
		{WorkDeliver, RoleDeliverer},
		{WorkSettle, RoleKeeper},
		{WorkTimeout, RoleKeeper},
		{WorkStop, RoleKeeper},
		{WorkAbandon, RoleKeeper},
		{WorkExpire, RoleKeeper},
		{WorkMove, RoleKeeper},
		{WorkMedia, RoleKeeper},
		{WorkConfirm, RoleKeeper},
		{WorkSweep, RoleKeeper},
		{WorkBatch, RoleKeeper},
		{WorkComplete, RoleKeeper},
		{WorkZero, RoleKeeper},
		{WorkPurge, RoleKeeper},
		{WorkClose, RoleKeeper},
	}
}
