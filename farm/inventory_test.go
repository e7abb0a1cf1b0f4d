package farm_test

import (
	"encoding/json"
	"testing"

	"overcrank/farm"
)

func TestInventoryHashFollowsTheInventory(t *testing.T) {
	a := farm.Inventory{OS: "linux", CPUs: 2, Fonts: []farm.FontUse{{PostScript: "A"}}}
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var same farm.Inventory
	if err := json.Unmarshal(text, &same); err != nil {
		t.Fatal(err)
	}
	if a.Hash() != same.Hash() {
		t.Error("what came over the wire has another hash")
	}
	b := a
	b.Effects = []string{"S_Glow"}
	if a.Hash() == b.Hash() {
		t.Error("the hash does not tell inventories apart")
	}
}
