package tables

import (
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestTheKeysOfGossipChangeFromWhatIsInForce(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	at := after(1)
	first := farm.GossipKey{ID: "a", Sealed: []byte{1}}
	m.must(command.PutGossipRing{Ring: farm.GossipRing{Keys: []farm.GossipKey{first, {ID: "b", Sealed: []byte{2}, UseAt: at}}}})
	wantRefused(t, m, command.PutGossipRing{Ring: farm.GossipRing{Keys: []farm.GossipKey{first}}}, farm.CodeConflict)
	for name, keys := range map[string][]farm.GossipKey{
		"no key":              nil,
		"too many":            {first, {ID: "b", Sealed: []byte{1}}, {ID: "c", Sealed: []byte{1}}, {ID: "d", Sealed: []byte{1}}, {ID: "e", Sealed: []byte{1}}},
		"one twice":           {first, first},
		"one without a name":  {first, {Sealed: []byte{1}}},
		"one that is not one": {first, {ID: "b"}},
		"a first that waits":  {{ID: "b", Sealed: []byte{2}, UseAt: at}, first},
	} {
		result := m.do(command.PutGossipRing{Ring: farm.GossipRing{Revision: 1, Keys: keys}})
		if farm.CodeOf(result.Refused) != farm.CodeInvalid {
			t.Errorf("%s: %v", name, result.Refused)
		}
	}
	m.read(func(tx *Tx) error {
		ring, err := tx.GossipRing()
		if ring.Revision != 1 || len(ring.Keys) != 2 || !ring.Keys[1].UseAt.Equal(at) {
			t.Errorf("the ring is %+v", ring)
		}
		return err
	})
}
