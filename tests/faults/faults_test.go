package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"moviola/tests/harness"
)

// How long faults come, as a duration, the seed of their order, and a word that all of them have in their names.
const (
	timeVariable = "MOVIOLA_FAULTS_TIME"
	seedVariable = "MOVIOLA_FAULTS_SEED"
	kindVariable = "MOVIOLA_FAULTS_KIND"
)

// fault is something that happens to an installation. It has passed when do returns, or with the next mend.
type fault struct {
	name   string
	weight int
	do     func(*campaign)
}

var faults = []fault{
	{"kill -9 of one", 6, func(c *campaign) {
		m := c.anyMember()
		m.process.Kill()
		c.pause(0, 2*time.Second)
		c.start(m)
	}},
	{"kill -9 of the event store", 2, func(c *campaign) {
		c.store.Kill()
		c.pause(0, 2*time.Second)
		c.startStore()
	}},
	{"kill -9 of everything", 1, func(c *campaign) {
		c.store.Kill()
		for _, m := range c.members {
			m.process.Kill()
		}
		c.startStore()
		for _, m := range c.members {
			c.start(m)
		}
	}},
	{"pause past the claim time", 2, func(c *campaign) {
		m := c.anyMember("api")
		m.process.Signal(syscall.SIGSTOP)
		c.pause(claimTimeout, 2*claimTimeout)
		m.process.Signal(syscall.SIGCONT)
	}},
	{"connections cut", 3, func(c *campaign) {
		c.anyMember().wire.Cut()
		c.pause(500*time.Millisecond, 5*time.Second)
	}},
	{"connections held", 2, func(c *campaign) {
		c.anyMember().wire.Hold()
		c.pause(3*time.Second, 14*time.Second)
	}},
	{"connections slow", 1, func(c *campaign) {
		c.anyMember().wire.Slow(20_000)
		c.pause(3*time.Second, 8*time.Second)
	}},
	{"deploy of one", 3, func(c *campaign) { c.replace(c.anyMember()) }},
	{"deploy of all, in turns", 1, func(c *campaign) {
		for _, m := range c.members {
			c.replace(m)
		}
	}},
	{"disk full", 1, func(c *campaign) {
		if c.noDisk != nil {
			return
		}
		c.disk.Fill(0)
		c.pause(time.Second, 4*time.Second)
		c.disk.MakeRoom()
	}},
}

// campaign is a world, what is done to it, and what its clients have seen.
type campaign struct {
	*world
	dice     *rand.Rand
	journals []*journal
	hooks    *harness.Receiver
	assets   *harness.Assets

	done map[string]int // faults, by name
	late int            // deploys that ten seconds were too short for
}

func (c *campaign) pause(least, most time.Duration) {
	<-time.After(least + time.Duration(c.dice.Int64N(int64(most-least))))
}

// anyMember draws a process, but not the one that except names.
func (c *campaign) anyMember(except ...string) *member {
	for {
		m := c.members[c.dice.IntN(len(c.members))]
		if len(except) == 0 || m.name != except[0] {
			return m
		}
	}
}

func (c *campaign) replace(m *member) {
	if !c.deploy(m) {
		c.late++
	}
}

// draw picks one of some faults by the weights.
func (c *campaign) draw(from []fault) fault {
	total := 0
	for _, f := range from {
		total += f.weight
	}
	at := c.dice.IntN(total)
	for _, f := range from {
		if at -= f.weight; at < 0 {
			return f
		}
	}
	panic("unreachable")
}

// ofKind returns the faults with a word in their names.
func ofKind(word string) []fault {
	return slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return !strings.Contains(f.name, word) })
}

// TestFaults breaks an installation for a while, mends it, and holds what it says and what its log says against the clients' journals.
func TestFaults(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv(timeVariable))
	if err != nil {
		t.Skip("no campaign was asked for: make test-faults, or set " + timeVariable)
	}
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err != nil {
		seed = uint64(time.Now().UnixNano())
	}
	kind := os.Getenv(kindVariable)
	drawn := ofKind(kind)
	if len(drawn) == 0 {
		t.Fatalf("no fault has %s=%s in its name", kindVariable, kind)
	}
	t.Logf("%s=%v %s=%d %s=%q", timeVariable, length, seedVariable, seed, kindVariable, kind)

	c := &campaign{dice: rand.New(rand.NewPCG(seed, 0)), assets: harness.NewAssets(t), hooks: harness.NewReceiver(t), done: map[string]int{}}
	c.world = newWorld(t, c.assets.Host, c.hooks.Host)
	if c.noDisk != nil {
		t.Log("the event store's disk is never full: ", c.noDisk)
	}
	for i := range 2 {
		account, client := c.service.OpenAccount(fmt.Sprintf("customer %d", i+1), credits)
		c.journals = append(c.journals, newJournal(account, client))
	}
	stop := c.load()
	for end := time.Now().Add(length); time.Now().Before(end); {
		c.pause(500*time.Millisecond, 3*time.Second)
		f := c.draw(drawn)
		t.Logf("%s %s", time.Now().Format("15:04:05.000"), f.name)
		f.do(c)
		c.mend()
		c.done[f.name]++
	}
	stop()
	c.settle()
	c.report(c.examine())
}

// credits are what each account begins with.
const credits = 1_000_000

// load lets clients work until the returned function is called, which waits for them.
func (c *campaign) load() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for i, j := range c.journals {
		clients.Go(func() { c.order(ctx, j, i) })
		clients.Go(func() { c.watch(ctx, j) })
	}
	return func() {
		cancel()
		clients.Wait()
	}
}

// mostOpen is how many movies of an account may be under way.
const mostOpen = 12

// order submits movies, each until it is acknowledged.
func (c *campaign) order(ctx context.Context, j *journal, which int) {
	for n := 0; ctx.Err() == nil; {
		if j.open() >= mostOpen {
			rest(ctx, 200*time.Millisecond)
			continue
		}
		e, err := j.add(c.movie(which, n))
		if err != nil {
			c.t.Error(err)
			return
		}
		n++
		for !j.submit(e) && ctx.Err() == nil {
			rest(ctx, 300*time.Millisecond)
		}
		rest(ctx, 300*time.Millisecond)
	}
}

// watch asks for what was ordered, again and again.
func (c *campaign) watch(ctx context.Context, j *journal) {
	for ctx.Err() == nil {
		for _, e := range j.acknowledged() {
			if ctx.Err() != nil {
				return
			}
			if !ended(j.statusOf(e)) || rand.IntN(50) == 0 {
				j.look(e)
				rest(ctx, 50*time.Millisecond)
			}
		}
		j.count()
		rest(ctx, 300*time.Millisecond)
	}
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// movie is a healthy movie, one of several kinds, that is worth its seconds in credits and tells a webhook.
func (c *campaign) movie(which, n int) object {
	scene := object{"duration": 1 + n%3, "background-color": fmt.Sprintf("#%06x", (n*7919+which*104729)%0xffffff)}
	switch n % 4 {
	case 1:
		scene["elements"] = list{object{"type": "text", "text": fmt.Sprintf("Customer %d, movie %d", which, n)}}
	case 2:
		scene["elements"] = list{object{"type": "image", "src": c.assets.URL + "/picture.png"}}
	case 3:
		scene["elements"] = list{object{"type": "video", "src": c.assets.URL + "/clip.mp4", "resize": "cover", "loop": -1}}
	}
	return object{
		"resolution": "sd", "scenes": list{scene}, "client-data": object{"n": n, "customer": which},
		"exports": list{object{"destinations": list{object{"type": "webhook", "endpoint": c.hooks.URL + "/done"}}}},
	}
}
