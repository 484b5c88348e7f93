package parts

import (
	"crypto/rand"
	"time"

	"moviola/commands"
	"moviola/commands/accounts"
	"moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/commands/mediafiles"
	"moviola/commands/preloads"
	"moviola/commands/templates"
)

// UseCases is the table of use cases. HTTP resources and processors take theirs from here.
type UseCases struct {
	SubmitMovie       commands.SubmitMovieHandler // without the memory budget of requests, which package resources adds
	AbandonSubmission commands.AbandonSubmissionHandler
	CancelMovie       commands.CancelMovieHandler
	SettleMovie       commands.SettleMovieHandler
	DropMovie         commands.DropMovieHandler
	DeleteFile        commands.DeleteFileHandler
	ExpireFile        commands.ExpireFileHandler
	PurgeFile         commands.PurgeFileHandler
	Fetches           commands.SourceFetches
	StartRender       commands.StartRenderHandler
	PlanRender        commands.PlanRenderHandler
	ReleaseRender     commands.ReleaseRenderHandler
	FinishRender      commands.FinishRenderHandler
	TimeOutRender     commands.TimeOutRenderHandler
	CompleteBatch     commands.CompleteBatchHandler
	FinishBatch       commands.FinishBatchHandler
	// UseCases has no handler for RequestBatch: package resources makes it, with the memory budget of requests.
	CancelBatch commands.CancelBatchHandler

	StartDelivery     deliveries.StartDeliveryHandler
	RecordDelivery    deliveries.RecordDeliveryHandler
	Exchanges         deliveries.Exchanges
	Inboxes           deliveries.Inboxes
	ReleaseDelivery   deliveries.ReleaseDeliveryHandler
	FinishDelivery    deliveries.FinishDeliveryHandler
	RequestRedelivery deliveries.RequestRedeliveryHandler
	DropDelivery      deliveries.DropDeliveryHandler
	CountRecipients   deliveries.CountRecipientsHandler

	SaveTemplate      templates.SaveTemplateHandler
	DuplicateTemplate templates.DuplicateTemplateHandler
	DeleteTemplate    templates.DeleteTemplateHandler
	SweepTemplate     templates.SweepTemplateHandler
	Library           templates.LibraryHandler

	SaveConnection       connections.SaveConnectionHandler
	DeleteConnection     connections.DeleteConnectionHandler
	RecordConnectionTest connections.RecordConnectionTestHandler

	RequestPreload preloads.RequestPreloadHandler
	PreloadItems   preloads.PreloadItems
	SettleItem     preloads.SettleItemHandler
	DropItem       preloads.DropItemHandler

	RegisterMedia mediafiles.RegisterMediaHandler
	UploadMedia   mediafiles.UploadMediaHandler
	ConfirmUpload mediafiles.ConfirmUploadHandler
	KeepMedia     mediafiles.KeepMediaHandler
	MoveMedia     mediafiles.MoveMediaHandler
	DeleteMedia   mediafiles.DeleteMediaHandler
	MediaFolders  mediafiles.MediaFolderHandler

	OpenAccount     accounts.OpenAccountHandler
	CompleteOpening accounts.CompleteOpeningHandler
	ChangePlan      accounts.ChangePlanHandler
	CloseAccount    accounts.CloseAccountHandler
	PurgeAccount    accounts.PurgeAccountHandler
	GrantCredits    accounts.GrantCreditsHandler
	IssueKey        accounts.IssueKeyHandler
	RevokeKey       accounts.RevokeKeyHandler
	RecordAct       accounts.RecordActHandler
	Operators       *accounts.Operators
}

// openUseCases makes the use cases. Read models and storage must be open.
func (s *Parts) openUseCases() {
	s.movieUseCases()
	s.deliveryUseCases()
	s.templateUseCases()
	s.assetUseCases()
	s.accountUseCases()
}

// movieUseCases makes the use cases of movies, their renders and their batches.
func (s *Parts) movieUseCases() {
	do, log, files, now := &s.Do, s.Stores.Log, s.Stores.Files, time.Now
	do.SubmitMovie = commands.NewSubmitMovieHandler(commands.SubmitMovieConfig{
		Log: log, Ledgers: s.Ledgers, Files: commands.SealDocuments(files, s.Vault), Plans: s.Plans,
		NewProject: commands.NewProjectID, Now: now,
	})
	do.SettleMovie = commands.NewSettleMovieHandler(log, s.Ledgers, files)
	do.AbandonSubmission = commands.NewAbandonSubmissionHandler(commands.AbandonSubmissionConfig{
		Log: log, Ledgers: s.Ledgers, Settle: do.SettleMovie, Now: now, Age: s.Config.AbandonAfter,
	})
	do.CancelMovie = commands.NewCancelMovieHandler(log, now)
	do.DropMovie = commands.NewDropMovieHandler(log, now)
	do.DeleteFile = commands.NewDeleteFileHandler(log, files, now)
	do.ExpireFile = commands.NewExpireFileHandler(log, files, now, s.Config.FileRetention)
	do.PurgeFile = commands.NewPurgeFileHandler(log, files, now)
	do.Fetches = commands.NewSourceFetches(log, now)
	do.StartRender = commands.NewStartRenderHandler(log, now, s.Config.RenderTimeout)
	do.PlanRender = commands.NewPlanRenderHandler(commands.PlanRenderConfig{
		Log: log, Ledgers: s.Ledgers, Plans: s.Plans, Now: now,
	})
	do.ReleaseRender = commands.NewReleaseRenderHandler(log, now)
	do.FinishRender = commands.NewFinishRenderHandler(log, files, now)
	do.TimeOutRender = commands.NewTimeOutRenderHandler(log, now, s.Config.RenderTimeout)
	do.CompleteBatch = commands.NewCompleteBatchHandler(do.SubmitMovie)
	do.FinishBatch = commands.NewFinishBatchHandler(log, s.Ledgers, now)
	do.CancelBatch = commands.NewCancelBatchHandler(log, now)
}

