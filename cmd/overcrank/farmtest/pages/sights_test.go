//go:build linux

package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/aep/aeptest"
)

// sight is a page as somebody comes to see it.
type sight struct {
	path  string
	name  string // of its picture in docs/pictures/pages; "" means that it is looked at and has none
	words string // what the documentation says of it
}

// chapter is a part of docs/pages.md.
type chapter struct {
	title  string
	sights []sight
}

// pages are all that somebody sees who is signed in. The job that renders comes early: it ends while the others are looked at.
func (h furnished) pages() []chapter {
	return []chapter{
		{"Overview", []sight{
			{"/", "overview", "What needs you, your batches, what renders and what is done."},
			{"/?of=team", "overview-team", "The same of the whole team."},
			{"/welcome", "welcome", "The first steps on a farm that has just been set up."},
			{"/search", "search", "Search, before anything is typed."},
			{"/search?q=card", "search-found", "What a word finds, in jobs, templates, machines, batches and people."},
			{"/no-such-page", "no-page", "An address that leads nowhere."},
		}},
		{"Jobs", []sight{
			{"/jobs/" + h.rendering, "job-rendering", "A job while it renders."},
			{"/jobs", "jobs", "The list of jobs."},
			{"/jobs?state=failed", "jobs-failed", "Those that failed."},
			{"/jobs?sort=oldest", "", ""},
			{"/jobs?q=nothing-is-called-so", "jobs-none", "A search that finds no job."},
			{"/jobs/" + h.finished, "job-finished", "A job that is finished."},
			{"/jobs/" + h.finished + "/tasks", "job-tasks", "All its tasks."},
			{"/jobs/" + h.finished + "/review", "job-review", "Its film in review, as members of the team see it."},
			{"/jobs/" + h.failed, "job-failed", "A job that failed, with what mends it."},
			{"/jobs/" + h.held, "job-held", "A job on hold."},
			{"/jobs/" + h.approval, "job-approval", "Frames that wait to be approved."},
			{"/jobs/" + h.inBatch, "job-of-batch", "A job of a batch."},
			{"/jobs/01ARZ3NDEKTSV4RRFFQ69G5FAV", "job-none", "A job that does not exist, or that another team has."},
			{"/approvals", "approvals", "A frame of each job that waits for approval."},
			{"/failures", "failures", "Failures by cause, each with its cure."},
		}},
		{"Batches", []sight{
			{"/batches", "batches", "The list of batches."},
			{"/batches/" + h.batch, "batch", "The contact sheet of a batch."},
			{"/batches/" + h.batch + "?state=failed", "batch-failed", "What failed of it."},
			{"/batches/" + h.batch + "/download", "batch-download", "How its files are called before they are downloaded."},
			{"/batches/" + h.batch + "/edit", "batch-edit", "Its failed rows, to be edited and resubmitted."},
		}},
		{"Templates and new jobs", []sight{
			{"/templates", "templates", "The list of templates."},
			{"/templates/" + h.template, "template", "A template with its compositions and versions."},
			{"/new", "new", "A new job, before its template is chosen."},
			{"/new?template=" + h.template, "new-job", "The form of a new job, with its live frame."},
			{"/new/table", "new-table-choose", "Many jobs from a table, before the template is chosen."},
			{"/new/table?template=" + h.template, "new-table", "Many jobs from a table."},
			{"/projects", "projects", "Projects and their budgets."},
		}},
		{"Reports and the wall", []sight{
			{"/reports", "reports", "Machine hours, costs and failures."},
			{"/wall", "wall", "The screen for the studio."},
		}},
		{"Queue and machines", []sight{
			{"/queue", "queue", "What starts next."},
			{"/machines", "machines", "The list of machines."},
			{"/machines?view=wall", "machines-wall", "The same as pictures."},
			{"/machines/" + h.machine, "machine", "A machine."},
			{"/machines/hours?id=" + h.machine, "machine-hours", "The hours at which the farm gives it work."},
			{"/machines/add", "machine-add", "How a machine is added."},
			{"/machines/add?for=deb", "machine-add-linux", "The same for one system."},
			{"/machines/invite", "machine-invite", "Invitations for machines."},
		}},
		{"Settings and reference", []sight{
			{"/api/reference", "reference", "The reference of the interface."},
			{"/account", "account", "Your account."},
			{"/settings/api-tokens", "tokens", "API tokens."},
			{"/settings/api-tokens/" + h.token, "token", "An API token is changed."},
			{"/settings/people", "people", "People."},
			{"/settings/people/" + h.person, "person", "A person is changed."},
			{"/settings/teams", "teams", "The teams of the farm."},
			{"/settings/audit", "audit", "The audit log."},
			{"/settings/sign-in", "sign-in-settings", "Single sign-on."},
			{"/settings/sharing", "sharing", "What each team may have, and what is limited."},
			{"/settings/updates", "updates", "Releases of the machines."},
			{"/settings/fonts", "fonts", "The fonts of the library."},
			{"/settings/fonts/named?font=GoRegular", "font", "A font, and where it is used."},
			{"/settings/secrets", "secrets", "Secrets."},
			{"/settings/studio", "studio", "The studio’s name and logo."},
			{"/settings/coordinators", "coordinators", "The coordinators."},
			{"/settings/webhooks", "webhooks", "The key of webhooks."},
		}},
	}
}

