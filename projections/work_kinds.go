package projections

// The roles that do work; `moviola serve --roles` knows them by these names.
const (
	RoleRenderer  = "renderer"
	RoleDeliverer = "deliverer"
	RoleKeeper    = "keeper"
)

// WorkKind is a row of the table of work.
type WorkKind struct {
	Name string
	Role string // who does it
}

// WorkKinds is the table of work. A kind has its row here, its folding in the work model, its processor in handlers/background/processors, and
// its slots in the wiring; tests fail when one of them lacks.
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
