//go:build linux

package folders

import "testing"

func TestAFarmsFolderFollowsXDG(t *testing.T) {
	for set, want := range map[string]string{"": "~/.local/share/overcrank", "/data": "/data/overcrank", "relative": "~/.local/share/overcrank"} {
		t.Setenv("XDG_DATA_HOME", set)
		if got := Farm(); got != want {
			t.Errorf("with XDG_DATA_HOME=%q a farm is kept in %s, want %s", set, got, want)
		}
	}
}
