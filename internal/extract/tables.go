package extract

import (
	"context"
	"encoding/json"
	"time"

	"moviola/domain/movie"
	"moviola/projections"
)

// asJSON encodes an array or object. Encoding the values of documents cannot fail.
func asJSON(value any) string {
	encoded, _ := json.Marshal(value)
	return string(encoded)
}

// ofPlan returns a column about the dimensions of a movie. The column is empty until they are known.
func ofPlan(name string, kind Kind, value func(movie.Dimensions) any) field[projections.Movie] {
	return maybe(name, kind, func(m projections.Movie) any {
		if m.Plan == nil || m.Plan.FPSNum <= 0 || m.Plan.FPSDen <= 0 {
			return nil
		}
		return value(*m.Plan)
	})
}

// ofFile returns a column that is empty until a movie has a file.
func ofFile(name string, kind Kind, value func(movie.File) any) field[projections.Movie] {
	return maybe(name, kind, func(m projections.Movie) any {
		if m.File == nil {
			return nil
		}
		return value(*m.File)
	})
}

// ofSpent returns a column about how an attempt used its time. The column is empty when the attempt was not measured.
func ofSpent(name string, kind Kind, value func(projections.MovieSpent) any) field[projections.Movie] {
	return maybe(name, kind, func(m projections.Movie) any {
		if m.Spent == nil {
			return nil
		}
		return value(*m.Spent)
	})
}

func movies() Table {
	type doc = projections.Movie
	fields := []field[doc]{
		text("project", func(m doc) string { return m.Project }),
		text("account", func(m doc) string { return m.Account }),
		text("status", func(m doc) string { return m.Status }),
		flag("draft", func(m doc) bool { return m.Draft }),
		flag("counted", func(m doc) bool { return m.Counted }),
		text("batch", func(m doc) string { return m.Batch }),
		whole("row", func(m doc) int64 { return int64(m.Row) }),
		maybe("templates", JSON, func(m doc) any { return asJSON(append([]string{}, m.Templates...)) }),
		moment("created_at", func(m doc) time.Time { return m.CreatedAt }),
		moments("started_at", func(m doc) *time.Time { return m.StartedAt }),
		moments("ended_at", func(m doc) *time.Time { return m.EndedAt }),
		moments("deleted_at", func(m doc) *time.Time { return m.DeletedAt }),
		flag("gone", func(m doc) bool { return m.Gone }),
		whole("attempts", func(m doc) int64 { return int64(m.Attempt) }),
		whole("credits", func(m doc) int64 { return m.Credits }),
		whole("document_bytes", func(m doc) int64 { return m.DocumentSize }),
		whole("destinations", func(m doc) int64 { return int64(m.Destinations) }),
		ofPlan("width", Whole, func(p movie.Dimensions) any { return int64(p.Width) }),
		ofPlan("height", Whole, func(p movie.Dimensions) any { return int64(p.Height) }),
		ofPlan("frames", Whole, func(p movie.Dimensions) any { return p.Frames }),
		ofPlan("fps", Real, func(p movie.Dimensions) any { return float64(p.FPSNum) / float64(p.FPSDen) }),
		ofPlan("video_ms", Whole, func(p movie.Dimensions) any { return p.Milliseconds() }),
		ofFile("bytes", Whole, func(f movie.File) any { return f.Size }),
		ofFile("codec", Text, func(f movie.File) any { return f.Codec }),
		ofFile("audio_streams", Whole, func(f movie.File) any { return int64(f.AudioStreams) }),
		ofFile("loudness_lufs", Real, func(f movie.File) any {
			if f.Loudness == nil || f.Loudness.Integrated == nil {
				return nil
			}
			return *f.Loudness.Integrated
		}),
		text("failure_code", func(m doc) string { return m.FailureCode }),
		text("failure_family", func(m doc) string { return m.FailureFamily }),
		personal("message", func(m doc) string { return m.Message }),
		whole("warnings", func(m doc) int64 { return int64(len(m.Warnings)) }),
		text("cached_from", func(m doc) string { return m.CachedFrom }),
		ofSpent("render_ms", Whole, func(s projections.MovieSpent) any { return s.TookMS }),
		ofSpent("stages", JSON, func(s projections.MovieSpent) any {
			stages := make(map[string]int64, len(s.Stages))
			for _, stage := range s.Stages {
				stages[stage.Stage] = stage.MS
			}
			return asJSON(stages)
		}),
		ofSpent("frames_encoded", Whole, func(s projections.MovieSpent) any { return s.FramesEncoded }),
		ofSpent("frames_cached", Whole, func(s projections.MovieSpent) any { return s.FramesCached }),
	}
	return tableOf("movies", "A row for each movie.", fields, func(m doc) time.Time { return m.CreatedAt },
		[][]string{{"account", "created_at"}, {"created_at"}},
		func(e *projections.Extract) func(context.Context, string, func(string, doc) error) error {
			return e.Movies
		})
}

