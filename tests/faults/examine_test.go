package faults_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"moviola/eventstore"
	"moviola/tests/harness"
)

// findings is what a campaign has shown. All but the first four should be empty.
type findings struct {
	acknowledged, events, calls, refused int

	lost       []string // acknowledged, and not there
	twice      []string // charged twice, or made twice for one key
	innocents  []string // healthy movies that did not become done
	unheard    []string // webhooks that never came
	lies       []string // answers that the journal or the log contradicts
	slow       []string // calls over longestCall
	leftovers  []string // what should be gone
	difference string   // what the audit found
}

// settle waits until the mended installation has made everything that was ordered.
func (c *campaign) settle() {
	c.t.Helper()
	for _, j := range c.journals {
		for _, e := range j.entries {
			harness.Eventually(c.t, "the movie of key "+e.key+" is acknowledged", func() bool { return e.project != "" || j.submit(e) })
		}
	}
	harness.Patiently(c.t, "every movie has ended", func() (bool, any) {
		left := 0
		for _, j := range c.journals {
			for _, e := range j.entries {
				if !ended(e.status) {
					j.look(e)
				}
			}
			left += j.open()
		}
		return left == 0, left
	})
	harness.Patiently(c.t, "every webhook has come", func() (bool, any) {
		n := len(c.heard())
		return n >= len(c.acknowledged()), n
	})
}

func (c *campaign) acknowledged() []*entry {
	var all []*entry
	for _, j := range c.journals {
		all = append(all, j.acknowledged()...)
	}
	return all
}

// heard are the projects that a webhook told of, and how often.
func (c *campaign) heard() map[string]int {
	heard := map[string]int{}
	for _, hit := range c.hooks.Hits() {
		var body struct {
			Project string `json:"project"`
		}
		if err := json.Unmarshal(hit.Body, &body); err != nil {
			c.t.Errorf("webhook: %v: %s", err, hit.Body)
			continue
		}
		heard[body.Project]++
	}
	return heard
}

// examine holds the journals against the log, the webhooks, the balances, the audit and the data folder.
func (c *campaign) examine() findings {
	c.t.Helper()
	log := c.readLog()
	f := findings{events: log.events, acknowledged: len(c.acknowledged())}
	heard := c.heard()
	for _, j := range c.journals {
		f.calls, f.refused = f.calls+j.calls, f.refused+j.refused
		f.lies, f.slow = append(f.lies, j.lies...), append(f.slow, j.slow...)
		owed := 0
		for _, e := range j.entries {
			movie := log.movies[e.project]
			owed += log.charged[e.project]
			switch {
			case movie == nil:
				f.lost = append(f.lost, e.project)
				continue
			case e.status != "done":
				f.innocents = append(f.innocents, fmt.Sprintf("%s is %s: %v", e.project, e.status, movie))
			case log.charges[e.project] != 1 || movie["MovieSubmitted"] != 1 || movie["RenderFinished"] != 1:
				f.twice = append(f.twice, fmt.Sprintf("%s: %d charges, %v", e.project, log.charges[e.project], movie))
			}
			if heard[e.project] == 0 {
				f.unheard = append(f.unheard, e.project)
			}
		}
		c.checkBalance(j, credits-owed)
	}
	if made := len(log.movies); made != f.acknowledged {
		f.twice = append(f.twice, fmt.Sprintf("%d movies were made for %d keys", made, f.acknowledged))
	}
	f.difference = c.audit()
	f.leftovers = c.leftovers()
	return f
}

// checkBalance waits until the API says the balance that the log has.
func (c *campaign) checkBalance(j *journal, want int) {
	c.t.Helper()
	harness.Eventually(c.t, fmt.Sprintf("account %s has %d credits", j.account, want), func() bool {
		var got harness.List
		status, answer := j.call(http.MethodGet, "/movies?limit=1", nil, "")
		return status == http.StatusOK && json.Unmarshal(answer, &got) == nil && got.RemainingQuota["time"] == want
	})
}

// history is what the log says: the events of each movie by type, and what each was charged, in credits and in times.
type history struct {
	events  int
	movies  map[string]map[string]int
	charged map[string]int
	charges map[string]int
}

