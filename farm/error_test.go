package farm_test

import (
	"testing"

	"overcrank/farm"
)

func TestAFieldNamesItsAsset(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]int{
		"assets[0]": 0, "assets[12].value": 12, "assets": -1, "assets[]": -1, "assets[x].src": -1, "assets[-1]": -1, "assets[3": -1,
		"assets[99999999999999999999]": -1, "template.id": -1, "": -1,
	} {
		n, ok := farm.AssetOf(field)
		if ok != (want >= 0) || ok && n != want {
			t.Errorf("%q belongs to asset %d, %v; want %d", field, n, ok, want)
		}
	}
}