// strangers are the pages for those who are not signed in.
func (h furnished) strangers() chapter {
	return chapter{"Ways in, and pages by link", []sight{
		{"/sign-in", "sign-in", "Sign-in."},
		{"/sign-in?with=secret", "sign-in-token", "Sign-in with an API token."},
		{h.invited, "invited", "The link by which somebody chooses a password."},
		{"/sign-in/not-a-link", "sign-in-gone", "A link that is none any more."},
		{"/setup/not-a-link", "setup-gone", "A setup link that has been used."},
		{h.review, "review", "A film in review, as a client sees it."},
		{h.locked, "review-password", "A review that asks for its password."},
		{h.revoked, "review-gone", "A review that was revoked."},
	}}
}

// broughtAbout is what no address shows: tests bring it about, and keep its pictures.
func broughtAbout() chapter {
	return chapter{"What is there for a moment", []sight{
		{"", "setup", "A new farm is set up."},
		{"", "review-made", "A review link that has just been made."},
		{"", "forbidden", "A page that is not for the role of who asks."},
		{"", "leaderless", "A page while the coordinators choose a leader."},
		{"", "disconnected", "A page whose farm does not answer."},
	}}
}

// documented are all pages with pictures, as docs/pages.md shows them.
func (h furnished) documented() []chapter {
	return append(h.pages(), h.strangers(), broughtAbout())
}

// TestTheDocumentationShowsEveryPage holds docs/pages.md, which `make pictures` writes, to the pages that there are.
func TestTheDocumentationShowsEveryPage(t *testing.T) {
	t.Parallel()
	docs := filepath.Join(aeptest.Repository(t), "docs")
	h := furnished{
		template: "T", batch: "B", machine: "M", finished: "F", failed: "E", rendering: "R", held: "H", approval: "A", inBatch: "I", person: "N", token: "K",
		invited: "/sign-in/L", review: "/review/O", locked: "/review/P", revoked: "/review/G",
	}
	want := document(h.documented())
	if picturesWanted() != "" {
		if err := os.WriteFile(filepath.Join(docs, "pages.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(filepath.Join(docs, "pages.md")); err != nil || string(got) != want {
		t.Errorf("docs/pages.md is not of the pages of today: make pictures writes it (%v)", err)
	}
	var shown []string // paths
	for _, c := range h.documented() {
		for _, s := range c.sights {
			if s.name == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(docs, "pictures", "pages", s.name+".jpg")); err != nil && picturesWanted() == "" {
				t.Errorf("“%s” has no picture: make pictures (%v)", s.words, err)
			}
			only, _, _ := strings.Cut(s.path, "?")
			shown = append(shown, only)
		}
	}
	for _, route := range allPages(t) {
		if !slices.Contains(noPages, route) && !slices.ContainsFunc(shown, func(path string) bool { return leadsTo(route, path) }) {
			t.Errorf("%s is in no picture of docs/pages.md", route)
		}
	}
}

// document is the text of docs/pages.md.
func document(chapters []chapter) string {
	var b strings.Builder
	b.WriteString(`# Every page

Each page of the dashboard at 1440, 1024 and 390 pixels, the one in the middle in dark colours. ` + "`make pictures`" + ` writes this file and takes its pictures, of
a real farm at which something of each kind has happened. What the pages are for is told in [the dashboard](dashboard.md).
`)
	for _, c := range chapters {
		fmt.Fprintf(&b, "\n## %s\n", c.title)
		for _, s := range c.sights {
			if s.name != "" {
				fmt.Fprintf(&b, "\n%s\n\n![%s](pictures/pages/%s.jpg)\n", s.words, strings.TrimSuffix(s.words, "."), s.name)
			}
		}
	}
	return b.String()
}
