package wire

import (
	"reflect"
	"strings"
	"testing"
)

func TestNodeSurvivesItsEncoding(t *testing.T) {
	n := Node{Role: RoleAgent, ID: "01J", Version: "v0.1.0", Engines: []string{"26.0.2", "25.6"}, Inventory: "0123456789abcdef"}
	b, err := n.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeNode(b)
	if err != nil || !reflect.DeepEqual(got, n) {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestNodeNeverGrowsPastItsLimit(t *testing.T) {
	n := Node{Role: RoleCoordinator, ID: "01J", Address: "http://" + strings.Repeat("h", 250)}
	for range 60 {
		n.Engines = append(n.Engines, "26.0.2")
	}
	b, err := n.Encode()
	if err != nil || len(b) > MaxNodeMeta {
		t.Fatalf("%d bytes, %v", len(b), err)
	}
	got, err := DecodeNode(b)
	if err != nil || got.ID != n.ID || got.Address != n.Address {
		t.Fatalf("what matters most was lost: %+v, %v", got, err)
	}
	n.Address = strings.Repeat("h", 600)
	if _, err := n.Encode(); err == nil {
		t.Fatal("an address of 600 bytes was encoded")
	}
}

func TestDecodeNodeRefusesForeignBytes(t *testing.T) {
	for _, in := range []string{"", "{}", "null", `{"i":"1","r":"x"}`, "\x00\xff", `{"r":"a","i":"` + strings.Repeat("y", 500) + `"}`} {
		if _, err := DecodeNode([]byte(in)); err == nil {
			t.Errorf("%.20q was taken", in)
		}
	}
}
