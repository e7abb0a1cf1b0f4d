package wire_test

import (
	"strings"
	"testing"

	"overcrank/farm/wire"
)

func TestNodeMetadataStaysSmall(t *testing.T) {
	n := wire.Node{ID: "01JD0000000000000000000000", Role: wire.RoleAgent, Version: "v0.1.0", Inventory: "0123456789abcdef"}
	for range 200 {
		n.Engines = append(n.Engines, "26.0.2")
	}
	b, err := n.Encode()
	if err != nil || len(b) > wire.MaxNodeMeta {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	if back, err := wire.DecodeNode(b); err != nil || back.ID != n.ID || back.Inventory != n.Inventory {
		t.Errorf("read back %+v, %v", back, err)
	}
	if _, err := (wire.Node{ID: strings.Repeat("x", 500), Role: wire.RoleAgent}).Encode(); err == nil {
		t.Error("an id of 500 bytes was accepted")
	}
	for _, hostile := range []string{"", "{}", "null", `{"i":"x","r":"z"}`, strings.Repeat("[", 401)} {
		if _, err := wire.DecodeNode([]byte(hostile)); err == nil {
			t.Errorf("%.20q was accepted", hostile)
		}
	}
}
