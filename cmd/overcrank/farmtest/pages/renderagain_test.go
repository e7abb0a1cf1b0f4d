//go:build linux

package pages_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// twoMachines starts a farm with two machines whose engines take so long for a frame that a film is still being rendered when somebody looks at it.
func twoMachines(t *testing.T) *farmtest.Farm {
	t.Helper()
	program := farmtest.Program(t)
	f := farmtest.LaunchProgram(t, program, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	var invited struct{ JoinToken string }
	if err := json.Unmarshal(f.FarmAPI(http.MethodPost, "/join-tokens", `{"uses": 2}`), &invited); err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		cmd := exec.Command(program, "agent", "--data-dir", filepath.Join(f.Dir, fmt.Sprint("agent", i)), "--coordinator", f.Server,
			"--name", fmt.Sprint("machine ", i+1), "--gossip-listen", "", "--config", os.DevNull, "--idle-after", "0")
		cmd.Env = append(os.Environ(), "OVERCRANK_PACE_FRAME=4s", "OVERCRANK_AGENT_JOIN_TOKEN="+invited.JoinToken)
		cmd.Stderr = f.Said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Signal(syscall.SIGTERM)
			_ = cmd.Wait()
		})
	}
	f.Await("both machines to be free", func() bool {
		list, err := f.Agents(t.Context(), "free", "")
		return err == nil && len(list.Items) == 2
	})
	return f
}

// TestFramesArePickedOnTheStripAndRenderedAgain picks frames of a film that two machines share, by keys and by mouse.
func TestFramesArePickedOnTheStripAndRenderedAgain(t *testing.T) {
	t.Parallel()
	f := twoMachines(t)
	job, err := f.Submit(t.Context(), map[string]any{"template": map[string]string{"id": f.Card(), "composition": titlecard.Composition}, "name": "Spot"})
	if err != nil {
		t.Fatal(err)
	}
	b := signedIn(t, f)
	b.size(1360, 900)
	b.open("/jobs/" + job.ID)
	b.until(`document.getElementById("again-frames") !== null && document.getElementById("timeline").dataset.runs?.includes("renders it now")`)
	b.canBeRead("/jobs/… whose frames can be rendered again")

	picked := `document.getElementById("again-frames").value`
	b.until(`document.getElementById("film").dataset.frames.startsWith("0 ")`) // until somebody goes to a frame, the strip stands on the latest picture
	b.do(focus("#film"))
	b.keysUntil(`document.getElementById("film").getAttribute("aria-valuenow") === "0"`, chromedp.KeyEvent(kb.Home))
	b.keysUntil(picked+` === "0"`, chromedp.KeyEvent(" "))
	b.do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(input.ModifierShift)), chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(input.ModifierShift)))
	b.until(picked + ` === "0-2" && document.querySelectorAll("#film .picks i").length === 1`)
	b.until(`document.getElementById("frame-words").textContent.startsWith("Frame 2. machine ")`)

	b.dragUntil("#film ol", 0.75, 60, `/^0-2, 1[0-9]{2}-1[0-9]{2}$/.test(`+picked+`) && document.querySelectorAll("#film .picks i").length === 2`)
	b.do(chromedp.Evaluate(`scrollTo(0, 0)`, nil))
	b.picture("render-again")
	b.size(390, 844)
	b.picture("render-again-phone")
	b.size(1360, 900)
	b.do(focus(`#again button`), chromedp.KeyEvent(kb.Enter))
	b.shows("Frames 0 to 2 again")
	f.Await("the farm to say so in the job's log", func() bool { return strings.Contains(f.LogOf(job.ID), "has frames rendered again: 0–2") })
	if code, said, stderr := f.Command("jobs", "render-again", job.ID, "5", "7-8"); code != 0 || said != job.ID+" renders 5, 7-8 again\n" {
		t.Errorf("jobs render-again exits with %d: %s%s", code, said, stderr)
	}
	if code, _, stderr := f.Command("jobs", "cancel", job.ID, "--force"); code != 0 {
		t.Fatalf("cancelling exits with %d: %s", code, stderr)
	}
	b.until(`document.getElementById("again") === null`)
}

// TestAPictureOfAFinishedSequenceIsRenderedAgain picks one on the strip by keyboard, and downloads the sequence with it in its place.
func TestAPictureOfAFinishedSequenceIsRenderedAgain(t *testing.T) {
	t.Parallel()
	f := farmtest.Up(t, t.TempDir())
	job := f.Finished(f.SubmitCard(f.Card(), map[string]any{"type": "image", "frames": []int{60, 65}}))
	b := signedIn(t, f)
	b.open("/jobs/" + job.ID)
	b.shows("Render the whole sequence again")
	b.until(`/^Slowest frame: 6[1-5], .* on average$/.test(document.getElementById("slowest").textContent)`)
	b.canBeRead("/jobs/… whose pictures can be rendered again")
	b.size(1360, 900)
	b.entersUntil(`document.activeElement.id === "film" && document.getElementById("slowest").textContent.startsWith("Slowest frame: " + document.getElementById("film").getAttribute("aria-valuenow") + ",")`, "#slowest")
	b.until(`/^Frame 6[1-5]\. Rendered by .* in /.test(document.getElementById("frame-words").textContent)`)
	b.keysUntil(`document.getElementById("film").getAttribute("aria-valuenow") === "60"`, chromedp.KeyEvent(kb.Home))
	b.keysUntil(`document.getElementById("again-frames").value === "60"`, chromedp.KeyEvent(" "))
	b.do(chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(input.ModifierShift)))
	b.until(`document.getElementById("again-frames").value === "60-61"`)
	b.do(focus("#again button"), chromedp.KeyEvent(kb.Enter))
	b.until(`location.pathname.startsWith("/jobs/") && !location.pathname.endsWith("` + job.ID + `")`)
	again := f.Finished(strings.TrimPrefix(value[string](b, `location.pathname`), "/jobs/"))
	if again.ID == job.ID {
		t.Fatal("the sequence itself was rendered again")
	}
	b.open("/jobs/" + job.ID)
	b.shows("Download with frames replaced")
	// What is downloaded holds each frame once.
	const lists = `fetch(document.querySelector('a[href$="mended=1"]').href).then((r) => r.arrayBuffer()).then((a) => [...new TextDecoder("latin1").decode(a).matchAll(/PK\x01\x02[^]{42}[^]*?_(\d{5})\.png/g)].map((m) => m[1]).join())`
	if got := value[string](b, lists); got != "00060,00061,00062,00063,00064,00065" {
		t.Errorf("the archive holds %s", got)
	}
}
