package admin_test

import (
	"context"
	"time"

	"moviola/eventstore"
	"moviola/handlers/http/admin"
	"moviola/projections"
)

// queue is a work list: of renders one is claimed by a process that is there and one by a process that is silent; two wait.
type queue struct{}

func (queue) Census(_ context.Context, now time.Time) ([]projections.Waiting, error) {
	return []projections.Waiting{{Kind: "render", Account: "a1", Items: 2, Oldest: now.Add(-90 * time.Second)}}, nil
}

func (queue) Claimed(_ context.Context, kind string) ([]projections.WorkItem, error) {
	if kind != projections.WorkRender {
		return nil, nil
	}
	return []projections.WorkItem{
		{ID: "render/p", Kind: "render", Account: "a1", Subject: "p", Attempt: 2, Worker: "host-1", Since: &t0},
		{ID: "render/q", Kind: "render", Account: "a2", Subject: "q", Attempt: 1, Worker: "gone-2"},
	}, nil
}

type processes struct{}

func (processes) List(context.Context) ([]projections.Process, error) {
	return []projections.Process{{
		Name: "host-1", Version: "1", Roles: []string{"renderer"}, StartedAt: t0, At: t0, DiskFree: 5, DiskTotal: 9,
		Slots:  []projections.ProcessSlots{{Kind: "render", Slots: 2}},
		Layers: []projections.ProcessLayer{{Program: "ffmpeg", Layer: "seccomp", State: "on"}},
		Places: []projections.ProcessPlace{{Place: "files", Bytes: 7, TotalBytes: 10}},
	}}, nil
}

type presence struct{}

func (presence) List(context.Context) ([]projections.Presence, error) {
	return []projections.Presence{{Work: "render/p", Attempt: 2, Worker: "host-1", Percent: 40}}, nil
}

type readers struct{}

func (readers) Status() projections.Status {
	return projections.Status{Position: eventstore.Position{Commit: 90}, CaughtUp: true}
}

func (readers) Lag(context.Context) (projections.Lag, error) {
	return projections.Lag{Head: eventstore.Position{Commit: 100}, Events: 3, Age: 1500 * time.Millisecond}, nil
}

func (readers) Generation(context.Context) (*projections.Pointer, error) {
	movies := projections.Place{Collection: "movies_4", Shape: 9}
	work := projections.Place{Collection: "work_4", Shape: 7}
	return &projections.Pointer{
		Generation: 4, Models: map[string]projections.Place{"work": work, "movies": movies},
		Building: &projections.Building{Generation: 5, Models: map[string]projections.Place{"work": work, "movies": {Collection: "movies_5", Shape: 10}}},
	}, nil
}

// rebuilds accepts a rebuild of named read models, and refuses one of all.
type rebuilds struct{}

func (*rebuilds) Start(names []string) bool { return len(names) > 0 }
func (*rebuilds) Last() admin.Rebuild {
	return admin.Rebuild{Running: true, StartedAt: t0, Percent: 12.5}
}

const (
	queueShares = `"accounts":[{"account":"a1","kind":"render","waiting":2,"running":1,"oldest_seconds":90,"share":0.75},` +
		`{"account":"a2","kind":"render","waiting":0,"running":1,"oldest_seconds":0,"share":0.25}],"more":0}`
	workersAnswer = `{"success":true,"count":2,"workers":[{"name":"host-1","alive":true,"version":"1","roles":["renderer"],` +
		`"started_at":"2026-11-21T09:00:00.000Z","seen_at":"2026-11-21T09:00:00.000Z","disk_free":5,"disk_total":9,"slots":[{"kind":"render","slots":2}],` +
		`"sandbox":[{"program":"ffmpeg","layer":"seccomp","state":"on","detail":""}],` +
		`"storage":[{"place":"files","bytes":7,"files":0,"account_bytes":0,"total_bytes":10,"refused":0}],` +
		`"doing":[{"work":"render/p","kind":"render","account":"a1","subject":"p","attempt":2,"since":"2026-11-21T09:00:00.000Z","percent":40}]},` +
		`{"name":"gone-2","alive":false,"version":"","roles":[],"started_at":null,"seen_at":null,"disk_free":0,"disk_total":0,"slots":[],"sandbox":[],"storage":[],` +
		`"doing":[{"work":"render/q","kind":"render","account":"a2","subject":"q","attempt":1,"since":null,"percent":null}]}]}`
	projectionsAnswer = `{"success":true,"caught_up":true,"message":"","position":90,"head":100,"lag_events":3,"lag_seconds":1.5,"generation":4,` +
		`"models":[{"name":"movies","collection":"movies_4","shape":9,"building":true},{"name":"work","collection":"work_4","shape":7,"building":false}],` +
		`"rebuild":{"running":true,"models":[],"started_at":"2026-11-21T09:00:00.000Z","ended_at":null,"percent":12.5,"message":""}}`
	plansAnswer = `{"success":true,"count":3,"plans":[` +
		`{"name":"counted","counted":true,"length_seconds":1800,"pack_length_seconds":1800,"width":3840,"height":3840,"movies":100,"drafts":400,"email_recipients":200,"previews_per_hour":3600,"outputs":10,"history_seconds":null},` +
		`{"name":"free","counted":false,"length_seconds":60,"pack_length_seconds":1800,"width":1920,"height":1080,"movies":0,"drafts":0,"email_recipients":0,"previews_per_hour":600,"outputs":2,"history_seconds":null},` +
		`{"name":"paid","counted":false,"length_seconds":1800,"pack_length_seconds":1800,"width":3840,"height":3840,"movies":0,"drafts":0,"email_recipients":200,"previews_per_hour":3600,"outputs":10,"history_seconds":null}]}`
)

// queueAnswer has every kind of work, those with nothing too.
var queueAnswer = func() string {
	kinds := ""
	for _, kind := range projections.WorkKinds() {
		counts := `"waiting":0,"running":0,"oldest_seconds":0`
		if kind.Name == projections.WorkRender {
			counts = `"waiting":2,"running":2,"oldest_seconds":90`
		}
		kinds += `,{"kind":"` + kind.Name + `","role":"` + kind.Role + `",` + counts + `}`
	}
	return `{"success":true,"kinds":[` + kinds[1:] + `],` + queueShares
}()