// deliveryUseCases makes the use cases of deliveries and connections.
func (s *Parts) deliveryUseCases() {
	do, log, now := &s.Do, s.Stores.Log, time.Now
	do.StartDelivery = deliveries.NewStartDeliveryHandler(log, now)
	do.RecordDelivery = deliveries.NewRecordDeliveryHandler(log, now)
	do.ReleaseDelivery = deliveries.NewReleaseDeliveryHandler(log, now)
	do.FinishDelivery = deliveries.NewFinishDeliveryHandler(log, now)
	do.RequestRedelivery = deliveries.NewRequestRedeliveryHandler(log, now)
	do.DropDelivery = deliveries.NewDropDeliveryHandler(log, now)
	do.Exchanges = deliveries.NewExchanges(s.Stores.Files, s.Vault, now)
	do.Inboxes = deliveries.NewInboxes(s.Stores.Files, s.Vault, now)
	do.CountRecipients = deliveries.NewCountRecipientsHandler(log, s.Plans, now)
	do.SaveConnection = connections.NewSaveConnectionHandler(log, s.Vault, rand.Reader, now)
	do.DeleteConnection = connections.NewDeleteConnectionHandler(log, now)
	do.RecordConnectionTest = connections.NewRecordConnectionTestHandler(log, now)
}

// templateUseCases makes the use cases of templates and of the template library.
func (s *Parts) templateUseCases() {
	do, log, cfg := &s.Do, s.Stores.Log, s.TemplateConfig()
	do.SaveTemplate = templates.NewSaveTemplateHandler(cfg)
	do.DuplicateTemplate = templates.NewDuplicateTemplateHandler(cfg)
	do.DeleteTemplate = templates.NewDeleteTemplateHandler(cfg)
	do.SweepTemplate = templates.NewSweepTemplateHandler(templates.SweepTemplateConfig{
		Log: log, Files: s.Stores.Files, UsedFunc: s.templateUsed, Now: time.Now, Kept: s.Config.FileRetention,
		Age: s.Config.AbandonAfter,
	})
	do.Library = templates.NewLibraryHandler(templates.LibraryConfig{
		Log: log, Files: cfg.Files, Submit: do.SubmitMovie, OpenAccount: s.openLibraryAccount, Now: time.Now,
	})
}

// assetUseCases makes the use cases of media libraries and preloads.
func (s *Parts) assetUseCases() {
	do, log, files, storage, now := &s.Do, s.Stores.Log, s.Stores.Files, s.Media.Storage, time.Now
	do.RequestPreload = preloads.NewRequestPreloadHandler(log, s.Ledgers, files, s.ItemPrices(), now)
	do.PreloadItems = preloads.NewPreloadItems(log, files, now)
	do.SettleItem = preloads.NewSettleItemHandler(log, s.Ledgers, files, now, s.Config.AbandonAfter)
	do.DropItem = preloads.NewDropItemHandler(log, now)
	do.RegisterMedia = mediafiles.NewRegisterMediaHandler(log, storage, now, s.Config.UploadTTL)
	do.UploadMedia = mediafiles.NewUploadMediaHandler(log, files, storage, now)
	do.ConfirmUpload = mediafiles.NewConfirmUploadHandler(log, files, files, storage, now)
	do.KeepMedia = mediafiles.NewKeepMediaHandler(log, files, storage, now)
	do.MoveMedia = mediafiles.NewMoveMediaHandler(log, now)
	do.DeleteMedia = mediafiles.NewDeleteMediaHandler(log, files, now, s.Config.TempRetention)
	do.MediaFolders = mediafiles.NewMediaFolderHandler(log, now)
}

// accountUseCases makes the use cases of accounts, keys and operators.
func (s *Parts) accountUseCases() {
	do, log, now := &s.Do, s.Stores.Log, time.Now
	do.CompleteOpening = accounts.NewCompleteOpeningHandler(accounts.CompleteOpeningConfig{
		Log: log, Ledgers: s.Ledgers, FirstKeys: s.FirstKeys, Now: now,
	})
	do.OpenAccount = accounts.NewOpenAccountHandler(accounts.OpenAccountConfig{
		Log: log, Complete: do.CompleteOpening, Plans: s.Plans, Random: rand.Reader, Now: now,
	})
	do.ChangePlan = accounts.NewChangePlanHandler(log, s.Ledgers, s.Plans, now)
	do.CloseAccount = accounts.NewCloseAccountHandler(log, s.Ledgers, now)
	do.PurgeAccount = accounts.NewPurgeAccountHandler(accounts.PurgeAccountConfig{
		Log: log, Ledgers: s.Ledgers, Plans: s.Plans, Now: now, After: s.Config.ZeroRetention, Again: s.Config.ClearAgain,
	})
	do.GrantCredits = accounts.NewGrantCreditsHandler(log, s.Ledgers)
	do.IssueKey = accounts.NewIssueKeyHandler(log, rand.Reader, now)
	do.RevokeKey = accounts.NewRevokeKeyHandler(log, now)
	do.Operators = accounts.NewOperators(log, rand.Reader, now)
	do.RecordAct = accounts.NewRecordActHandler(log, rand.Reader, now)
}
