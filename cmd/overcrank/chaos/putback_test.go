//go:build linux

package chaos_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// putBackEvery is how often the farm is put back, about.
const putBackEvery = 40 * time.Second

// putBacks puts the farm back to backups of it now and then, until ctx ends.
func (w *work) putBacks(ctx context.Context) {
	chance := rand.New(rand.NewPCG(w.seed, 0xbac))
	for n := 1; rest(ctx, putBackEvery/4+time.Duration(chance.Int64N(int64(putBackEvery)))); n++ {
		w.putBack(n, chance)
	}
}

// putBack makes a backup and puts the farm back to it while clients pause: all that they know is in the backup, so all of it must be there
// afterwards. What the farm does by itself meanwhile is undone. Faults go on.
func (w *work) putBack(n int, chance *rand.Rand) {
	w.gate.Lock()
	defer w.gate.Unlock()
	w.pause()
	defer w.resume()
	w.shake()
	file := filepath.Join(w.farm.folder, fmt.Sprintf("%d.ocbackup", n))
	err := w.insistOn(chance, "backup", file, "--without-keys", "--replace")
	if err == nil {
		err = w.insistOn(chance, "restore", file, "--yes")
	}
	if err != nil {
		w.complain(fmt.Sprintf("the farm could not be put back: %v", err))
	}
	w.count("put back")
}

// pause notes that clients do nothing from now on, and resume that they do again.
func (w *work) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pauses = append(w.pauses, pause{from: w.history.now(), to: math.MaxInt64})
}

func (w *work) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := len(w.pauses) - 1; last >= 0 {
		w.pauses[last].to = w.history.now()
	}
}

// pause is a time in which clients did nothing.
type pause struct{ from, to time.Duration }

// shake notes which jobs may come to an end that is undone.
func (w *work) shake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, job := range w.jobs {
		if !job.ended() {
			w.shaken[job.ID] = true
		}
	}
}

// insistOn runs a command against one coordinator after the other until one of them has carried it out.
func (w *work) insistOn(chance *rand.Rand, command, file string, flags ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), endPatience)
	defer cancel()
	for {
		door := w.farm.some(chance)
		cmd := exec.CommandContext(ctx, w.farm.program, append([]string{command, file, "--server", door.address}, flags...)...)
		cmd.Env = append(os.Environ(), "OVERCRANK_TOKEN="+w.farm.token)
		said, err := cmd.CombinedOutput()
		if err == nil {
			return nil
		}
		if !rest(ctx, time.Second) {
			return fmt.Errorf("%s at %s: %w: %s", command, door.name, err, said)
		}
	}
}
