package coordinator

import (
	"bytes"
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

// The requests by which a node asks the one that leads. An answer with statusNotTaken says that nothing was done.
const (
	forwardPath    = "/forward" // POST an encoded command; its index
	indexPath      = "/index"   // an index up to which a reading is fresh
	termHeader     = "Overcrank-Term"
	proposalHeader = "Overcrank-Proposal"
	statusNotTaken = http.StatusMisdirectedRequest

	maxForwarded = 1 << 20 // bytes of a command; raftstore makes none that large
)

// indexAnswer is the answer to both.
type indexAnswer struct {
	Index uint64 `json:"index"`
}

// serveOthers registers what other coordinators may ask of this one.
func (c *Coordinator) serveOthers() {
	c.port.Handle("POST "+forwardPath, c.takeForwarded)
	c.port.Handle("GET "+indexPath, c.giveIndex)
}

func (c *Coordinator) takeForwarded(w http.ResponseWriter, r *http.Request) {
	entry, err := io.ReadAll(io.LimitReader(r.Body, maxForwarded))
	if err != nil {
		return // the one who asked is gone
	}
	term, err := strconv.ParseUint(r.Header.Get(termHeader), 10, 64)
	if err != nil || r.Header.Get(proposalHeader) == "" {
		internode.Refuse(w, http.StatusBadRequest, farm.Errorf(farm.CodeInvalid, "a command without the term of its leader, or without an id"))
		return
	}
	index, err := c.store.Take(r.Context(), term, raftstore.Proposal{ID: r.Header.Get(proposalHeader), Entry: entry})
	giveAnswer(w, index, err)
}

func (c *Coordinator) giveIndex(w http.ResponseWriter, r *http.Request) {
	index, err := c.store.ReadIndex(r.Context())
	giveAnswer(w, index, err)
}

func giveAnswer(w http.ResponseWriter, index uint64, err error) {
	switch {
	case errors.Is(err, raftstore.ErrNotTaken):
		internode.Refuse(w, statusNotTaken, err)
	case err != nil:
		internode.Refuse(w, http.StatusServiceUnavailable, err)
	default:
		_ = json.NewEncoder(w).Encode(indexAnswer{Index: index}) // who is gone will find it out another way
	}
}

// forward hands a command to the leader.
func (c *Coordinator) forward(ctx context.Context, to raftstore.Leading, p raftstore.Proposal) (uint64, error) {
	return c.askIndex(ctx, to, http.MethodPost, forwardPath, &p)
}

// readIndex asks the leader where the log is.
func (c *Coordinator) readIndex(ctx context.Context, to raftstore.Leading) (uint64, error) {
	return c.askIndex(ctx, to, http.MethodGet, indexPath, nil)
}

func (c *Coordinator) askIndex(ctx context.Context, to raftstore.Leading, method, path string, p *raftstore.Proposal) (uint64, error) {
	var body io.Reader
	if p != nil {
		body = bytes.NewReader(p.Entry)
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://"+to.Address+path, body)
	if err != nil {
		return 0, fmt.Errorf("asking the farm's leader: %w", err)
	}
	req.Header.Set(termHeader, strconv.FormatUint(to.Term, 10))
	if p != nil {
		req.Header.Set(proposalHeader, p.ID)
	}
	res, err := c.port.Client().Do(req)
	if err != nil {
		if internode.NotReached(err) {
			err = errors.Join(raftstore.ErrNotTaken, err)
		}
		return 0, fmt.Errorf("asking the farm's leader: %w", err)
	}
	defer res.Body.Close()
	switch res.StatusCode {
	case http.StatusOK:
		var answer indexAnswer
		if err := json.NewDecoder(io.LimitReader(res.Body, 1<<10)).Decode(&answer); err != nil {
			return 0, fmt.Errorf("reading the leader's answer: %w", err)
		}
		return answer.Index, nil
	case statusNotTaken:
		err := internode.ErrorOf(res)
		if farm.CodeOf(err) == farm.CodeInternal {
			return 0, raftstore.ErrNotTaken
		}
		return 0, errors.Join(raftstore.ErrNotTaken, err)
	default:
		return 0, internode.ErrorOf(res)
	}
}
