//go:build linux

package pages_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/farm"
	"overcrank/release/releasetest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"overcrank/cmd/overcrank/titlecard"
)

// TestAStudioBeginsInTheBrowser invites a machine, looks why a job waits, pauses the farm, approves and drains, all on pages.
func TestAStudioBeginsInTheBrowser(t *testing.T) {
	t.Parallel()
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	template := f.Register("zip", farmtest.TitleCard(t)).ID
	b := signedIn(t, f)
	b.open("/machines")
	b.shows("No machine has joined")
	job := submitsCard(f, map[string]any{
		"template": map[string]string{"id": template, "composition": titlecard.Composition}, "name": "Spring spot", "approve": true, "requireTags": []string{"gpu"},
	})
	b.open("/jobs/" + job)
	b.shows("No machine is online")

	first := b.invites("Suite 4")
	farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "suite-4"), first, "--slots", "1")
	b.open("/jobs/" + job)
	b.shows("the tag “gpu”")
	b.shows("suite-4")
	b.shows("Met by none")
	b.canBeRead("/jobs/… that waits")
	b.size(1360, 900)
	b.picture("why")

	b.open("/jobs")
	b.until(`document.querySelector("img.mini").naturalWidth == 160`) // the template’s picture, as small as a list shows it, while the job has no frame of its own
	b.open("/")
	b.shows("1 job waits that no machine can render.")
	b.shows("Stuck")
	b.canBeRead("/ with a job that is stuck")
	b.open("/queue")
	b.shows("None fits")
	b.canBeRead("/queue")
	b.size(1360, 900)
	b.picture("queue")
	b.presses(`form[action="/queue/pause"] button`)
	b.shows("Paused by")
	b.shows("Spring spot")
	b.open("/jobs")
	b.shows("Nothing new starts")
	b.canBeRead("/jobs on a farm that is paused")
	b.presses(`form[action="/queue/resume"] button`)
	b.until(`document.getElementById("pause").hidden`)

	b.open("/machines")
	b.shows("Free")
	b.canBeRead("/machines")
	b.click(`#machines td a.name`)
	b.shows("What it has")
	b.canBeRead("/machines/…")
	b.size(1360, 900)
	b.picture("machine")
	b.fill("#tags", "gpu")
	b.presses(`form[action$="/change"] button`)

	b.open("/jobs/" + job)
	b.shows("Approve these frames")
	b.until(`[...document.querySelectorAll(".samples img")].length === 3 && [...document.querySelectorAll(".samples img")].every((i) => i.naturalWidth > 500)`)
	b.canBeRead("/jobs/… that waits for approval")
	b.size(1360, 900)
	b.picture("approve")
	b.presses(`form[action$="/approve"] button`)
	b.shows("Approved by")
	f.Finished(job) // the page is told of it, without being asked for again
	b.until(`document.getElementById("player") !== null`)
	b.until(`document.querySelectorAll("#tasks tbody tr").length >= 2 && document.querySelector("#tasks").innerText.includes("suite-4")`)
	b.canBeRead("/jobs/… that was approved")

	b.open("/machines")
	b.click(`#machines td a.name`)
	b.shows("What it has")
	b.presses(`form[action$="/drain"] button`)
	b.shows("It gets no work until somebody resumes it")
	b.shows("Recent work")
	b.shows("attempts ended")
	b.shows("It may work for the farm at any hour.")
	b.canBeRead("/machines/… that is drained")
	b.size(1360, 900)
	b.picture("drained")
	b.open("/settings/sharing")
	b.canBeRead("/settings/sharing")
	b.size(1360, 900)
	b.picture("sharing")
	b.seesSharesBeforeTheyAreSaved()
	b.click(`details:has([name="levels.overnight.hours"]) > summary`)
	b.click(`details:has([name="levels.overnight.hours"]) [data-day="1"]`) // no Mondays
	b.canBeRead("/settings/sharing with the hours of a level")
	b.size(1360, 900)
	b.presses(`#sharing button.primary`)
	b.shows("Saved.")
	b.until(`document.querySelectorAll('[name="levels.overnight.hours.open"]:checked').length === 6 * 24`)
	b.sharesByKeys()
}

// sharesByKeys saves how many machines the team may have at once, without a mouse, and takes that back.
func (b *browser) sharesByKeys() {
	b.t.Helper()
	const most, save = `#sharing [name$=".maxMachines"]`, `#sharing button.primary`
	for _, step := range []struct{ keys, now string }{{"3", "3"}, {kb.Delete + kb.End + kb.Backspace, ""}} {
		b.open("/settings/sharing")
		b.do(focus(most), chromedp.KeyEvent(step.keys))
		b.until(fmt.Sprintf(`document.querySelector(%q).value === %q`, most, step.now))
		b.entersUntil(fmt.Sprintf(`location.search === "?saved=1" && document.readyState === "complete" && document.querySelector(%q).value === %q`, most, step.now), save)
	}
}

