package coordinator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
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

// waitingFile is there while this node waits to become part of a farm, so that it goes on with that however it is started.
// Without it, a node that was stopped in between would begin a farm of its own under another farm's key.
const waitingFile = "cluster.waiting"

// awaited is what the file holds.
type awaited struct {
	Join   []string `json:"join,omitempty"`   // addresses of other coordinators
	Expect int      `json:"expect,omitempty"` // how many of them are to begin a farm
}

// loadWaiting takes up what an earlier start waited for, and keeps what this one is asked to wait for.
func (c *Coordinator) loadWaiting() error {
	path := c.path(waitingFile)
	var kept awaited
	err := durable.ReadJSON(path, &kept)
	if errors.Is(err, fs.ErrNotExist) && len(c.cfg.Join) == 0 && len(c.cfg.GossipSeeds) == 0 && c.cfg.BootstrapExpect < 2 {
		return nil
	}
	waited := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s, which says what this coordinator waits for: %w", path, err)
	}
	for _, address := range kept.Join {
		if !slices.Contains(c.cfg.Join, address) {
			c.cfg.Join = append(c.cfg.Join, address)
		}
	}
	if c.cfg.BootstrapExpect == 0 {
		c.cfg.BootstrapExpect = kept.Expect
	}
	if c.cfg.ClusterListen == "" {
		return errors.New("this coordinator is to become one of several: give it a port for the others (--cluster-listen)")
	}
	// Whoever has waited before has the files of a state in which there is nothing yet.
	if state, err := hasState(filepath.Join(c.cfg.DataDir, stateFolder)); err != nil || state && !waited {
		return err
	}
	c.awaits = true
	return keepWaiting(c.cfg.DataDir, awaited{Join: c.cfg.Join, Expect: c.cfg.BootstrapExpect})
}

func keepWaiting(dir string, w awaited) error {
	if err := durable.WriteJSON(filepath.Join(dir, waitingFile), w, 0o600); err != nil {
		return fmt.Errorf("keeping what this coordinator waits for: %w", err)
	}
	return nil
}

// hasState tells whether a folder of the state holds anything but the node's id.
func hasState(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), durable.SumSuffix); name != raftstore.NodeIDFile {
			return true, nil
		}
	}
	return false, err
}

// seek brings a blank node to a farm: into one that is there, or, with the others that it is to begin one with, into a new one.
func (m *cluster) seek(ctx context.Context) {
	if m.c.storage.Shared() == nil {
		m.wait("it would keep files in %s, where others cannot reach them: start it with the --storage of the farm", m.c.storage.Own())
		return
	}
	blank, members := m.around()
	if len(members) > 0 {
		m.join(ctx, members)
		return
	}
	expect := m.c.cfg.BootstrapExpect
	if expect < 2 {
		m.wait("no coordinator of the farm answers%s", m.unheard())
		return
	}
	if why := m.cannotFound(expect, blank); why != "" {
		m.wait("%s%s", why, m.unheard())
		return
	}
	peers := []raftstore.Peer{{ID: m.c.store.ID(), Address: m.c.peers.Address()}}
	for _, r := range blank {
		peers = append(peers, raftstore.Peer{ID: r.ID, Address: r.Cluster})
	}
	slices.SortFunc(peers, func(a, b raftstore.Peer) int { return strings.Compare(a.ID, b.ID) })
	m.c.log.Info("all coordinators that are to begin the farm have met", "coordinators", peers)
	if err := m.c.store.Found(ctx, peers); err != nil {
		m.wait("%v", err)
	}
}

// around are the other coordinators that answer: those that are blank too, and those that are part of a farm.
func (m *cluster) around() (blank, members []nodeReport) {
	all := m.sightings()
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

// blank are the ids of the blank coordinators that are there, this one among them.
func (m *cluster) blank() []string {
	others, _ := m.around()
	ids := []string{m.c.store.ID()}
	for _, r := range others {
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	return ids
}

// cannotFound says why the blank coordinators that are there cannot begin a farm yet, "" when they can: they are as many as
// every one of them expects, and each of them has seen all the others. So no two of them begin different farms.
func (m *cluster) cannotFound(expect int, others []nodeReport) string {
	all := m.blank()
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

// unheard names who does not answer.
func (m *cluster) unheard() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.silent) == 0 {
		return ""
	}
	var words []string
	for _, address := range slices.Sorted(maps.Keys(m.silent)) {
		words = append(words, address+" "+m.silent[address])
	}
	return "; " + strings.Join(words, ", ")
}

// joinAnswer is what a member says to a coordinator that wants to be one.
type joinAnswer struct {
	// Leader is the address of the one to ask instead, "" when this one answers.
	Leader string `json:"leader,omitempty"`
	// Gone says why the one who asks can be a member no more, with the state that it has.
	Gone string `json:"gone,omitempty"`
}

// join asks to be let into the farm of those that were heard.
func (m *cluster) join(ctx context.Context, members []nodeReport) {
	// A node that sees another storage than the rest would lose what it is given.
	if !m.storageSeen {
		if err := m.c.storage.Look(ctx); err != nil {
			m.wait("%v", err)
			return
		}
		m.storageSeen = true
	}
	var words string
	for _, r := range members {
		answer, err := m.askToJoin(ctx, r.Cluster)
		switch {
		case err == nil && answer.Gone == "":
			m.wait("the farm has let this coordinator in, and its state is on its way")
			return
		case err == nil:
			words = answer.Gone
		case farm.CodeOf(err) == farm.CodeConflict || farm.CodeOf(err) == farm.CodeForbidden:
			m.wait("the farm does not let this coordinator in: %v", err)
			return
		default:
			words = shortReason(err)
		}
	}
	m.wait("the farm has not let this coordinator in yet: %s", words)
}

// joinWithin bounds the request to be let in.
const joinWithin = 30 * time.Second

// askToJoin asks a member, and the leader that it names.
func (m *cluster) askToJoin(ctx context.Context, address string) (joinAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, joinWithin)
	defer cancel()
	self := m.reportSelf(0)
	for range 3 {
		answer, err := peers.Ask(ctx, m.c.peers, address, askJoin, self)
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

// announceAddress tells the leader where this member is, when the farm has another address of it.
func (m *cluster) announceAddress(ctx context.Context) {
	members, _, err := m.c.store.Members()
	if err != nil || m.c.peers.Alone() {
		return
	}
	for _, member := range members {
		if member.ID != m.c.store.ID() || member.Address == m.c.peers.Address() {
			continue
		}
		_, leader := m.c.store.Leader()
		if answer, err := m.askToJoin(ctx, leader); err != nil || answer.Gone != "" {
			m.sayOnce(fmt.Sprintf("the farm does not take this coordinator's new address %s: %s%v", m.c.peers.Address(), answer.Gone, err))
		}
	}
}

// askIfMember asks the others, when nobody leads this one, whether it has another address by now, or no place any more.
func (m *cluster) askIfMember(ctx context.Context) {
	_, members := m.around()
	for _, r := range members {
		if r.Leader == "" {
			continue
		}
		answer, err := m.askToJoin(ctx, r.Cluster)
		switch {
		case err != nil:
			m.sayOnce(fmt.Sprintf("asking the others whether this coordinator is still one of them: %v", err))
		case answer.Gone != "":
			m.leave(answer.Gone)
			return
		}
	}
}

// sayOnce logs a warning unless it was the last one.
func (m *cluster) sayOnce(words string) {
	if words != "" && words != m.warned {
		m.c.log.Warn(words)
	}
	m.warned = words
}
