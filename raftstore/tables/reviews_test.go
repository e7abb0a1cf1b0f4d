package tables

import (
	"fmt"
	"strings"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

// linked is a review link to a job, good until a time far ahead.
func linked(id, job string, edit ...func(*farm.ReviewLink)) command.PutReviewLink {
	link := farm.ReviewLink{ID: id, Team: "team", Job: job, Hash: "hash of " + id, By: "ann", At: after(1), Until: after(1000)}
	for _, e := range edit {
		e(&link)
	}
	return command.PutReviewLink{Link: link}
}

// says is a remark by a link.
func says(id, job, link, text string, edit ...func(*farm.Remark)) command.AddRemark {
	r := farm.Remark{ID: id, Team: "team", Job: job, Link: link, Name: "Cleo", Text: text, At: after(5)}
	for _, e := range edit {
		e(&r)
	}
	return command.AddRemark{Remark: r}
}

func decides(v farm.Verdict) func(*farm.Remark) { return func(r *farm.Remark) { r.Verdict = v } }

// said is what was said about a job, in order.
func (m *rig) said(job string) string {
	m.t.Helper()
	var words []string
	m.read(func(tx *Tx) error {
		remarks, err := tx.Remarks(job)
		for _, r := range remarks {
			words = append(words, fmt.Sprintf("%s %s%s", r.Name, r.Text, r.Verdict))
		}
		return err
	})
	return strings.Join(words, ", ")
}

func TestALinkIsGoodUntilItIsRevokedOrOver(t *testing.T) {
	m := told(t)
	by(m, "mia", "film")
	m.must(linked("r1", "film"))
	wantRefused(t, m, linked("r1", "film"), farm.CodeConflict)
	wantRefused(t, m, linked("r2", "none"), farm.CodeNotFound)
	wantRefused(t, m, linked("r2", "film", func(l *farm.ReviewLink) { l.Team = "others" }), farm.CodeNotFound)
	m.read(func(tx *Tx) error {
		link, err := tx.ReviewLink("hash of r1")
		if link.ID != "r1" {
			t.Errorf("its code leads to %+v", link)
		}
		return err
	})
	m.must(says("c1", "film", "r1", "Warmer"))
	over := says("c2", "film", "r1", "Too late")
	over.Remark.At = after(1000)
	wantRefused(t, m, over, farm.CodeGone)
	wantRefused(t, m, says("c2", "film", "other", "Hello"), farm.CodeNotFound)
	wantRefused(t, m, command.RevokeReviewLink{Team: "others", Job: "film", ID: "r1"}, farm.CodeNotFound)
	m.must(command.RevokeReviewLink{Team: "team", Job: "film", ID: "r1", At: after(6)})
	wantRefused(t, m, says("c2", "film", "r1", "Still here"), farm.CodeGone)
	m.read(func(tx *Tx) error {
		if _, err := tx.ReviewLink("hash of r1"); farm.CodeOf(err) != farm.CodeNotFound {
			t.Errorf("a revoked link is found: %v", err)
		}
		links, err := tx.TeamReviewLinks("team", "", 10)
		if len(links) != 1 || links[0].RevokedAt.IsZero() {
			t.Errorf("the team's links are %+v", links)
		}
		return err
	})
	if got, want := m.said("film"), "Cleo Warmer"; got != want {
		t.Errorf("said was %q, want %q", got, want)
	}
}

func TestLinksOfATeamAreListedFromTheNewest(t *testing.T) {
	m := told(t)
	by(m, "mia", "film")
	for i := range 5 {
		m.must(linked(fmt.Sprintf("r%d", i), "film"))
	}
	page := func(before string, limit int) (ids string) {
		m.read(func(tx *Tx) error {
			links, err := tx.TeamReviewLinks("team", before, limit)
			for _, l := range links {
				ids += l.ID + " "
			}
			return err
		})
		return ids
	}
	if got := page("", 2) + "| " + page("r3", 2) + "| " + page("r1", 5) + "| " + page("r0", 5); got != "r4 r3 | r2 r1 | r0 | " {
		t.Errorf("the pages are %q", got)
	}
}

func TestAJobHasABoundOfLinks(t *testing.T) {
	m := told(t)
	by(m, "mia", "film")
	for i := range farm.MostReviewLinks {
		m.must(linked(fmt.Sprintf("r%02d", i), "film"))
	}
	wantRefused(t, m, linked("more", "film"), farm.CodeConflict)
	for i := range 3 * farm.MostReviewLinks {
		id := fmt.Sprintf("s%02d", i)
		if i == 0 {
			id = "r00"
		} else {
			m.must(linked(id, "film"))
		}
		m.must(command.RevokeReviewLink{Team: "team", Job: "film", ID: id, At: after(3)})
	}
	m.read(func(tx *Tx) error {
		links, err := tx.ReviewLinks("film")
		if len(links) > 2*farm.MostReviewLinks {
			t.Errorf("%d links are kept", len(links))
		}
		return err
	})
}

func TestWhatIsSaidIsBounded(t *testing.T) {
	m := told(t)
	by(m, "mia", "film")
	m.must(linked("r1", "film"))
	frame := 7
	long := func(n int) []farm.Stroke {
		return []farm.Stroke{{Colour: "red", Points: make([]int, 2*n)}}
	}
	for name, edit := range map[string]func(*farm.Remark){
		"no name":               func(r *farm.Remark) { r.Name = "" },
		"nothing said":          func(r *farm.Remark) { r.Text = "" },
		"too long":              func(r *farm.Remark) { r.Text = strings.Repeat("x", farm.MostRemark+1) },
		"no verdict":            decides("perhaps"),
		"a drawing on no frame": func(r *farm.Remark) { r.Drawing = long(2) },
		"too many points":       func(r *farm.Remark) { r.Frame, r.Drawing = &frame, long(farm.MostPoints+1) },
		"a colour of its own": func(r *farm.Remark) {
			r.Frame, r.Drawing = &frame, []farm.Stroke{{Colour: "url(x)", Points: []int{1, 2}}}
		},
		"half a point": func(r *farm.Remark) {
			r.Frame, r.Drawing = &frame, []farm.Stroke{{Colour: "red", Points: []int{1, 2, 3}}}
		},
		"a point outside": func(r *farm.Remark) {
			r.Frame, r.Drawing = &frame, []farm.Stroke{{Colour: "red", Points: []int{1, farm.DrawingSide + 1}}}
		},
	} {
		if res := m.do(says("c", "film", "r1", "Hello", edit)); farm.CodeOf(res.Refused) != farm.CodeInvalid {
			t.Errorf("%s: %v", name, res.Refused)
		}
	}
	for i := range farm.MostRemarksOfLink {
		m.must(says(fmt.Sprintf("c%03d", i), "film", "r1", "Hello"))
	}
	wantRefused(t, m, says("more", "film", "r1", "Hello"), farm.CodeConflict)
	m.must(says("team", "film", "", "We are on it"))
}

func TestAVerdictDecidesAJobThatWaits(t *testing.T) {
	for verdict, want := range map[farm.Verdict]string{
		farm.VerdictApproved: "queued, approved by Cleo: ", farm.VerdictRejected: "error, approved by : Rejected by Cleo: Too dark",
	} {
		m := told(t)
		film(m, func(job *farm.Job) { job.PreviewFirst, job.Approve, job.SubmittedBy = true, true, "mia" })
		m.must(linked("r1", "film"))
		m.must(says("c1", "film", "r1", "Too dark", decides(verdict)))
		m.read(func(tx *Tx) error {
			job, err := tx.Job("film")
			if got := fmt.Sprintf("%s, approved by %s: %s", job.Status, job.ApprovedBy, job.Error); got != want {
				t.Errorf("after %q the job is %q, want %q", verdict, got, want)
			}
			return err
		})
		for _, who := range []string{"mia", "ann"} {
			if got := m.waiting(who); !strings.Contains(got, "review film") {
				t.Errorf("%s is told %q", who, got)
			}
		}
		m.must(says("c2", "film", "r1", "Once more", decides(verdict)))
	}
}

func TestCommentsAreToldOfOnce(t *testing.T) {
	m := told(t)
	by(m, "mia", "film")
	m.must(linked("r1", "film"))
	for i := range 3 {
		m.must(says(fmt.Sprintf("c%d", i), "film", "r1", "Warmer"))
	}
	m.must(says("own", "film", "", "We are on it"))
	for _, who := range []string{"mia", "ann"} {
		if got, want := m.waiting(who), "review film"; got != want {
			t.Errorf("%s is told %q, want %q", who, got, want)
		}
	}
	wantRefused(t, m, command.DeleteRemark{Team: "others", Job: "film", ID: "c1"}, farm.CodeNotFound)
	m.must(command.DeleteRemark{Team: "team", Job: "film", ID: "c1", At: after(6)})
	if got, want := m.said("film"), "Cleo Warmer, Cleo Warmer, Cleo We are on it"; got != want {
		t.Errorf("said was %q, want %q", got, want)
	}
}

// submits adds a job that is a take of another.
func submits(m *rig, id, of string) {
	m.t.Helper()
	job, task := jobOf(id, 1)
	job.TakeOf, job.SubmittedBy = of, "mia"
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
}

func (m *rig) takes(id string) (ids string) {
	m.t.Helper()
	m.read(func(tx *Tx) error {
		job, err := tx.JobHead(id)
		if err != nil {
			return err
		}
		takes, err := tx.Takes(job)
		for _, take := range takes {
			ids += take.ID + " "
		}
		return err
	})
	return ids
}

func TestTakesAreFoundFromEachOfThem(t *testing.T) {
	m := told(t)
	submits(m, "a", "")
	submits(m, "b", "a")
	submits(m, "c", "a")
	submits(m, "other", "")
	for _, id := range []string{"a", "b", "c"} {
		if got := m.takes(id); got != "a b c " {
			t.Errorf("from %s the takes are %q", id, got)
		}
	}
	m.must(linked("one", "b"))
	m.must(linked("all", "b", func(l *farm.ReviewLink) { l.Takes = true }))
	wantRefused(t, m, says("x", "c", "one", "Hello"), farm.CodeNotFound)
	m.must(says("x", "c", "all", "Hello"))
	wantRefused(t, m, says("y", "other", "all", "Hello"), farm.CodeNotFound)

	m.must(command.CancelJobs{Team: "team", IDs: []string{"a", "b"}, Force: true, At: after(6)})
	m.must(command.PurgeJobs{IDs: []string{"a", "b"}})
	if got := m.takes("c"); got != "c " {
		t.Errorf("after the others were forgotten the takes are %q", got)
	}
	m.read(func(tx *Tx) error {
		links, err := tx.TeamReviewLinks("team", "", 10)
		if _, found := tx.ReviewLink("hash of all"); len(links) != 0 || farm.CodeOf(found) != farm.CodeNotFound {
			t.Errorf("links of a forgotten job are kept: %+v, %v", links, found)
		}
		return err
	})
}

func TestATeamsLogoAndLinksGoWithIt(t *testing.T) {
	m := told(t)
	m.must(command.PutTeam{Team: farm.Team{ID: "others"}})
	job, task := jobOf("theirs", 1)
	job.Team, task.Team, job.Template = "others", "others", farm.JobTemplate{Src: "https://files.example/a.aep", Composition: "main"}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	m.must(linked("r1", "theirs", func(l *farm.ReviewLink) { l.Team = "others" }))
	wantRefused(t, m, command.PutTeamLogo{Team: "none", Picture: []byte{1}}, farm.CodeNotFound)
	wantRefused(t, m, command.PutTeamLogo{Team: "others", Picture: make([]byte, farm.MostLogo+1)}, farm.CodeInvalid)
	m.must(command.PutTeamLogo{Team: "others", Picture: []byte{1, 2, 3}})
	m.must(command.CancelJobs{Team: "others", IDs: []string{"theirs"}, Force: true, At: after(3)})
	m.must(command.EndTeam{ID: "others", At: after(4)})
	m.read(func(tx *Tx) error {
		logo, err := tx.TeamLogo("others")
		if _, found := tx.ReviewLink("hash of r1"); len(logo) != 0 || farm.CodeOf(found) != farm.CodeNotFound {
			t.Errorf("left are a logo of %d bytes, and %v", len(logo), found)
		}
		return err
	})
}
