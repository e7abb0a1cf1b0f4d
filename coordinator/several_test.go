package coordinator_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"overcrank/coordinator"
	"overcrank/farm"
	"overcrank/farm/wire"
	"overcrank/raftstore/porttest"
)

// several is a farm of three coordinators; each rig is one of them.
type several struct {
	t     *testing.T
	nodes []*rig
}

func openSeveral(t *testing.T, edit ...func(*coordinator.Config)) *several {
	t.Helper()
	s := &several{t: t}
	storage := t.TempDir()
	var addresses []string
	for range 3 {
		addresses = append(addresses, porttest.Address(t))
	}
	for i, address := range addresses {
		cfg := coordinator.Config{
			DataDir: t.TempDir(), PublicAddress: "http://node" + string(rune('1'+i)) + ".test", MinFree: 1, Lease: 30 * time.Second, DescribeJob: describe,
			ClusterListen: address, Join: addresses, BootstrapExpect: 3, Storage: storage,
			Silence: 5 * time.Second, // the leader is to change when a test has it do so, also where all three stand still for a while
		}
		for _, e := range edit {
			e(&cfg)
		}
		if err := os.WriteFile(filepath.Join(cfg.DataDir, "farm.key"), []byte(strings.Repeat("0f", 32)), 0o600); err != nil {
			t.Fatal(err)
		}
		s.nodes = append(s.nodes, &rig{t: t, cfg: cfg})
	}
	var opening sync.WaitGroup
	for _, r := range s.nodes {
		opening.Go(func() {
			c, err := coordinator.Open(t.Context(), r.cfg)
			if err != nil {
				t.Error(err)
				return
			}
			r.Coordinator = c
		})
	}
	opening.Wait()
	t.Cleanup(func() {
		for _, r := range s.nodes {
			if r.Coordinator != nil {
				r.stop()
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	for _, r := range s.nodes {
		r.eventually("the coordinators have begun a farm", func() bool { return r.Ready() == nil })
	}
	secret := ""
	s.nodes[0].eventually("the first token is there", func() (made bool) {
		for _, r := range s.nodes {
			if r.Cluster().Leads() {
				var err error
				secret, err = r.FirstToken(t.Context(), func(string) error { return nil })
				made = err == nil && secret != ""
			}
		}
		return made
	})
	for _, r := range s.nodes {
		if err := r.Fresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		if r.admin, err = r.Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// parted tells the node that leads from those that follow.
func (s *several) parted() (leader *rig, followers []*rig) {
	s.t.Helper()
	s.nodes[0].eventually("a coordinator leads", func() bool {
		leader, followers = nil, nil
		for _, r := range s.nodes {
			switch {
			case r.Coordinator == nil:
			case r.Cluster().Leads() && r.Ready() == nil:
				leader = r
			default:
				followers = append(followers, r)
			}
		}
		return leader != nil
	})
	return leader, followers
}

// handOver has the leader hand over, as it does before it stops, and again where the other one took too long to take the lead.
func (r *rig) handOver() {
	r.t.Helper()
	r.eventually("another coordinator leads", func() bool {
		r.HandOver(r.t.Context())
		return !r.Cluster().Leads()
	})
}

// lose ends a node at once: the others find out by themselves.
func (s *several) lose(r *rig) {
	s.t.Helper()
	r.stop()
	r.Coordinator = nil
}

func TestWhatOnlyTheLeaderKnowsIsToldByAnyNode(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	station := leader.enrol("suite 4")
	station.connect()
	follower, other := followers[0], followers[1]
	events := follower.Watch(t.Context(), follower.admin)
	running := follower.submit()
	lease := station.lease()
	waiting := other.submit()
	if err := follower.Fresh(t.Context()); err != nil { // as every request begins
		t.Fatal(err)
	}

	follower.eventually("the follower knows the machine", func() bool {
		m, err := follower.Agent(t.Context(), follower.admin, station.agent.ID)
		return err == nil && m.Online && len(m.Running) == 1 && m.Running[0].Job == running.ID
	})
	// The leader's queue takes a job up a moment after the farm's state has it.
	follower.eventually("the follower says what runs and what waits", func() bool {
		status, err := follower.Status(t.Context(), follower.admin)
		return err == nil && status.Leased == 1 && status.Ready == 1 && status.Slots == 1
	})
	follower.eventually("the follower shows the queue", func() bool {
		queue, _, err := follower.Queue(t.Context(), follower.admin, 10, "")
		return err == nil && len(queue) == 1 && queue[0].Job == waiting.ID
	})
	follower.eventually("the follower says why a job waits", func() bool {
		p, err := follower.Placement(t.Context(), follower.admin, waiting.ID)
		return err == nil && p.Place == 1 && p.Agents == 1 && !p.Why.IsZero()
	})
	station.say(wire.Message{Progress: &wire.Progress{Attempt: lease.Attempt, Percent: 40, Frame: 12, Phase: "rendering", FramesTotal: 30}})
	for _, r := range s.nodes {
		r.eventually("each node knows how far the job is", func() bool { return r.job(running.ID).Progress == 40 })
		r.eventually("each node knows who renders it", func() bool {
			tasks := r.RunningOf(t.Context(), r.admin, running.ID)
			return len(tasks) == 1 && tasks[0].Frame == 12 && tasks[0].Agent == station.agent.ID
		})
	}
	heard := func(kind farm.EventKind) {
		t.Helper()
		for late := time.After(patience); ; {
			select {
			case e := <-events:
				if e.Kind == kind && (e.ID == running.ID || kind == farm.EventMachine) {
					return
				}
			case <-late:
				t.Fatalf("a follower's watcher hears of no %s", kind)
			}
		}
	}
	heard(farm.EventMachine)
	heard(farm.EventProgress)

	// What is asked of a follower is done by the leader.
	if _, err := follower.CancelJobs(t.Context(), follower.admin, []string{running.ID}, true); err != nil {
		t.Fatal(err)
	}
	if m := station.hear(); m.Cancel == nil || m.Cancel.Attempt != lease.Attempt {
		t.Errorf("the machine was told %+v instead of to stop", m)
	}
	_, err := follower.Agent(t.Context(), follower.admin, "nobody")
	wantCode(t, err, farm.CodeNotFound)
}

// renders is a job that a machine of the leader has drawn 60 % of, as the followers know.
func renders(leader *rig, followers []*rig) (job farm.Job, at *station, l wire.Lease) {
	job = followers[0].submit()
	at = leader.enrol("suite 4")
	at.connect()
	l = at.lease()
	at.say(wire.Message{Progress: &wire.Progress{Attempt: l.Attempt, Percent: 60, Phase: "rendering"}})
	for _, r := range followers {
		r.eventually("the followers know how far the job is", func() bool { return r.job(job.ID).Progress == 60 })
	}
	return job, at, l
}

func TestTheNextLeaderGoesOnWithWhatRenders(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	job, station, lease := renders(leader, followers)
	s.lose(leader)
	next, followers := s.parted()
	for _, r := range []*rig{next, followers[0]} {
		if at := r.job(job.ID); at.Progress != 60 || at.Status != farm.JobRendering {
			t.Errorf("behind the change the job is %s at %.0f %%", at.Status, at.Progress)
		}
	}
	station.r = followers[0]
	if m := station.ask(); m.Redirect == nil || m.Redirect.Leader != next.cfg.PublicAddress {
		t.Errorf("a follower answers a machine with %+v, want the way to %s", m, next.cfg.PublicAddress)
	}
	station.r = next
	if welcome := station.connect(lease.Attempt); len(welcome.Drop) != 0 {
		t.Errorf("the next leader drops %v", welcome.Drop)
	}
	station.finish(lease, "a film")
	for _, r := range []*rig{next, followers[0]} {
		r.eventually("the job has finished everywhere", func() bool { return r.job(job.ID).Status == farm.JobFinished })
	}
	attempts, _, err := next.JobAttempts(t.Context(), next.admin, job.ID, "", 10)
	if err != nil || len(attempts) != 1 || attempts[0].Number != 1 {
		t.Errorf("the attempts are %+v, %v", attempts, err)
	}
}

// TestProgressDoesNotFallWhenAJobFinishes between the look at its state and the one at its lease.
func TestProgressDoesNotFallWhenAJobFinishes(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	job, station, lease := renders(leader, followers)
	read := leader.job(job.ID)
	read.Progress = 0
	station.finish(lease, "a film")
	for _, r := range append(followers, leader) {
		r.eventually("the job has finished everywhere", func() bool { return r.job(job.ID).Status == farm.JobFinished })
		before := read
		if err := r.AddProgress(&before); err != nil || before.Progress < 60 {
			t.Errorf("the job was read as %s, and is at %.0f %%, %v", before.Status, before.Progress, err)
		}
	}
}

func TestALeaderThatStopsSendsItsMachinesToTheNext(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, _ := s.parted()
	station := leader.enrol("suite 4")
	station.connect()
	leader.handOver()
	next, _ := s.parted()
	if next == leader {
		t.Fatal("the lead was not handed over")
	}
	m := station.hear()
	if m.Redirect == nil || m.Redirect.Leader != next.cfg.PublicAddress {
		t.Errorf("the machine is told %+v, want to go to %s", m, next.cfg.PublicAddress)
	}
}

func TestASignInCodeWorksOnceAtWhicheverNode(t *testing.T) {
	t.Parallel()
	s := openSeveral(t)
	leader, followers := s.parted()
	code := followers[0].SignIn(followers[0].admin).Code
	s.lose(leader)
	s.parted() // the next one leads
	if p, err := followers[1].UseSignIn(t.Context(), code, ""); err != nil || p.TokenID != followers[0].admin.TokenID {
		t.Errorf("the code stands for %+v, %v", p, err)
	}
	_, err := followers[0].UseSignIn(t.Context(), code, "")
	wantCode(t, err, farm.CodeGone)
}
