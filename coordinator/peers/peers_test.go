package peers

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"overcrank/coordinator/authority"
	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/faults/leaktest"
	"overcrank/raftstore"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// part is a coordinator's part in Raft, as a test wants it.
type part struct {
	id     string
	leader atomic.Pointer[[2]string] // id and address
	taken  atomic.Pointer[raftstore.Proposal]
	fails  error
}

func (r *part) ID() string { return r.id }

func (r *part) Leader() (id, address string) {
	if l := r.leader.Load(); l != nil {
		return l[0], l[1]
	}
	return "", ""
}

func (r *part) Take(_ context.Context, term uint64, p raftstore.Proposal) (uint64, error) {
	r.taken.Store(&p)
	return term + 1, r.fails
}

func (r *part) ReadIndex(context.Context) (uint64, error) { return 7, r.fails }

type coordinator struct {
	*Peers
	raft   *part
	untold chan struct{} // receives when it has noticed that nobody listens any more to what it tells
}

type greeting struct{ Name string }

var (
	askGreeting = Question[greeting, string]{Path: "/greeting"}
	askChange   = Question[greeting, string]{Path: "/change", Changes: true}
	askNumber   = Question[string, string]{
		Path:      "/number",
		Query:     func(in string) url.Values { return url.Values{"n": {in}} },
		FromQuery: func(q url.Values) (string, error) { return q.Get("n"), nil },
	}
	askMissing = Question[greeting, string]{Path: "/ask/missing"}
)

// two are coordinators that speak over real ports; the first leads.
func two(t *testing.T) (leader, follower *coordinator) {
	a, err := authority.Load(t.TempDir(), "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	open := func(id string) *coordinator {
		port, err := internode.Open(internode.Config{Bind: "127.0.0.1:0", Certificate: a.Node(id, time.Now).Certificate, Authorities: a.Pool})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := port.Close(); err != nil {
				t.Error(err)
			}
		})
		return &coordinator{New(t.Context(), port, nil, slog.New(slog.DiscardHandler)), &part{id: id}, make(chan struct{}, 10)}
	}
	leader, follower = open("leader"), open("follower")
	for _, c := range []*coordinator{leader, follower} {
		greet := func(_ context.Context, from string, in greeting) (string, error) {
			if id, _ := c.raft.Leader(); id != c.raft.id {
				return "", ErrNotLeading
			}
			if in.Name == "" {
				return "", farm.Invalid("a greeting needs a name", farm.Field("name", "is missing"))
			}
			return "hello " + in.Name + " from " + c.raft.id + " to " + from, nil
		}
		Answer(c.Peers, askGreeting, greet)
		Answer(c.Peers, askChange, greet)
		Answer(c.Peers, askNumber, func(_ context.Context, _ string, in string) (string, error) { return in, nil })
		Tell(c.Peers, func(ctx context.Context, send func(string) error) error {
			if id, _ := c.raft.Leader(); id != c.raft.id {
				return ErrNotLeading
			}
			for _, word := range []string{"one", "two"} {
				if err := send(word); err != nil {
					return err
				}
			}
			<-ctx.Done()
			c.untold <- struct{}{}
			return nil
		})
		c.raft.leader.Store(&[2]string{"leader", leader.Address()})
		c.Serve(c.raft)
	}
	return leader, follower
}

func TestTheLeaderIsAskedFromAnywhere(t *testing.T) {
	t.Parallel()
	leader, follower := two(t)
	for _, c := range []*coordinator{leader, follower} {
		want := "hello Ada from leader to " + c.raft.id
		if got, err := AskLeader(t.Context(), c.Peers, askGreeting, greeting{"Ada"}); err != nil || got != want {
			t.Errorf("the %s is answered %q, %v", c.raft.id, got, err)
		}
	}
	_, err := AskLeader(t.Context(), follower.Peers, askGreeting, greeting{})
	var refused *farm.Error
	if !errors.As(err, &refused) || refused.Code != farm.CodeInvalid || len(refused.Fields) != 1 || refused.Fields[0].Says.Key != "is missing" {
		t.Errorf("the leader's refusal came as %#v", err)
	}
	if got, err := Ask(t.Context(), leader.Peers, follower.Address(), askNumber, "12 & 13"); err != nil || got != "12 & 13" {
		t.Errorf("a question in a query is answered %q, %v", got, err)
	}
	_, err = Ask(t.Context(), follower.Peers, leader.Address(), askMissing, greeting{})
	if farm.CodeOf(err) != farm.CodeUnavailable || errors.Is(err, ErrNotLeading) {
		t.Errorf("a question that the other does not know: %v", err)
	}
}

