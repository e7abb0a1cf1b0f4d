package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator"
	"overcrank/interval"
)

const (
	farmLog  = "farm.log"  // what the demo's farm prints
	farmFile = "farm.json" // which process runs it
)

// demoFarm is the farm of a demo: `overcrank up` as a process of its own.
type demoFarm struct {
	process farmProcess
	client  *client.Client
	dir     string
	exited  chan struct{} // closed at the end of a process that this one started
	failure error         // how it ended, once exited is closed
}

// farmProcess is what is kept of a farm that stays up.
type farmProcess struct {
	PID     int    `json:"pid"`
	Address string `json:"address"`
}

// startFarm finds the farm that an earlier demo left up in dir, or starts one.
func startFarm(ctx context.Context, dir string, out *terminal.Output) (*demoFarm, error) {
	f := &demoFarm{dir: dir}
	if f.findKept(ctx) {
		fmt.Fprintf(out, "Using the farm that is up at %s\n", f.process.Address)
		return f, f.signIn()
	}
	began := time.Now()
	if err := f.start(ctx); err != nil {
		return nil, err
	}
	if err := f.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, f.stop())
	}
	fmt.Fprintf(out, "A farm of one machine is up at %s (ready after %d ms)\n", f.process.Address, time.Since(began).Milliseconds())
	if err := f.signIn(); err != nil {
		return nil, errors.Join(err, f.stop())
	}
	return f, nil
}

// findKept tells whether an earlier demo's farm still answers.
func (f *demoFarm) findKept(ctx context.Context) bool {
	raw, err := os.ReadFile(filepath.Join(f.dir, farmFile))
	if err != nil || json.Unmarshal(raw, &f.process) != nil {
		return false
	}
	return client.Ready(ctx, f.process.Address) == nil
}

// start starts `overcrank up` so that it outlives this process, and reads its address from its first line.
func (f *demoFarm) start(ctx context.Context) error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	logFile, err := os.Create(filepath.Join(f.dir, farmLog))
	if err != nil {
		return err
	}
	defer logFile.Close()
	said := filepath.Join(f.dir, "farm.out")
	outFile, err := os.Create(said)
	if err != nil {
		return err
	}
	defer outFile.Close()
	cmd := exec.Command(exe, "up", "--config", os.DevNull, "--data-dir", filepath.Join(f.dir, "farm"), "--listen", "127.0.0.1:0")
	cmd.Stdout, cmd.Stderr = outFile, logFile
	process.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the farm: %w", err)
	}
	f.exited = make(chan struct{})
	go func() {
		defer close(f.exited)
		f.failure = cmd.Wait()
	}()
	f.process = farmProcess{PID: cmd.Process.Pid}
	return f.readAddress(ctx, said)
}

// readAddress waits for the line that tells where the farm is.
func (f *demoFarm) readAddress(ctx context.Context, said string) error {
	for {
		if address := addressIn(said); address != "" {
			f.process.Address = address
			raw, err := json.Marshal(f.process)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(f.dir, farmFile), raw, 0o600)
		}
		select {
		case <-f.exited:
			return fmt.Errorf("the farm ended at once (%w); its log is %s", f.failure, filepath.Join(f.dir, farmLog))
		case <-ctx.Done():
			return errors.Join(ctx.Err(), f.stop())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// addressIn finds the address in what `overcrank up` prints.
func addressIn(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if _, address, ok := strings.Cut(lines.Text(), " is at "); ok {
			return strings.TrimSpace(address)
		}
	}
	return ""
}

// awaitReady waits until the farm can serve.
func (f *demoFarm) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for {
		err := client.Ready(ctx, f.process.Address)
		if err == nil {
			return nil
		}
		if wait := interval.Wait(ctx, 10*time.Millisecond); wait != nil {
			return fmt.Errorf("the farm did not get ready: %w; its log is %s", err, filepath.Join(f.dir, farmLog))
		}
	}
}

// signIn takes the token that the farm keeps for its administrator.
func (f *demoFarm) signIn() error {
	token, err := os.ReadFile(filepath.Join(f.dir, "farm", coordinator.AdminTokenFile))
	if err != nil {
		return fmt.Errorf("read the token: %w", err)
	}
	f.client = &client.Client{Server: f.process.Address, Token: strings.TrimSpace(string(token))}
	return nil
}

// stop ends the farm and waits for it.
func (f *demoFarm) stop() error {
	os.Remove(filepath.Join(f.dir, farmFile))
	p, err := os.FindProcess(f.process.PID)
	if err != nil {
		return err
	}
	if err := process.Interrupt(p); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("stop the farm: %w", err)
	}
	if f.exited == nil { // somebody else's child; it ends by itself
		return nil
	}
	select {
	case <-f.exited:
	case <-time.After(30 * time.Second):
		_ = p.Kill()
		<-f.exited
	}
	return nil
}
