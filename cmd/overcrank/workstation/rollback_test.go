package workstation

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestARollBackTouchesNothingButItsOwnFiles has a record that names a file of somebody else.
func TestARollBackTouchesNothingButItsOwnFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	settings, theirs := filepath.Join(dir, "agent.yaml"), filepath.Join(dir, "theirs")
	planted := "ffmpeg: /tmp/x\n"
	record, err := json.Marshal(before{Settings: &planted, Token: theirs})
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string][]byte{theirs: []byte("theirs"), rollbackFile(settings): record} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := rollBack(settings); err == nil {
		t.Error("the record is followed")
	}
	if _, err := os.Stat(theirs); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(settings); err == nil {
		t.Error("the planted settings are used")
	}
}
