package inventory

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestMatchNamesOfPluginsOfBothSystems(t *testing.T) {
	for what, order := range map[string]binary.AppendByteOrder{"windows": binary.LittleEndian, "macOS": binary.BigEndian} {
		if got := matchName(pipl(order, effectPiPL("tc Particular 2")...)); got != "tc Particular 2" {
			t.Errorf("%s: %q", what, got)
		}
	}
	for what, b := range map[string][]byte{
		"nothing": nil, "short": {1, 0, 0, 0, 0, 0}, "no effect": pipl(binary.LittleEndian, property{"kind", "AEgx"}),
		"cut":           pipl(binary.LittleEndian, effectPiPL("S_Glow")...)[:60],
		"other vendor":  append([]byte{1, 0, 0, 0, 0, 0, 1, 0, 0, 0}, make([]byte, 64)...),
		"control":       pipl(binary.BigEndian, effectPiPL("a\x1b[2J")...),
		"length beyond": pipl(binary.BigEndian, property{"eMNA", "\x40short"}),
	} {
		if got := matchName(b); got != "" {
			t.Errorf("%s: %q", what, got)
		}
	}
}

func TestResourcesOfDamagedProgramsAreRefused(t *testing.T) {
	whole := program(t, resource{kind: "PIPL", data: pipl(binary.LittleEndian, effectPiPL("S_Glow")...)})
	path := filepath.Join(t.TempDir(), "x.aex")
	for cut := range len(whole) {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		var found sight
		readPlugin(path, &found)
		if len(found.Effects) > 0 && !slices.Equal(found.Effects, []string{"S_Glow"}) {
			t.Fatalf("cut at %d: %q", cut, found.Effects)
		}
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	var found sight
	if readPlugin(path, &found); !slices.Equal(found.Effects, []string{"S_Glow"}) || found.Mute {
		t.Errorf("whole: %+v", found)
	}
}

func FuzzPlugins(f *testing.F) {
	f.Add(pipl(binary.LittleEndian, effectPiPL("S_Glow")...))
	f.Add(fork("PiPL", pipl(binary.BigEndian, effectPiPL("S_Glow")...)))
	f.Fuzz(func(t *testing.T, b []byte) {
		if name := matchName(b); len(name) > maxMatchName {
			t.Errorf("a name of %d bytes", len(name))
		}
		resources, err := readFork(b, piplType)
		if err == nil && len(resources) > maxLeaves {
			t.Errorf("%d resources", len(resources))
		}
		tree := resourceTree{data: b, address: 0x1000}
		var found [][]byte
		for _, e := range tree.entries(0) {
			tree.leaves(e.at, 2, &found)
		}
		if len(found) > maxLeaves {
			t.Errorf("%d leaves", len(found))
		}
	})
}
