package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"moviola/eventstore/storetest/cluster"
	"moviola/tests/harness"
)

// clusterVariable says how long the nodes of a cluster are elected, frozen and lost, as a duration.
const clusterVariable = "MOVIOLA_CLUSTER_TIME"

const (
	clusterTime  = 25 * time.Second // when nothing else is said
	clusterPause = 3 * time.Second  // at most, in which a fault is not mended
	clusterLag   = 2 * time.Second  // by which followers are behind
	clusterCall  = 45 * time.Second // in which a request ends on a machine that has other things to do; longestCall is for long runs
	moreOfEach   = 3                // movies of each client that have to be acknowledged after a fault
)

// clusterFault is something that happens to a cluster, and is over when it returns.
type clusterFault struct {
	name string
	do   func(*clusterCampaign)
}

var clusterFaults = []clusterFault{
	{"election", func(c *clusterCampaign) {
		c.nodes.StepDown()
		c.wait()
		c.elect()
		c.progress()
	}},
	{"frozen leader", func(c *clusterCampaign) { c.without(c.nodes.Freeze, c.nodes.Thaw) }},
	{"lost leader", func(c *clusterCampaign) { c.without(c.nodes.Lose, c.nodes.Return) }},
	{"lost majority", func(c *clusterCampaign) {
		first, second := (c.led+1)%cluster.Size, (c.led+2)%cluster.Size
		c.nodes.Lose(first)
		c.nodes.Freeze(second)
		c.wait()
		c.nodes.StepDown()
		c.wait()
		c.nodes.Return(first)
		c.elect()
		c.progress()
		c.nodes.Thaw(second)
	}},
}

// clusterCampaign is a service on a cluster, and the journals that are held against it.
type clusterCampaign struct {
	*campaign
	nodes *cluster.Cluster
	led   int // the node that leads, or has led last
}

// wait leaves a fault as it is for a while.
func (c *clusterCampaign) wait() { c.pause(0, clusterPause) }

// elect makes the next node the leader.
func (c *clusterCampaign) elect() {
	c.led = (c.led + 1) % cluster.Size
	c.nodes.Elect(c.led)
}

// without takes the leader away, has another elected, and gives it back when that one is known to do its work.
func (c *clusterCampaign) without(take, giveBack func(int)) {
	former := c.led
	take(former)
	c.wait()
	c.elect()
	c.progress()
	giveBack(former)
}

// progress waits until each client has had some more movies acknowledged.
func (c *clusterCampaign) progress() {
	c.t.Helper()
	for _, j := range c.journals {
		want := len(j.acknowledged()) + moreOfEach
		harness.Patiently(c.t, "movies are acknowledged", func() (bool, any) {
			n := len(j.acknowledged())
			return n >= want, n
		})
	}
}

// TestCluster holds what a service on a cluster says against its clients' journals, while leaders are elected, frozen and lost and
// the followers' logs are behind. Decision 60. Nothing is rendered: every movie that was acknowledged is to be read at any time.
func TestCluster(t *testing.T) {
	length := clusterTime
	if said := os.Getenv(clusterVariable); said != "" {
		var err error
		if length, err = time.ParseDuration(said); err != nil {
			t.Fatal(err)
		}
	}
	strict := length > clusterTime
	c := &clusterCampaign{nodes: cluster.Start(t)}
	for i := range cluster.Size {
		c.nodes.SetLag(i, clusterLag)
	}
	service := harness.NewService(t, "--roles", "api,projector,keeper", "--eventstore", c.nodes.ConnectionString())
	service.StartAPI()
	c.campaign = &campaign{
		world: &world{t: t, service: service, addr: c.nodes.Addr(0)}, dice: rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0)),
		done: map[string]int{},
	}
	for i := range 2 {
		account, client := service.OpenAccount(fmt.Sprintf("customer %d", i+1), credits)
		j := newJournal(account, client)
		if !strict {
			j.settled = clusterCall
		}
		c.journals = append(c.journals, j)
	}
	stop := c.submitAndLook()
	c.progress()
	for end := time.Now().Add(length); time.Now().Before(end) || len(c.done) < len(clusterFaults); {
		for _, f := range clusterFaults {
			t.Logf("%s %s, led by node %d", time.Now().Format("15:04:05.000"), f.name, c.led)
			f.do(c)
			c.done[f.name]++
		}
	}
	stop()
	c.judge(strict)
}

// submitAndLook lets clients submit movies, each until it is acknowledged, and look at them, until the returned function is called.
func (c *clusterCampaign) submitAndLook() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for i, j := range c.journals {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				e, err := j.add(object{"resolution": "sd", "scenes": list{object{"duration": 1}}, "client-data": object{"n": n, "customer": i}})
				if err != nil {
					c.t.Error(err)
					return
				}
				for !j.submit(e) && ctx.Err() == nil {
					rest(ctx, 100*time.Millisecond)
				}
				if e.project != "" {
					j.look(e) // at once: nothing may be missing
				}
				rest(ctx, 100*time.Millisecond)
			}
		})
		clients.Go(func() {
			for ctx.Err() == nil {
				if all := j.acknowledged(); len(all) > 0 {
					j.look(all[rand.IntN(len(all))])
				}
				j.count()
				rest(ctx, 500*time.Millisecond)
			}
		})
	}
	return func() {
		cancel()
		clients.Wait()
	}
}

// judge holds the journals against the log once the cluster is whole again. In a strict judgement no call may have taken over longestCall.
func (c *clusterCampaign) judge(strict bool) {
	c.t.Helper()
	for _, j := range c.journals {
		for _, e := range j.entries {
			harness.Eventually(c.t, "the movie of key "+e.key+" is acknowledged", func() bool { return e.project != "" || j.submit(e) })
		}
	}
	log := c.readLog()
	keys, calls, refused, longest := 0, 0, 0, time.Duration(0)
	for _, j := range c.journals {
		keys, calls, refused, longest = keys+len(j.entries), calls+j.calls, refused+j.refused, max(longest, j.longest)
		for _, e := range j.entries {
			if movie := log.movies[e.project]; movie["MovieSubmitted"] != 1 {
				c.t.Errorf("movie %s was acknowledged, and the log has %v", e.project, movie)
			}
			j.look(e)
		}
		c.checkBalance(j, credits-len(j.entries)) // each movie holds a credit
		for _, lie := range j.lies {
			c.t.Errorf("an answer that was false: %s", lie)
		}
		if strict && len(j.slow) > 0 {
			c.t.Errorf("%d calls took over %v, the first: %s", len(j.slow), longestCall, j.slow[0])
		}
	}
	if len(log.movies) != keys {
		c.t.Errorf("%d movies were made for %d keys", len(log.movies), keys)
	}
	if longest > clusterCall {
		c.t.Errorf("a call took %v", longest)
	}
	if n := c.nodes.Unasked(); n > 0 {
		c.t.Errorf("followers were sent %d calls that did not ask for the leader", n)
	}
	if difference := c.audit(); difference != "" {
		c.t.Errorf("audit: %s", difference)
	}
	c.t.Logf("faults %v; %d movies acknowledged; %d calls, %d of them refused or without an answer, the longest %.1f s", c.done, keys, calls, refused, longest.Seconds())
}
