package tables

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// later are commands of kinds that were given further fields after a log may have been written without them, by the name of
// their golden file.
func later() map[string]command.Command {
	at := time.Date(2026, 5, 1, 12, 0, 0, 123, time.UTC)
	return map[string]command.Command{
		"41-v1-roots":   command.PutInventory{ID: "a1", Name: "mac", Inventory: farm.Inventory{OS: "darwin", Roots: []string{"/Volumes/Media"}}},
		"2-v1-email":    command.PutToken{Token: farm.Token{ID: "k1", Team: "t1", Name: "Mia", Role: farm.RoleArtist, Hash: "h", CreatedAt: at, Person: true, Email: "mia@studio.example"}},
		"4-v1-sessions": command.RecordUses{Sessions: []command.SessionUse{{Token: "k1", Session: "s1", At: at}}},
		"5-v1-email":    command.ChangeToken{ID: "k1", Email: new(string), At: at},
		"5-v1-team":     command.ChangeToken{ID: "k1", Team: new(string), At: at},
		"165-v1-name":   command.PutTeamBudget{Team: "t1", Name: new(string), At: at},
		"52-v1-bound":   command.PutSecret{Secret: farm.Secret{ID: "s1", Team: "t1", Name: "TOKEN", Key: "k1", Sealed: []byte{1, 2, 3}, CreatedAt: at, MachineTags: []string{"vault"}}},
		"14-v1-effects": command.FinishTemplate{ID: "tm", FileSHA256: "ab", At: at, MatchFonts: true, Effects: []string{"S_Glow"}, SavedWith: "26.0.2"},
		"14-v1-missing": command.FinishTemplate{ID: "tm", FileSHA256: "ab", At: at, MatchFonts: true, MissingFootage: []string{"night.png"}},
		"14-v1-completed": command.FinishTemplate{ID: "tm", FileSHA256: "ab", At: at, MatchFonts: true,
			Completed: &farm.FileRef{SHA256: "cd", Size: 9, Name: "spot.zip"}},
		"21-v1-rested":  command.LeaseTasks{Grants: []command.Grant{{Task: "j1.0", Attempt: 2, Agent: "a1"}}, At: at, Rested: true},
		"24-v1-avoided": command.ExpireLeases{Leases: []command.Grant{{Task: "j1.0", Attempt: 2, Agent: "a1"}}, At: at, Avoided: true},
		"143-v1-at":     command.RemoveDownload{SHA256: "ab", At: at},
		"43-v1-hours":   command.ConfigureAgent{ID: "a1", Hours: &[]farm.Hours{{Days: []time.Weekday{time.Friday}, From: 19 * 60, To: 8 * 60}}},
		"43-v1-own":     command.ConfigureAgent{ID: "a1", Name: new(string), Own: "mac"},
		"41-v1-whole": command.PutInventory{ID: "a1", Name: "mac", Inventory: farm.Inventory{
			OS: "darwin", OSVersion: "macOS 15.1", CPU: "Apple M4", GPU: "Apple M4", GPUMemory: 1 << 34, Disk: 1 << 40, DiskFree: 1 << 39, Arch: "arm64", CPUs: 10,
			Memory: 1 << 34, Effects: []string{"S_Glow"}, Plugins: []string{"Other"}, LeftOut: 3,
			Engines: []farm.EngineInfo{{Kind: farm.EngineAfterEffects, Version: "26.3.0x20", Path: "/x", Beta: true}},
		}},
	}
}

func TestGoldenCommandsWithLaterFieldsStayReadable(t *testing.T) {
	c := newTestCodec(t)
	for name, want := range later() {
		encoded, err := c.Encode(command.Sender{}, want)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join("testdata", "commands", name)
		golden, err := os.ReadFile(path)
		if os.IsNotExist(err) && *update {
			golden, err = encoded, os.WriteFile(path, encoded, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := c.Decode(golden)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s reads as\n%+v, %v, want\n%+v", path, got, err, want)
		}
		if !bytes.Equal(encoded, golden) {
			t.Errorf("%s is written as\n%q, want\n%q", name, encoded, golden)
		}
	}
}