// A question waits while leaders change, and finds the next one; without any it does not wait for ever.
func TestAQuestionWaitsForTheNextLeader(t *testing.T) {
	t.Parallel()
	leader, follower := two(t)
	nobody := [2]string{}
	for _, q := range []Question[greeting, string]{askGreeting, askChange} {
		leader.raft.leader.Store(&nobody)
		follower.raft.leader.Store(&nobody)
		chosen := time.AfterFunc(100*time.Millisecond, func() {
			follower.raft.leader.Store(&[2]string{"follower", follower.Address()})
			leader.raft.leader.Store(&[2]string{"follower", follower.Address()})
		})
		defer chosen.Stop()
		got, err := AskLeader(t.Context(), leader.Peers, q, greeting{"Ada"})
		for end := time.Now().Add(2 * time.Minute); err != nil && !q.Changes && time.Now().Before(end); { // a machine that stands still may use up a question's time
			leader.leaderless = time.Time{}
			got, err = AskLeader(t.Context(), leader.Peers, q, greeting{"Ada"})
		}
		if err != nil || got != "hello Ada from follower to leader" {
			t.Errorf("%s is answered %q, %v", q.Path, got, err)
		}
	}
	leader.raft.leader.Store(&nobody)
	leader.leaderless = time.Now().Add(-2 * leaderlessFor)
	if _, err := AskLeader(t.Context(), leader.Peers, askGreeting, greeting{"Ada"}); !errors.Is(err, ErrNotLeading) {
		t.Errorf("without a leader: %v", err)
	}
}

func TestACommandIsForwardedOrCertainlyNot(t *testing.T) {
	t.Parallel()
	leader, follower := two(t)
	to := raftstore.Leading{ID: "leader", Address: leader.Address(), Term: 4}
	command := raftstore.Proposal{ID: "p1", Entry: []byte{1, 2, 3}}
	if index, err := follower.Forward(t.Context(), to, command); err != nil || index != 5 {
		t.Errorf("forwarded to %d, %v", index, err)
	}
	if got := leader.raft.taken.Load(); got.ID != command.ID || string(got.Entry) != string(command.Entry) {
		t.Errorf("the leader took %v", got)
	}
	if index, err := follower.ReadIndex(t.Context(), to); err != nil || index != 7 {
		t.Errorf("the leader's index is %d, %v", index, err)
	}
	var refused *farm.Error
	leader.raft.fails = raftstore.ErrNotTaken
	if _, err := follower.Forward(t.Context(), to, command); !errors.Is(err, raftstore.ErrNotTaken) || errors.As(err, &refused) {
		t.Errorf("a command that was not taken: %v", err)
	}
	leader.raft.fails = errors.Join(raftstore.ErrNotTaken, farm.Errorf(farm.CodeUnavailable, "too new"))
	if _, err := follower.Forward(t.Context(), to, command); !errors.Is(err, raftstore.ErrNotTaken) || !errors.As(err, &refused) || refused.Message != "too new" {
		t.Errorf("a command that the leader does not understand: %v", err)
	}
	leader.raft.fails = errors.New("the lead was lost")
	if _, err := follower.Forward(t.Context(), to, command); err == nil || errors.Is(err, raftstore.ErrNotTaken) {
		t.Errorf("a command that may be in the log: %v", err)
	}
	to.Address = "127.0.0.1:1"
	if _, err := follower.Forward(t.Context(), to, command); !errors.Is(err, raftstore.ErrNotTaken) {
		t.Errorf("a leader that is not reached: %v", err)
	}
}

func TestNewsReachFollowersUntilTheLeaderChanges(t *testing.T) {
	t.Parallel()
	leader, follower := two(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	heard := make(chan string, 10)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Follow(ctx, follower.Peers, func(word string, first bool) {
			if first {
				word += " first"
			}
			heard <- word
		})
	}()
	for _, want := range []string{"one first", "two"} {
		if got := <-heard; got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	there := follower.raft.leader.Load()
	follower.raft.leader.Store(&[2]string{})
	<-leader.untold
	follower.raft.leader.Store(there)
	if got := <-heard; got != "one first" {
		t.Errorf("heard %q from the next leader", got)
	}
	stop()
	<-ended
}

// What a release of before answers is understood: it told refusals of the lead by the status alone.
func TestStatusesOfOtherReleases(t *testing.T) {
	for status, want := range map[int]bool{http.StatusMisdirectedRequest: true, http.StatusConflict: false, http.StatusServiceUnavailable: false} {
		err := errorOf(&http.Response{StatusCode: status, Status: http.StatusText(status), Body: http.NoBody})
		if errors.Is(err, ErrNotLeading) != want || farm.CodeOf(err) != farm.CodeUnavailable {
			t.Errorf("status %d is %v", status, err)
		}
	}
}
