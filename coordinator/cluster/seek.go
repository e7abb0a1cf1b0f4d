package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overcrank/coordinator/membership"
	"overcrank/coordinator/peers"
	"overcrank/durable"
	"overcrank/farm"
	"overcrank/raftstore"
)

// waitingFile exists while this node waits to become part of a farm, so that it continues to, however it is started. Otherwise a node
// that was stopped in between would begin a farm of its own under another farm's key.
const waitingFile = "cluster.waiting"

// Wanted is the farm that a new coordinator is to join or begin.
type Wanted struct {
	Join   []string `json:"join,omitempty"`   // addresses of coordinators to join
	Expect int      `json:"expect,omitempty"` // how many coordinators begin a farm together
}

// Await merges what an earlier start of this node waited for with what this one is asked to wait for, and records it. waits says whether
// the node has to join a farm or begin one with others. port says that it has a port for other coordinators, seeds that it may find them
// by gossip, hasState that its folder holds a state.
func (w *Wanted) Await(dir string, port, seeds, hasState bool) (waits bool, err error) {
	path := filepath.Join(dir, waitingFile)
	var kept Wanted
	err = durable.ReadJSON(path, &kept)
	if errors.Is(err, fs.ErrNotExist) && len(w.Join) == 0 && !seeds && w.Expect < 2 {
		return false, nil
	}
	waited := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, fmt.Errorf("reading %s, which says what this coordinator waits for: %w", path, err)
	}
	for _, address := range kept.Join {
		if !slices.Contains(w.Join, address) {
			w.Join = append(w.Join, address)
		}
	}
	if w.Expect == 0 {
		w.Expect = kept.Expect
	}
	if !port {
		return false, errors.New("this coordinator is to become one of several: give it a port for the others (--cluster-listen)")
	}
	if hasState && !waited { // a node that waited before has an empty state
		return false, nil
	}
	return true, w.keep(dir)
}

func (w Wanted) keep(dir string) error {
	if err := durable.WriteJSON(filepath.Join(dir, waitingFile), w, 0o600); err != nil {
		return fmt.Errorf("keeping what this coordinator waits for: %w", err)
	}
	return nil
}

// seek makes a blank node part of a farm: it joins an existing one, or begins one with the others that are expected.
func (c *Cluster) seek(ctx context.Context) {
	if c.storage.Shared() == nil {
		c.wait("its files would be in %s, where others cannot reach them: start it with the --storage of the farm", c.storage.Own())
		return
	}
	blank, members := c.around()
	if len(members) > 0 {
		c.join(ctx, members)
		return
	}
	expect := c.cfg.Wanted.Expect
	if expect < 2 {
		c.wait("no coordinator of the farm answers%s", c.unheard())
		return
	}
	if why := c.cannotFound(expect, blank); why != "" {
		c.wait("%s%s", why, c.unheard())
		return
	}
	peers := []raftstore.Peer{{ID: c.raft.ID(), Address: c.peers.Address()}}
	for _, r := range blank {
		peers = append(peers, raftstore.Peer{ID: r.ID, Address: r.Cluster})
	}
	slices.SortFunc(peers, func(a, b raftstore.Peer) int { return strings.Compare(a.ID, b.ID) })
	c.log.Info("all coordinators that are to begin the farm have met", "coordinators", peers)
	if err := c.raft.Found(ctx, peers); err != nil {
		c.wait("%v", err)
	}
}

// around returns the reports of the other coordinators that answer: blank ones, and members of a farm.
func (c *Cluster) around() (blank, members []nodeReport) {
	all := c.sightings()
	for _, id := range slices.Sorted(maps.Keys(all)) {
		s := all[id]
		switch {
		case time.Since(s.heard) > membership.DeadAfter:
		case s.report.Blank:
			blank = append(blank, s.report)
		default:
			members = append(members, s.report)
		}
	}
	return blank, members
}

