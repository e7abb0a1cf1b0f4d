package cluster

import (
	"strings"
	"testing"

	"overcrank/farm"
)

func TestPublicAddressOf(t *testing.T) {
	node := func(id, own, named string) farm.Coordinator {
		return farm.Coordinator{ID: id, Name: "rack" + id, Public: own, Farm: named}
	}
	for name, c := range map[string]struct {
		records []farm.Coordinator
		address string
		warns   []string
	}{
		"nobody yet":            {},
		"one without settings":  {[]farm.Coordinator{node("1", "http://rack1:8080", "")}, "http://rack1:8080", nil},
		"one behind a name":     {[]farm.Coordinator{node("1", "http://rack1:8080", "https://farm")}, "https://farm", nil},
		"three behind one name": {[]farm.Coordinator{node("1", "http://a", "https://farm"), node("2", "http://b", "https://farm")}, "https://farm", nil},
		"two without a name": {
			[]farm.Coordinator{node("2", "http://b", ""), node("1", "http://a", "")}, "http://a", []string{"no address of its own: links begin with http://a"},
		},
		"one is not told": {
			[]farm.Coordinator{node("1", "http://a", ""), node("2", "http://b", "https://farm")}, "https://farm", []string{"none on rack1"},
		},
		"they differ": {
			[]farm.Coordinator{node("2", "http://b", "https://b"), node("1", "http://a", "https://a")}, "https://a",
			[]string{"https://a on rack1; https://b on rack2; links begin with https://a"},
		},
		"machines would go astray": {
			[]farm.Coordinator{node("1", "https://farm", "https://farm"), node("2", "https://farm", "https://farm")}, "https://farm",
			[]string{"rack1, rack2 have the same address for machines, https://farm"},
		},
	} {
		if got := publicAddressOf(c.records); got != c.address {
			t.Errorf("%s: the address is %q, want %q", name, got, c.address)
		}
		got := addressWarnings(c.records)
		if len(got) != len(c.warns) {
			t.Errorf("%s: it warns of %q, want %q", name, got, c.warns)
			continue
		}
		for i, want := range c.warns {
			if !strings.Contains(got[i], want) {
				t.Errorf("%s: it says %q, want %q in it", name, got[i], want)
			}
		}
	}
}
