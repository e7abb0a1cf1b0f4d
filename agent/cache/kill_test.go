package cache

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overcrank/faults/leaktest"
)

// killedDir names the variable with the folder that the child process fetches into, until it is killed.
const killedDir = "CACHE_KILLED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(killedDir); dir != "" {
		fetchForever(dir)
		return
	}
	leaktest.Main(m)
}

// fetchForever fetches files again and again, and says a line for each.
func fetchForever(dir string) {
	c, err := Open(dir, 2000)
	if err != nil {
		os.Exit(1)
	}
	files := contents(10, 50)
	for i := 0; ; i++ {
		content := files[i%len(files)]
		dst := filepath.Join(dir, "..", "dst")
		_ = os.Remove(dst)
		err := c.Copy(context.Background(), hashOf(content), -1, dst, func(_ context.Context, w io.Writer) error {
			for _, b := range content {
				if _, err := w.Write([]byte{b}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString("one\n") // the parent kills this process at some line
	}
}

func TestAKilledProcessLeavesNothingWrong(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cache")
	files := contents(10, 50)
	for round := range 8 {
		child := exec.Command(self)
		child.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		for n := 0; n < 5+3*round && err == nil; n++ {
			_, err = lines.ReadString('\n')
		}
		time.Sleep(time.Duration(round) * 137 * time.Microsecond)
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = child.Wait() // it was killed
		c := open(t, dir, 2000)
		onDisk, total := onDisk(t, dir)
		if total > 2000 || total != c.Size() {
			t.Errorf("%d bytes on the disk, %d in the books", total, c.Size())
		}
		for name := range onDisk {
			if strings.HasPrefix(name, partPrefix) {
				t.Errorf("%s is left", name)
			}
		}
		for _, content := range files {
			had := c.Has(hashOf(content))
			fetch := giving(content)
			if had {
				fetch = never
			}
			if err := get(t, c, content, fetch); err != nil && had {
				t.Errorf("a file that is there was not whole: %v", err)
			}
		}
	}
}
