package presence

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// HelperCommand are the words behind overcrank with which ReportInput is run.
var HelperCommand = []string{"agent", "report-input"}

// stale is how old a helper's last word may be.
const stale = 5 * time.Second

// helper is a process in a user's session that tells, once a second, how long ago the last input was.
type helper struct {
	cmd   *exec.Cmd
	stdin io.Closer // it ends when this does
	done  chan struct{}

	mu   sync.Mutex
	last time.Duration
	at   time.Time // of last, zero before the first
}

// startHelper starts overcrank as the user of a session. Only the account of the system may.
func startHelper(program string, session uint32) (*helper, error) {
	var token windows.Token
	if err := windows.WTSQueryUserToken(session, &token); err != nil {
		return nil, fmt.Errorf("asking for the user of session %d: %w", session, err)
	}
	defer token.Close()
	cmd := exec.Command(program, HelperCommand...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Token: syscall.Token(token), HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
	env, err := token.Environ(false)
	if err != nil {
		return nil, fmt.Errorf("reading the environment of the user of session %d: %w", session, err)
	}
	cmd.Env = env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a helper: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting a helper: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting a helper in session %d: %w", session, err)
	}
	h := &helper{cmd: cmd, stdin: stdin, done: make(chan struct{})}
	go h.listen(stdout)
	return h, nil
}

func (h *helper) listen(out io.Reader) {
	defer close(h.done)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if ms, err := strconv.ParseInt(strings.TrimSpace(lines.Text()), 10, 64); err == nil {
			h.mu.Lock()
			h.last, h.at = time.Duration(ms)*time.Millisecond, time.Now()
			h.mu.Unlock()
		}
	}
	_ = h.cmd.Wait() // how it ended says nothing: it is started again while it is wanted
}

func (h *helper) ended() bool {
	select {
	case <-h.done:
		return true
	default:
		return false
	}
}

// idle is the time since the last input, as the helper told it lately.
func (h *helper) idle() (time.Duration, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	age := time.Since(h.at)
	return h.last + age, age < stale
}

func (h *helper) stop() error {
	err := h.stdin.Close()
	select {
	case <-h.done:
	case <-time.After(time.Second):
		err = errors.Join(err, h.cmd.Process.Kill())
		<-h.done
	}
	return err
}

// ReportInput writes the milliseconds since the last input of this session to standard output, once a second, until standard input
// ends or ctx does.
func ReportInput(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// Reading standard input can't be interrupted; the process ends soon after this function returns.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		idle, err := sinceInput()
		if err != nil {
			return err
		}
		if _, err := fmt.Println(idle.Milliseconds()); err != nil {
			return nil // nobody listens any more
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}
