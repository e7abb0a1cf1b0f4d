package coordinator

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"overcrank/coordinator/internode"
	"overcrank/farm"
)

// What coordinators ask each other about the cluster.
const (
	pathReport = "/cluster/report" // nodeReport; ?index= asks for the fingerprint there
	pathJoin   = "/cluster/join"   // POST nodeReport, answers joinAnswer
	pathRemove = "/cluster/remove" // POST removal, of the leader
	pathLead   = "/cluster/lead"   // POST leadChange, of the leader
	pathKeys   = "/cluster/keys"   // POST keyChange

	pathSecretKey = "/cluster/secret-key" // POST newSecretKey, of the leader; answers KeyChange
	pathOldKeys   = "/cluster/old-keys"   // POST keyChange, of the leader
	pathRemoved   = "/cluster/removed"    // POST farewell, to the one that is a member no more

	longestCall = 1 << 20 // bytes of a question or an answer

	addressHeader = "Overcrank-Address" // of the one that asks, so that whoever was called knows the caller
)

// nodeReport is what a coordinator says of itself to another.
type nodeReport struct {
	farm.Coordinator
	Farm      string    `json:"farm"`
	Eras      []string  `json:"eras,omitempty"`   // see eraFile
	Blank     bool      `json:"blank,omitempty"`  // has never been part of a farm
	Expect    int       `json:"expect,omitempty"` // how many coordinators are to begin the farm
	Seen      []string  `json:"seen,omitempty"`   // ids of the blank ones that it has seen, itself among them, sorted
	Knows     []string  `json:"knows,omitempty"`  // addresses of coordinators that it knows of
	Leader    string    `json:"leader,omitempty"` // address of the one that leads
	Term      uint64    `json:"term"`
	Committed uint64    `json:"committed"`
	Applied   uint64    `json:"applied"`
	State     uint64    `json:"state"`                 // of raftstore.Progress
	Print     string    `json:"fingerprint,omitempty"` // of the state at the index that was asked for, or at State
	MarkIndex uint64    `json:"markIndex,omitempty"`   // of raftstore.Store.Mark
	Mark      string    `json:"mark,omitempty"`        // the fingerprint there
	Mended    int64     `json:"mended,omitempty"`      // how often its state file was found damaged and made again since its start
	Verified  time.Time `json:"verified,omitzero"`     // when that file was last found whole
	Free      int64     `json:"free"`                  // bytes free on the disk
	Secrets   []string  `json:"secrets,omitempty"`     // ids of the keys for secrets, newest last
	Trouble   string    `json:"trouble,omitempty"`     // why it is not ready
	Damaged   int       `json:"damaged,omitempty"`     // files of the farm that it found damaged
}

// reportSelf says how this node is.
func (m *cluster) reportSelf(index uint64) nodeReport {
	c := m.c
	p := c.store.Progress()
	_, leader := c.store.Leader()
	r := nodeReport{
		Coordinator: m.self(), Farm: c.keys.cluster(), Eras: c.eras, Blank: c.store.Blank(), Expect: c.cfg.BootstrapExpect, Leader: leader,
		Term: p.Term, Committed: p.Committed, Applied: p.Applied, State: p.State, Secrets: c.ring.IDs(), Damaged: len(c.proofs.Damaged()),
	}
	if index == 0 {
		index = p.State
	}
	r.Print, _ = c.store.FingerprintAt(index)
	r.MarkIndex, r.Mark = c.store.Mark()
	whole := c.store.Integrity()
	r.Mended, r.Verified = whole.Rebuilds, whole.Verified
	if free, err := c.store.Free(); err == nil {
		r.Free = free
	}
	if r.Blank {
		r.Seen, r.Knows = m.blank(), append(m.callable(), m.address())
	}
	if err := c.Ready(); err != nil {
		r.Trouble = err.Error()
	}
	return r
}

// report asks the node at an address how it is.
func (m *cluster) report(ctx context.Context, address string, index uint64) (nodeReport, error) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var r nodeReport
	path := pathReport
	if index > 0 {
		path += "?index=" + strconv.FormatUint(index, 10)
	}
	err := m.c.callNode(ctx, http.MethodGet, address, path, nil, &r)
	return r, err
}

// callNode asks another coordinator. An error that it answers with is a *farm.Error.
func (c *Coordinator) callNode(ctx context.Context, method, address, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("asking the coordinator at %s: %w", address, err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, "https://"+address+path, body)
	if err != nil {
		return fmt.Errorf("asking the coordinator at %s: %w", address, err)
	}
	req.Header.Set(addressHeader, c.port.Address())
	res, err := c.port.Client().Do(req)
	if err != nil {
		return fmt.Errorf("asking the coordinator at %s: %w", address, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return internode.ErrorOf(res)
	}
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, longestCall)).Decode(out); err != nil {
		return fmt.Errorf("reading the answer of the coordinator at %s: %w", address, err)
	}
	return nil
}

// answerCluster registers what other coordinators may ask about the cluster. It is called before the port serves.
func (m *cluster) answerCluster(port *internode.Port) {
	port.Handle("GET "+pathReport, func(w http.ResponseWriter, r *http.Request) {
		m.know(r.Header.Get(addressHeader))
		index, _ := strconv.ParseUint(r.URL.Query().Get("index"), 10, 64)
		give(w, m.reportSelf(index), nil)
	})
	takeCall(port, pathJoin, func(ctx context.Context, from string, in nodeReport) (joinAnswer, error) {
		if in.ID != from {
			return joinAnswer{}, farm.Errorf(farm.CodeForbidden, "a coordinator asks for itself alone")
		}
		return m.admit(ctx, in)
	})
	takeCall(port, pathRemove, func(ctx context.Context, _ string, in removal) (struct{}, error) {
		return struct{}{}, m.removeHere(ctx, in)
	})
	takeCall(port, pathLead, func(ctx context.Context, _ string, in leadChange) (struct{}, error) {
		return struct{}{}, m.c.store.TransferLead(ctx, in.To)
	})
	takeCall(port, pathKeys, func(_ context.Context, from string, in keyChange) (struct{}, error) {
		return struct{}{}, m.c.takeSecretKeys(from, in)
	})
	takeCall(port, pathSecretKey, func(ctx context.Context, _ string, in newSecretKey) (KeyChange, error) {
		return m.c.changeSecretKey(ctx, in)
	})
	takeCall(port, pathOldKeys, func(ctx context.Context, _ string, in keyChange) (struct{}, error) {
		return struct{}{}, m.c.takeOldKeys(ctx, in)
	})
	takeCall(port, pathRemoved, func(ctx context.Context, from string, in farewell) (struct{}, error) {
		return struct{}{}, m.takeFarewell(ctx, from, in)
	})
}

// callTime bounds what another node has this one do.
const callTime = 30 * time.Second

// takeCall registers how a question of other coordinators is answered.
func takeCall[In, Out any](port *internode.Port, path string, how func(ctx context.Context, from string, in In) (Out, error)) {
	port.Handle("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var in In
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, longestCall)).Decode(&in); err != nil {
			internode.Refuse(w, http.StatusBadRequest, farm.Errorf(farm.CodeInvalid, "a question that cannot be read: %w", err))
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), callTime)
		defer cancel()
		out, err := how(ctx, internode.PeerOf(r), in)
		give(w, out, err)
	})
}

func give(w http.ResponseWriter, out any, err error) {
	if err != nil {
		internode.Refuse(w, http.StatusConflict, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out) // whoever is gone finds out another way
}
