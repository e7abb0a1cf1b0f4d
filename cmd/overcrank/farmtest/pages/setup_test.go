//go:build linux

package pages_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"golang.org/x/sys/unix"

	"overcrank/cmd/overcrank/farmtest"
)

func TestANewFarmIsSetUpInTheBrowser(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	b := newBrowser(t, f.Server)
	b.expect("status of 40", "status of 410")
	b.open("/jobs")
	b.shows("This farm is new")
	b.canBeRead("a farm without people")
	b.do(types("#token", "oct_wrong"+kb.Enter))
	b.shows("does not know this secret")
	b.painted()
	b.do(types("#token", f.AdminToken()+kb.Enter))
	b.shows("Set up this farm")
	b.painted()
	link := value[string](b, `location.pathname`)
	b.canBeRead("the page that sets a farm up")
	b.picture("setup")

	b.foundsTheFarm("short")
	b.shows("cannot be used")
	b.painted()
	b.canBeRead("the page that refuses a password")
	b.fill("#password", "correct horse battery")
	b.click(`form button.primary[type=submit]`)
	b.shows("Welcome, Northlight")
	b.canBeRead("/welcome")

	b.click(`form[action="/welcome/render"] button`)
	b.until(`document.querySelectorAll("#welcome .film img").length >= 3`)
	b.until(`document.getElementById("player")?.duration > 5.9`)
	b.until(`[...document.querySelectorAll("#welcome .film img")].every((i) => i.complete && i.naturalWidth > 0)`)
	b.canBeRead("/welcome with a film")
	b.picture("welcome")
	if text := value[string](b, `document.body.innerText`); !strings.Contains(text, "curl") || !strings.Contains(text, f.Server) {
		t.Errorf("the page does not say how programs call the farm:\n%s", text)
	}

	other := newBrowser(t, f.Server)
	other.expect("status of 410")
	other.open(link)
	other.shows("has been used")
	other.signsIn("ada@northlight.example", "correct horse battery")
	other.shows("Overview")
	if log := f.Said.String(); strings.Contains(log, strings.TrimPrefix(link, "/setup/")) {
		t.Errorf("the log has the code that set the farm up:\n%s", log)
	}
}

// foundsTheFarm fills in the page that sets a farm up.
func (b *browser) foundsTheFarm(password string) {
	b.t.Helper()
	b.fill("#name", "Ada")
	b.fill("#email", "ada@northlight.example")
	b.fill("#studio", "Northlight")
	b.do(types("#password", password+kb.Enter))
}

// A terminal shows the link; what a service prints, which goes into a journal, does not have it.
func TestTheSetupLinkIsForATerminalAlone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := farmtest.Program(t)
	link := regexp.MustCompile(`(http://\S+)(/setup/[A-Z2-7]+)`)
	run := func(out *os.File, read io.Reader) string {
		t.Helper()
		cmd := exec.Command(program, "coordinator", "--data-dir", dir, "--listen", "127.0.0.1:0")
		log := &farmtest.Buffer{}
		cmd.Stdout, cmd.Stderr = out, log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		said, ended := &farmtest.Buffer{}, make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = io.Copy(said, read) // a terminal ends with an error
		}()
		farmtest.Await(t, "the coordinator to say how it is set up", func() bool { return strings.Contains(said.String(), "Set the farm up") })
		if out := said.String(); link.MatchString(out) {
			parts := link.FindStringSubmatch(out)
			answer, err := http.Get(parts[1] + parts[2])
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Errorf("the link of the terminal: %v, %v", answer, err)
			}
			if err == nil {
				answer.Body.Close()
			}
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		out.Close()
		<-ended
		return said.String() + log.String()
	}
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	if said := run(write, read); strings.Contains(said, "/setup/") {
		t.Errorf("a service prints the link:\n%s", said)
	}
	read.Close()
	shown, screen := openTerminal(t)
	if said := run(screen, shown); !link.MatchString(said) {
		t.Errorf("a terminal does not show the link:\n%s", said)
	}
}

// openTerminal is a terminal, and what reads from it what is shown.
func openTerminal(t *testing.T) (shown, screen *os.File) {
	t.Helper()
	shown, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { shown.Close() })
	if err := unix.IoctlSetPointerInt(int(shown.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(shown.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return shown, screen
}
