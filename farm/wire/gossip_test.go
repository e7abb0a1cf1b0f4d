package wire

import (
	"reflect"
	"strings"
	"testing"
)

func TestGossipMetaSurvivesItsEncoding(t *testing.T) {
	m := GossipMeta{Role: GossipAgent, ID: "01J", Version: "v0.1.0", Engines: []string{"26.0.2", "25.6"}, Inventory: "0123456789abcdef"}
	got, err := DecodeGossipMeta(m.Encode())
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("got %+v, %v", got, err)
	}
}

func TestGossipMetaNeverGrowsPastItsLimit(t *testing.T) {
	m := GossipMeta{Role: GossipCoordinator, ID: "01J", Version: strings.Repeat("v", 90), Address: "http://" + strings.Repeat("h", 250)}
	for range 60 {
		m.Engines = append(m.Engines, "26.0.2")
	}
	b := m.Encode()
	if len(b) > MaxGossipMeta {
		t.Fatalf("%d bytes", len(b))
	}
	got, err := DecodeGossipMeta(b)
	if err != nil || got.ID != m.ID || got.Address != m.Address || len(got.Engines) >= 60 {
		t.Fatalf("what matters most was lost: %+v, %v", got, err)
	}
	m.ID = strings.Repeat("x", 1000)
	if n := len(m.Encode()); n > MaxGossipMeta {
		t.Fatalf("%d bytes with a long id", n)
	}
}

func TestDecodeGossipMetaRefusesForeignBytes(t *testing.T) {
	for _, in := range []string{"", "{}", "null", `{"r":"x"}`, "\x00\xff", `{"r":"a","i":"` + strings.Repeat("y", 500) + `"}`} {
		if _, err := DecodeGossipMeta([]byte(in)); err == nil {
			t.Errorf("%.20q was taken", in)
		}
	}
}