func deliveries() Table {
	type doc = projections.Delivery
	fields := []field[doc]{
		text("id", func(d doc) string { return d.ID }),
		text("project", func(d doc) string { return d.Project }),
		text("account", func(d doc) string { return d.Account }),
		whole("destination", func(d doc) int64 { return int64(d.Index) }),
		text("kind", func(d doc) string { return d.Kind }),
		personal("connection", func(d doc) string { return d.Connection }),
		text("status", func(d doc) string { return d.Status }),
		flag("final", func(d doc) bool { return d.Final }),
		whole("http_status", func(d doc) int64 { return int64(d.HTTPStatus) }),
		personal("message", func(d doc) string { return d.Message }),
		whole("tries", func(d doc) int64 { return d.Tries }),
		whole("duration_ms", func(d doc) int64 { return d.DurationMS }),
		moment("first_at", func(d doc) time.Time { return d.FirstAt }),
		moment("at", func(d doc) time.Time { return d.At }),
	}
	return tableOf("deliveries", "A row for each destination that was tried.", fields, func(d doc) time.Time { return d.At },
		[][]string{{"project"}, {"at"}},
		func(e *projections.Extract) func(context.Context, string, func(string, doc) error) error {
			return e.Deliveries
		})
}

func usage() Table {
	type doc = projections.Usage
	fields := []field[doc]{
		text("day", func(u doc) string { return u.Day }),
		text("account", func(u doc) string { return u.Account }),
		whole("submitted", func(u doc) int64 { return u.Submitted }),
		whole("drafts", func(u doc) int64 { return u.Drafts }),
		whole("rendered", func(u doc) int64 { return u.Rendered }),
		whole("cached", func(u doc) int64 { return u.Cached }),
		whole("failed", func(u doc) int64 { return u.Failed }),
		whole("cancelled", func(u doc) int64 { return u.Cancelled }),
		whole("failed_movie", func(u doc) int64 { return u.FailedMovie }),
		whole("failed_account", func(u doc) int64 { return u.FailedAccount }),
		whole("failed_sources", func(u doc) int64 { return u.FailedSources }),
		whole("failed_service", func(u doc) int64 { return u.FailedService }),
		whole("failed_timeout", func(u doc) int64 { return u.FailedTimeout }),
		whole("failed_unknown", func(u doc) int64 { return u.FailedUnknown }),
		whole("video_ms", func(u doc) int64 { return u.VideoMS }),
		whole("credits", func(u doc) int64 { return u.Credits }),
		whole("bytes", func(u doc) int64 { return u.Bytes }),
		whole("render_ms", func(u doc) int64 { return u.RenderMS }),
		whole("deliveries_ok", func(u doc) int64 { return u.DeliveriesOK }),
		whole("deliveries_error", func(u doc) int64 { return u.DeliveriesError }),
		whole("deliveries_skipped", func(u doc) int64 { return u.DeliveriesSkipped }),
		whole("delivery_tries", func(u doc) int64 { return u.DeliveryTries }),
	}
	return tableOf("usage_daily", "A row for each day and account.", fields,
		// The time of a row is the end of its day, so that --since with a time within a day also selects the row of that
		// day.
		func(u doc) time.Time {
			day, _ := time.Parse(time.DateOnly, u.Day)
			return day.Add(24*time.Hour - time.Millisecond)
		},
		[][]string{{"account", "day"}},
		func(e *projections.Extract) func(context.Context, string, func(string, doc) error) error {
			return e.Usage
		})
}

func ledgerTable() Table {
	type doc = projections.Entry
	fields := []field[doc]{
		text("account", func(e doc) string { return e.Account }),
		whole("number", func(e doc) int64 { return e.Number }),
		moment("at", func(e doc) time.Time { return e.At }),
		text("event", func(e doc) string { return e.Event }),
		maybe("subject", Text, func(e doc) any {
			if e.Granted != 0 { // the subject of a grant is an operator's reference: it is in the column reference
				return nil
			}
			return e.Subject
		}),
		personal("reference", func(e doc) string {
			if e.Granted == 0 {
				return ""
			}
			return e.Subject
		}),
		whole("amount", func(e doc) int64 { return e.Amount }),
		whole("granted", func(e doc) int64 { return e.Granted }),
		whole("held", func(e doc) int64 { return e.Held }),
		whole("charged", func(e doc) int64 { return e.Charged }),
		text("kind", func(e doc) string { return e.Kind }),
		text("reason", func(e doc) string { return e.Reason }),
		text("period", func(e doc) string { return e.Period }),
		flag("draft", func(e doc) bool { return e.Draft }),
	}
	return tableOf("ledger", "A row for each entry of an account's ledger.", fields, func(e doc) time.Time { return e.At },
		[][]string{{"account", "at"}},
		func(e *projections.Extract) func(context.Context, string, func(string, doc) error) error {
			return e.Entries
		})
}
