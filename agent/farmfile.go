package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"sync"

	"overcrank/agent/identity"
	"overcrank/durable"
	"overcrank/farm/wire"
)

// farmFileName is where the agent keeps what the farm tells of itself, so that it finds the farm after a restart when the coordinators that it
// is configured with are gone. It holds the keys of gossip; only the agent's user can read it.
const farmFileName = "farm.json"

// farmFile is what the farm has told of itself, in memory and on disk. It is safe for concurrent use.
type farmFile struct {
	path string

	mu   sync.Mutex
	farm farmFacts
}

type farmFacts struct {
	Cluster      string      `json:"cluster,omitempty"` // of which these are the facts
	Coordinators []string    `json:"coordinators,omitempty"`
	Gossip       wire.Gossip `json:"gossip,omitzero"`
}

// readFarmFile reads what is kept in a folder. A file that cannot be read is like none: the farm tells again.
func readFarmFile(dir string) (*farmFile, error) {
	t := &farmFile{path: filepath.Join(dir, farmFileName)}
	err := durable.ReadJSON(t.path, &t.farm)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		t.farm = farmFacts{}
		return t, fmt.Errorf("reading what the farm told of itself: %w", err)
	}
	return t, nil
}

// of is what the farm with this name has told; nothing when the facts are those of another one.
func (t *farmFile) of(cluster string) farmFacts {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.farm.Cluster != cluster {
		return farmFacts{}
	}
	return t.farm
}

// change changes what the farm with this name has told, on disk too when something is new.
func (t *farmFile) change(cluster string, edit func(*farmFacts)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := farmFacts{Cluster: cluster}
	if t.farm.Cluster == cluster {
		next = t.farm
	}
	edit(&next)
	if reflect.DeepEqual(next, t.farm) {
		return nil
	}
	t.farm = next
	if err := durable.WriteJSON(t.path, next, 0o600); err != nil {
		return fmt.Errorf("keeping what the farm told of itself: %w", err)
	}
	return nil
}

// recallFarm reads what the farm told in an earlier run.
func (a *agent) recallFarm() {
	kept, err := readFarmFile(a.cfg.DataDir)
	if err != nil {
		a.log.Warn("what the farm told of itself could not be read; it is asked again", "error", err)
	}
	a.farmFile = kept
	a.farm.SetAddresses(kept.of(a.self.Now().Cluster).Coordinators)
}

// welcomedBy takes up what the farm tells of itself when it welcomes this machine.
func (a *agent) welcomedBy(welcome wire.Welcome) {
	a.addresses.Store(&welcome.Addresses)
	if welcome.Coordinators != nil {
		a.setCoordinators(welcome.Coordinators)
	}
	a.keepFact(func(f *farmFacts) {
		if welcome.Gossip != nil {
			f.Gossip = *welcome.Gossip
		}
	})
	if welcome.Gossip != nil {
		a.setGossipKeys(*welcome.Gossip)
	}
}

// setCoordinators replaces what is known of the farm's coordinators.
func (a *agent) setCoordinators(addresses []string) {
	if len(addresses) == 0 {
		return // the coordinator that says so is no member either: what is known is kept
	}
	a.farm.SetAddresses(addresses)
	a.keepFact(func(f *farmFacts) { f.Coordinators = addresses })
}

// setGossip begins to use other keys of gossip.
func (a *agent) setGossip(g wire.Gossip) {
	a.keepFact(func(f *farmFacts) { f.Gossip = g })
	a.setGossipKeys(g)
}

// keepFact changes what is kept of the farm.
func (a *agent) keepFact(change func(*farmFacts)) {
	if err := a.farmFile.change(a.self.Now().Cluster, change); err != nil {
		a.log.Warn("what the farm told of itself could not be written; after a restart only the configured coordinators are known", "error", err)
	}
}

// KnownCoordinators are the coordinators that the farm has told the agent of a data folder; nil where it has told none.
func KnownCoordinators(dataDir string) []string {
	self, err := identity.ReadCredential(dataDir)
	if err != nil {
		return nil
	}
	kept, err := readFarmFile(dataDir)
	if err != nil {
		return nil
	}
	return kept.of(self.Now().Cluster).Coordinators
}
