//go:build linux

package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/exit"
)

// TestAFarmStartsWithoutBeingToldAFolder starts a coordinator as the README does, with no flag but a free port. It says where its data is.
func TestAFarmStartsWithoutBeingToldAFolder(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_HOME", data)
	want := filepath.Join(data, "overcrank")
	var up cli
	parser, err := newParser(&up, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.Parse([]string{"up"}); err != nil || up.Up.DataDir != want {
		t.Errorf("up keeps its data in %q, want %q: %v", up.Up.DataDir, want, err)
	}

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	said, write := io.Pipe()
	var problems bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"coordinator", "--config", os.DevNull, "--listen", "127.0.0.1:0"}, write, &problems)
		write.Close()
	}()
	var text strings.Builder
	for buffer := make([]byte, 1<<12); !strings.Contains(text.String(), "administrator's token is in"); {
		n, err := said.Read(buffer)
		text.Write(buffer[:n])
		if err != nil {
			t.Fatalf("it says %q and ends with %d: %v\n%s", text.String(), <-ended, err, &problems)
		}
	}
	if !strings.Contains(text.String(), "data folder is "+want+"\n") {
		t.Errorf("it says %q, and not that its data is in %s", text.String(), want)
	}
	if _, err := os.Stat(filepath.Join(want, "admin.token")); err != nil {
		t.Error(err)
	}
	stop()
	go func() { _, _ = io.Copy(io.Discard, said) }()
	if code := <-ended; code != 0 && code != exit.Interrupted {
		t.Errorf("it ends with %d\n%s", code, &problems)
	}
}

// TestADataFolderThatCannotBeUsedIsNamed: a file in its place, and a folder of another account.
func TestADataFolderThatCannotBeUsedIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	says := map[string]string{file: "the data folder " + file + " is a file: name a folder with --data-dir", filepath.Join(file, "x"): "cannot be used; name another one with --data-dir"}
	if os.Geteuid() != 0 { // who is root may use each folder
		closed := filepath.Join(t.TempDir(), "closed")
		if err := os.Mkdir(closed, 0); err != nil {
			t.Fatal(err)
		}
		says[closed] = "this account may not use the data folder " + closed
	}
	for dir, want := range says {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"coordinator", "--config", os.DevNull, "--listen", "127.0.0.1:0", "--data-dir", dir}, &stdout, &stderr)
		if code != exit.Failed || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: exit code %d, said %s", dir, code, &stderr)
		}
	}
}