func (c *campaign) readLog() history {
	c.t.Helper()
	h := history{movies: map[string]map[string]int{}, charged: map[string]int{}, charges: map[string]int{}}
	ctx, cancel := context.WithTimeout(context.Background(), harness.Patience)
	defer cancel()
	for event, err := range harness.OpenLog(c.t, c.addr).Store().ReadAll(ctx, eventstore.Forwards, eventstore.Position{}) {
		if err != nil {
			c.t.Fatal(err)
		}
		h.events++
		if project, ok := strings.CutPrefix(event.Stream, "movie-"); ok {
			if h.movies[project] == nil {
				h.movies[project] = map[string]int{}
			}
			h.movies[project][event.Type]++
		}
		if event.Type == "CreditsCharged" {
			var charge struct {
				Project string `json:"project"`
				Amount  int    `json:"amount"`
			}
			if err := json.Unmarshal(event.Data, &charge); err != nil {
				c.t.Fatal(err)
			}
			h.charges[charge.Project]++
			h.charged[charge.Project] += charge.Amount
		}
	}
	maps.DeleteFunc(h.movies, func(_ string, events map[string]int) bool { return events["MovieSubmitted"] == 0 }) // never acknowledged
	return h
}

// audit runs `moviola audit` on the running installation and returns what it objects to.
func (c *campaign) audit() string {
	c.t.Helper()
	var out bytes.Buffer
	cmd := exec.Command(harness.Binary(c.t), "audit", "--data", c.service.Data, "--eventstore", "esdb://"+c.addr+"?tls=false")
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return fmt.Sprintf("%v: %s", err, out.String())
	}
	return ""
}

// leftovers ends the installation and looks for what it should have taken away: processes, and files under a temporary name.
func (c *campaign) leftovers() []string {
	c.t.Helper()
	for _, m := range c.members {
		m.process.Terminate()
	}
	c.service.WaitIdle()
	// What processes that were killed have left goes when a keeper starts next.
	for _, m := range c.members {
		if m.name == "back" {
			c.start(m)
			harness.Eventually(c.t, "half-written files are removed", func() bool {
				return m.process.Exited() || strings.Contains(m.process.Output(), "works as") && len(c.temporary()) == 0
			})
			m.process.Terminate()
		}
	}
	c.service.WaitIdle()
	return c.temporary()
}

// temporary returns the files under temporary names.
func (c *campaign) temporary() []string {
	c.t.Helper()
	var left []string
	for _, pattern := range []string{"*.tmp", "*.partial", "*/*.tmp", "*/*.partial", "*/*/*.tmp", "*/*/*.partial", "*/*/*/*.tmp"} {
		found, err := filepath.Glob(filepath.Join(c.service.Data, pattern))
		if err != nil {
			c.t.Fatal(err)
		}
		left = append(left, found...)
	}
	return left
}

// report prints what a campaign has shown and fails the test for what it should not have.
func (c *campaign) report(f findings) {
	c.t.Helper()
	total := 0
	var what []string
	for _, name := range slices.Sorted(maps.Keys(c.done)) {
		total += c.done[name]
		what = append(what, fmt.Sprintf("%s %d", name, c.done[name]))
	}
	c.t.Logf("faults: %d (%s)", total, strings.Join(what, ", "))
	c.t.Logf("deploys that took over ten seconds: %d; processes that gave up by themselves: %d", c.late, c.restarts)
	c.t.Logf("events in the log: %d; calls: %d, of which %d were refused or got no answer", f.events, f.calls, f.refused)
	c.t.Logf("acknowledged: %d", f.acknowledged)
	for _, row := range []struct {
		name  string
		found []string
	}{
		{"acknowledged and lost", f.lost},
		{"charged or made twice", f.twice},
		{"innocents given up", f.innocents},
		{"webhooks missing", f.unheard},
		{"answers that were false", f.lies},
		{fmt.Sprintf("calls over %v", longestCall), f.slow},
		{"leftovers", f.leftovers},
	} {
		c.t.Logf("%s: %d", row.name, len(row.found))
		for _, one := range row.found {
			c.t.Errorf("%s: %s", row.name, one)
		}
	}
	if f.difference != "" {
		c.t.Errorf("audit: %s", f.difference)
	}
	if total == 0 || f.acknowledged == 0 {
		c.t.Error("the campaign has shown nothing: nothing was broken, or nothing was ordered")
	}
}
