package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"sync"

	"overcrank/durable"
	"overcrank/farm/wire"
)

// toldFile holds what the farm has told this machine of itself, so that it finds the farm after a restart when the coordinators that it is
// configured with are gone. It holds the keys of gossip; only the agent's user can read it.
const toldFile = "farm.json"

// told is what the farm has told of itself. It is safe for concurrent use.
type told struct {
	path string

	mu   sync.Mutex
	farm toldFarm
}

type toldFarm struct {
	Cluster      string      `json:"cluster,omitempty"` // whose words these are
	Coordinators []string    `json:"coordinators,omitempty"`
	Gossip       wire.Gossip `json:"gossip,omitzero"`
}

// readTold reads what is kept in a folder. A file that cannot be read is like none: the farm tells again.
func readTold(dir string) (*told, error) {
	t := &told{path: filepath.Join(dir, toldFile)}
	err := durable.ReadJSON(t.path, &t.farm)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		t.farm = toldFarm{}
		return t, fmt.Errorf("reading what the farm told of itself: %w", err)
	}
	return t, nil
}

// of is what the farm with this name has told; nothing when the words are those of another one.
func (t *told) of(cluster string) toldFarm {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.farm.Cluster != cluster {
		return toldFarm{}
	}
	return t.farm
}

// note changes what the farm with this name has told, on disk too when it is something new.
func (t *told) note(cluster string, change func(*toldFarm)) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	next := toldFarm{Cluster: cluster}
	if t.farm.Cluster == cluster {
		next = t.farm
	}
	change(&next)
	if reflect.DeepEqual(next, t.farm) {
		return nil
	}
	t.farm = next
	if err := durable.WriteJSON(t.path, next, 0o600); err != nil {
		return fmt.Errorf("keeping what the farm told of itself: %w", err)
	}
	return nil
}