// seesSharesBeforeTheyAreSaved types how many machines the team may have at once, and looks at what that would be.
func (b *browser) seesSharesBeforeTheyAreSaved() {
	b.t.Helper()
	const most = `#sharing [name$=".maxMachines"]`
	b.do(focus(most), chromedp.KeyEvent("3"))
	b.shows("Not saved yet: what would change now is drawn below what is.")
	b.shows("then at most 3 machines")
	b.canBeRead("/settings/sharing with shares that are not saved")
	b.size(1360, 900)
	b.do(focus(most), chromedp.KeyEvent(kb.Backspace))
	b.shows("it would change nothing of who gets machines now")
	b.do(focus(`#sharing [name$=".name"]`), chromedp.KeyEvent("glow"), focus(`#sharing [name$=".total"]`), chromedp.KeyEvent("2"))
	b.shows("then at most 2 at once")
	b.canBeRead("/settings/sharing with a limit that is being added")
	b.size(1360, 900)
	b.do(focus(`#sharing [name$=".total"]`), chromedp.KeyEvent(kb.Backspace), focus(`#sharing [name$=".name"]`), chromedp.KeyEvent(kb.Backspace+kb.Backspace+kb.Backspace+kb.Backspace))
	b.shows("it would change nothing of who gets machines now")
}

// submitsCard orders a job.
func submitsCard(f *farmtest.Farm, order map[string]any) string {
	f.T.Helper()
	job, err := f.Submit(f.T.Context(), order)
	if err != nil {
		f.T.Fatal(err)
	}
	return job.ID
}

// presses presses a button that leads to another page, and waits for that.
func (b *browser) presses(button string) {
	b.t.Helper()
	b.do(chromedp.Evaluate(`window.before = true`, nil))
	b.click(button)
	b.until(`window.before === undefined && document.readyState === "complete"`)
}

// invites makes an invitation and gives the join token of the command that the page shows.
func (b *browser) invites(name string) string {
	b.t.Helper()
	b.open("/machines/invite")
	b.fill("#name", name)
	b.presses(`form.card button`)
	b.canBeRead("/machines/invite")
	command := value[string](b, `document.querySelector("pre.shell").textContent`)
	_, rest, _ := strings.Cut(command, "'")
	token, _, _ := strings.Cut(rest, "'")
	if !strings.HasPrefix(token, "ocj_") {
		b.t.Fatalf("the command is %q", command)
	}
	return token
}

// TestAStudioUpdatesItsMachinesInTheBrowser chooses a release on the page, which a machine with a real launcher takes; one that does not start is stopped,
// resumed on the page by mouse and given up by keyboard.
func TestAStudioUpdatesItsMachinesInTheBrowser(t *testing.T) {
	t.Parallel()
	house := releasetest.New(t)
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir(), "--release-roots", house.Roots)
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	command := func(args ...string) string {
		t.Helper()
		code, out, said := f.Command(args...)
		if code != 0 {
			t.Fatalf("%v: %d: %s", args, code, said)
		}
		return out
	}
	farmtest.StartLauncher(t, f, "suite-4", strings.TrimSpace(command("agents", "invite")), house.Roots)
	command("releases", "add", house.Release(t, "1.1.0", 10, farmtest.AgentProgram(t)))
	command("releases", "add", house.Release(t, "1.2.0", 11, []byte("#!/bin/sh\nexit 3\n")))
	await := func(what string, is func(u client.Updates) bool) {
		t.Helper()
		f.Await(what, func() bool {
			u, err := f.Updates(t.Context())
			return err == nil && len(u.Machines) == 1 && is(u)
		})
	}
	await("the machine to say what it runs", func(u client.Updates) bool { return u.Machines[0].Version == "1.0.0" })

	b := signedIn(t, f)
	choose := func(release string) {
		t.Helper()
		b.open("/settings/updates")
		b.fill("#release", release)
		b.fill("#canary", "suite-4")
		b.fill("#soak", "0")
		b.presses(`form#updates button.primary`)
		b.shows("Saved.")
	}
	choose("1.1.0")
	b.canBeRead("/settings/updates with a release on its way")
	await("the release to run", func(u client.Updates) bool {
		return u.Machines[0].Version == "1.1.0" && u.Machines[0].State != nil && *u.Machines[0].State == string(farm.UpdateDone)
	})
	b.open("/settings/updates")
	b.until(`document.querySelector("#who-runs-what").innerText.includes("updated")`)

	choose("1.2.0")
	first := ""
	await("the release to be stopped", func(u client.Updates) bool {
		if u.Stopped != nil {
			first = u.Stopped.At
		}
		return u.Stopped != nil
	})
	b.open("/settings/updates")
	b.shows("1.2.0 was stopped:")
	b.shows("suite-4 rolled 1.2.0 back: it ended with exit status 3")
	b.canBeRead("/settings/updates with a release that was stopped")
	b.size(1360, 1060)
	b.picture("updates")
	if out := command("updates"); !strings.Contains(out, "overcrank updates resume") || !strings.Contains(out, "rolled back 1.2.0") {
		t.Errorf("people read\n%s", out)
	}
	b.presses(`form[action="/settings/updates/resume"] button`)
	// The only machine refuses it now, which may stop it once more.
	await("the release to be resumed", func(u client.Updates) bool { return u.Stopped == nil || u.Stopped.At != first })
	b.open("/settings/updates") // the release is given up by keyboard
	b.do(focus("#release"), chromedp.KeyEvent(kb.Home))
	b.until(`document.querySelector("#release").value === ""`)
	b.entersUntil(`document.readyState === "complete" && document.body.innerText.includes("Saved.") && document.querySelector("#release").value === ""`, `form#updates button.primary`)
	await("the release to be given up", func(u client.Updates) bool { return u.Release == nil || *u.Release == "" })
}
