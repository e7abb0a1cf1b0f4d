package peers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"overcrank/coordinator/internode"
	"overcrank/farm"
	"overcrank/raftstore"
)

// How a coordinator has the leader commit a command, and asks it how far the log goes.
const (
	pathCommand    = "/forward" // POST an encoded command; its index
	pathIndex      = "/index"   // an index up to which a reading is fresh
	termHeader     = "Overcrank-Term"
	proposalHeader = "Overcrank-Proposal"

	maxCommand = 1 << 20 // bytes; raftstore makes none that large
)

// indexed is the answer to both.
type indexed struct {
	Index uint64 `json:"index"`
}

// Forward hands a command to the leader, as raftstore.Config.Forward wants it.
func (p *Peers) Forward(ctx context.Context, to raftstore.Leading, command raftstore.Proposal) (uint64, error) {
	return p.indexFrom(ctx, to, request{
		method: http.MethodPost, path: pathCommand, header: http.Header{proposalHeader: {command.ID}}, body: command.Entry,
	})
}

// ReadIndex asks the leader how far the log goes, as raftstore.Config.ReadIndex wants it.
func (p *Peers) ReadIndex(ctx context.Context, to raftstore.Leading) (uint64, error) {
	return p.indexFrom(ctx, to, request{method: http.MethodGet, path: pathIndex, header: http.Header{}})
}

// indexFrom sends the leader of a term a request that it answers with an index. The error is raftstore.ErrNotTaken where nothing was
// done for certain: after any other, the command may be in the log.
func (p *Peers) indexFrom(ctx context.Context, to raftstore.Leading, q request) (uint64, error) {
	q.header.Set(termHeader, strconv.FormatUint(to.Term, 10))
	body, err := p.call(ctx, to.Address, q)
	switch {
	case err == nil:
	case internode.NotReached(err):
		return 0, errors.Join(raftstore.ErrNotTaken, err)
	case notLeading(err):
		var refused *farm.Error
		if errors.As(err, &refused) && refused.Code == farm.CodeInternal { // it says no more than the status
			return 0, raftstore.ErrNotTaken
		}
		return 0, errors.Join(raftstore.ErrNotTaken, refused)
	default:
		return 0, err
	}
	defer body.Close()
	var answer indexed
	if err := json.NewDecoder(io.LimitReader(body, 1<<10)).Decode(&answer); err != nil {
		return 0, fmt.Errorf("reading the leader's answer: %w", err)
	}
	return answer.Index, nil
}

func (p *Peers) takeCommand(w http.ResponseWriter, r *http.Request) {
	entry, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCommand))
	if err != nil {
		refuse(w, http.StatusBadRequest, farm.Errorf(farm.CodeInvalid, "a command that cannot be read: %w", err))
		return
	}
	term, err := strconv.ParseUint(r.Header.Get(termHeader), 10, 64)
	if err != nil || r.Header.Get(proposalHeader) == "" {
		refuse(w, http.StatusBadRequest, farm.Errorf(farm.CodeInvalid, "a command without the term of its leader, or without an id"))
		return
	}
	index, err := p.raft.Take(r.Context(), term, raftstore.Proposal{ID: r.Header.Get(proposalHeader), Entry: entry})
	giveIndexed(w, index, err)
}

func (p *Peers) giveIndex(w http.ResponseWriter, r *http.Request) {
	index, err := p.raft.ReadIndex(r.Context())
	giveIndexed(w, index, err)
}

func giveIndexed(w http.ResponseWriter, index uint64, err error) {
	if errors.Is(err, raftstore.ErrNotTaken) {
		refuse(w, statusNotLeading, err)
		return
	}
	give(w, indexed{Index: index}, err)
}
