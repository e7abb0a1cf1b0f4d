//go:build linux

package machines_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/farmtest"

	"golang.org/x/image/font/gofont/gobold"

	"overcrank/farm"
)

// inventories are what the farm knows of its machines.
func inventories(f *farmtest.Farm) []farm.Inventory {
	f.T.Helper()
	get := func(path string, out any) {
		req, err := http.NewRequestWithContext(f.T.Context(), http.MethodGet, f.Server+path, nil)
		if err != nil {
			f.T.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+f.Token)
		res, err := f.HTTP.Do(req)
		if err != nil {
			f.T.Fatal(err)
		}
		defer res.Body.Close()
		if err := json.NewDecoder(res.Body).Decode(out); err != nil {
			f.T.Fatal(err)
		}
	}
	var list []struct {
		ID string `json:"id"`
		farm.Inventory
		Fonts   int `json:"fonts"` // the list only counts them
		Effects int `json:"effects"`
	}
	get("/api/farm/v1/agents", &list)
	all := make([]farm.Inventory, len(list))
	for i, m := range list {
		var rest farm.Inventory
		get("/api/farm/v1/agents/"+m.ID+"/inventory", &rest)
		all[i] = m.Inventory
		all[i].Fonts, all[i].Effects = rest.Fonts, rest.Effects
	}
	return all
}

func TestAFontThatIsInstalledIsKnownToTheFarm(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	f := farmtest.LaunchProgram(t, farmtest.Under(t, farmtest.Program(t), "export HOME='"+home+"'"), "up", t.TempDir())
	has := func() bool {
		return slices.ContainsFunc(inventories(f), func(i farm.Inventory) bool {
			return slices.ContainsFunc(i.Fonts, func(font farm.FontUse) bool {
				return font == farm.FontUse{PostScript: "Go-Bold", Family: "Go", Style: "Bold"}
			})
		})
	}
	f.Await("the machine to say what it has", func() bool {
		list := inventories(f)
		return len(list) == 1 && list[0].Memory > 0 && list[0].OSVersion != "" && list[0].Disk > 0 && len(list[0].Codecs) > 0
	})
	if has() {
		t.Fatal("the font is there already")
	}
	folder := filepath.Join(home, ".local", "share", "fonts")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "bold.ttf"), gobold.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, pid := range farmtest.Processes(f.Dir, "agent", "--until-stdin-ends") {
		if err := syscall.Kill(pid, syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	f.Await("the farm to know the font", has)
}