// blank returns the ids of the blank coordinators that answer, including this one.
func (c *Cluster) blank() []string {
	others, _ := c.around()
	ids := []string{c.raft.ID()}
	for _, r := range others {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

// cannotFound says why the blank coordinators that answer cannot begin a farm yet; "" when they can: they are as many as each expects,
// and each has seen all the others. So no two of them begin different farms.
func (c *Cluster) cannotFound(expect int, others []nodeReport) string {
	all := c.blank()
	names := make([]string, len(others))
	for i, r := range others {
		names[i] = r.Name + " at " + r.Cluster
		if r.Expect != expect {
			return fmt.Sprintf("this coordinator expects %d to begin the farm and %s expects %d (--bootstrap-expect)", expect, names[i], r.Expect)
		}
	}
	there := "has seen nobody else"
	if len(names) > 0 {
		there = "has seen " + strings.Join(names, ", ")
	}
	switch {
	case len(all) < expect:
		return fmt.Sprintf("%d coordinators are to begin the farm, %d are there: this one %s", expect, len(all), there)
	case len(all) > expect:
		return fmt.Sprintf("%d coordinators are to begin the farm, and %d are there: this one %s; start only %d of them at first", expect, len(all), there, expect)
	}
	for i, r := range others {
		if !slices.Equal(r.Seen, all) {
			return fmt.Sprintf("%s has not seen all the others yet", names[i])
		}
	}
	return ""
}

// unheard lists the coordinators that do not answer.
func (c *Cluster) unheard() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.silent) == 0 {
		return ""
	}
	var words []string
	for _, address := range slices.Sorted(maps.Keys(c.silent)) {
		words = append(words, address+" "+c.silent[address])
	}
	return "; " + strings.Join(words, ", ")
}

// joinAnswer is a member's answer to a coordinator that wants to join.
type joinAnswer struct {
	// Leader is the address to ask instead, "" when this member decided.
	Leader string `json:"leader,omitempty"`
	// Gone says why the caller cannot be a member with the state that it has.
	Gone string `json:"gone,omitempty"`
}

// join asks members to be let into their farm.
func (c *Cluster) join(ctx context.Context, members []nodeReport) {
	// A node with another storage than the rest would lose the files it is given.
	if !c.loop.storageWorked {
		if err := c.storage.Look(ctx); err != nil {
			c.wait("%v", err)
			return
		}
		c.loop.storageWorked = true
	}
	var words string
	for _, r := range members {
		answer, err := c.askToJoin(ctx, r.Cluster)
		switch {
		case err == nil && answer.Gone == "":
			c.wait("the farm has let this coordinator in, and its state is on its way")
			return
		case err == nil:
			words = answer.Gone
		case farm.CodeOf(err) == farm.CodeConflict || farm.CodeOf(err) == farm.CodeForbidden:
			c.wait("the farm refuses this coordinator: %v", err)
			return
		default:
			words = shortReason(err)
		}
	}
	c.wait("the farm has not let this coordinator in yet: %s", words)
}

// joinTimeout bounds the request to be let in.
const joinTimeout = 30 * time.Second

// askToJoin asks a member, or the leader that it refers to.
func (c *Cluster) askToJoin(ctx context.Context, address string) (joinAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	self := c.reportSelf(0)
	for range 3 {
		answer, err := peers.Ask(ctx, c.peers, address, askJoin, self)
		if err != nil {
			return answer, err
		}
		if answer.Leader == "" {
			return answer, nil
		}
		address = answer.Leader
	}
	return joinAnswer{}, farm.Errorf(farm.CodeUnavailable, "the farm's leader is changing")
}

// announceAddress tells the leader this member's address when the farm has another one.
func (c *Cluster) announceAddress(ctx context.Context) {
	members, _, err := c.raft.Members()
	if err != nil || c.peers.Alone() {
		return
	}
	for _, member := range members {
		if member.ID != c.raft.ID() || member.Address == c.peers.Address() {
			continue
		}
		_, leader := c.raft.Leader()
		answer, err := c.askToJoin(ctx, leader)
		if err == nil && answer.Gone != "" {
			err = errors.New(answer.Gone)
		}
		if err != nil {
			c.sayOnce(fmt.Sprintf("the farm refuses this coordinator's new address %s: %v", c.peers.Address(), err))
		}
	}
}

// askIfMember asks the other members, while this one has no leader, whether its address has changed or it was removed.
func (c *Cluster) askIfMember(ctx context.Context) {
	_, members := c.around()
	for _, r := range members {
		if r.Leader == "" {
			continue
		}
		answer, err := c.askToJoin(ctx, r.Cluster)
		switch {
		case err != nil:
			c.sayOnce(fmt.Sprintf("asking the others whether this coordinator is still one of them: %v", err))
		case answer.Gone != "":
			c.leave(answer.Gone)
			return
		}
	}
}

// sayOnce logs a warning unless it equals the last one.
func (c *Cluster) sayOnce(words string) {
	if words != "" && words != c.loop.warned {
		c.log.Warn(words)
	}
	c.loop.warned = words
}
