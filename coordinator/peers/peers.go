// Package peers is how the coordinators of a farm speak with each other, over the port of package internode. A coordinator asks another
// one, or whichever leads, a Question and gets its answer; changes of the state go to the leader as encoded commands; and what happens
// at the leader reaches the others as a stream of news. All of these fail in one way: with a *farm.Error that the other coordinator
// answered, with ErrNotLeading when it leads no more, or with the network's error.
package peers

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/raftstore"
)

// ErrNotLeading says that the coordinator that was asked does not lead the farm and has done nothing, or that none leads.
var ErrNotLeading error = farm.Errorf(farm.CodeUnavailable, "the farm has no leader at the moment; try again in a moment")

// statusNotLeading is the HTTP status of an answer with ErrNotLeading.
const statusNotLeading = http.StatusMisdirectedRequest

const (
	// answerWithin bounds what another coordinator has this one do.
	answerWithin = 30 * time.Second
	// maxQuestion and maxAnswer bound what travels, in bytes.
	maxQuestion = 8 << 20
	maxAnswer   = 64 << 20
	// addressHeader is where the coordinator that asks can be asked itself, so that whoever was found finds the finder.
	addressHeader = "Overcrank-Address"
)

// Log is this coordinator's part in the farm's Raft.
type Log interface {
	// ID is that of this coordinator.
	ID() string
	// Leader is the coordinator that leads, and where it can be asked; both are "" while none leads.
	Leader() (id, address string)
	// Take applies another coordinator's command, as raftstore.Store.Take does.
	Take(ctx context.Context, term uint64, p raftstore.Proposal) (index uint64, err error)
	// ReadIndex is the newest index of the log, as raftstore.Store.ReadIndex gives it.
	ReadIndex(ctx context.Context) (uint64, error)
}

// Peers are the farm's other coordinators, as this one speaks with them. Its methods may be called at the same time.
type Peers struct {
	ctx    context.Context // ends when this coordinator stops
	port   *internode.Port // nil for a farm of one coordinator
	raft   Log             // from Serve on
	found  func(address string)
	log    *slog.Logger
	answer map[string]any // func(context.Context, string, In) (Out, error), by the question's path

	mu         sync.Mutex
	leaderless time.Time // since when no leader could be asked; zero when one could, the last time
}

// New speaks through a port, which is nil for a farm of one coordinator. When ctx ends, nobody is asked any more. found is told the
// addresses of coordinators that asked this one, and may be nil.
func New(ctx context.Context, port *internode.Port, found func(address string), log *slog.Logger) *Peers {
	if found == nil {
		found = func(string) {}
	}
	return &Peers{ctx: ctx, port: port, found: found, log: log, answer: map[string]any{}}
}

// Alone says that this coordinator has no port for others.
func (p *Peers) Alone() bool { return p.port == nil }

// Address is where the others reach this coordinator, "" where it has no port for them.
func (p *Peers) Address() string {
	if p.port == nil {
		return ""
	}
	return p.port.Address()
}

// Serve begins to answer the others. What they may ask has been registered by Answer and Tell before.
func (p *Peers) Serve(raft Log) {
	p.raft = raft
	if p.port == nil {
		return
	}
	p.port.Handle("POST "+pathCommand, p.takeCommand)
	p.port.Handle("GET "+pathIndex, p.giveIndex)
	p.port.Handle("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, farm.Errorf(farm.CodeUnavailable,
			"the other coordinator runs another version of overcrank and does not know what %s asks; update all coordinators", r.URL.Path))
	})
	p.port.Serve()
}

// request is what one coordinator sends another.
type request struct {
	method, path string
	header       http.Header
	body         []byte
}

// call sends a request to the coordinator at an address. The caller closes the body of the answer.
func (p *Peers) call(ctx context.Context, address string, q request) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, q.method, "https://"+address+q.path, bytes.NewReader(q.body))
	if err != nil {
		return nil, fmt.Errorf("asking the coordinator at %s: %w", address, err)
	}
	if q.header != nil {
		req.Header = q.header
	}
	res, err := p.port.Client().Do(req)
	if err != nil {
		return nil, fmt.Errorf("asking the coordinator at %s: %w", address, &unanswered{err})
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer res.Body.Close()
	return nil, errorOf(res)
}

// unanswered is the error of a coordinator that could not be asked, or did not answer to the end.
type unanswered struct{ err error }

func (e *unanswered) Error() string { return e.err.Error() }
func (e *unanswered) Unwrap() error { return e.err }
