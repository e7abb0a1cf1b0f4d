package coordinator_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overcrank/coordinator"
	"overcrank/coordinator/people"
	"overcrank/coordinator/search"
	"overcrank/coordinator/submission"
	"overcrank/farm"
)

// find gives what a caller finds, as kinds and names, the first first.
func (r *rig) find(p farm.Principal, text string) (found []string) {
	r.t.Helper()
	answer, err := r.Search().Find(r.t.Context(), p, text, "", 10)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range answer.Found {
		found = append(found, string(f.Kind)+" "+f.Name)
	}
	return found
}

// finds waits until a caller finds just this.
func (r *rig) finds(p farm.Principal, text string, want ...string) {
	r.t.Helper()
	var last []string
	defer func() {
		if r.t.Failed() {
			r.t.Logf("%q finds %q, not %q", text, last, want)
		}
	}()
	r.eventually(fmt.Sprintf("%q finds %q", text, want), func() bool {
		last = r.find(p, text)
		return slices.Equal(last, want)
	})
}

// saying gives a job of a registered template a name, tags and the text of a layer. The farm keeps no values of other projects' jobs.
func saying(template, name, text string, tags ...string) func(*farm.Job) {
	return func(job *farm.Job) {
		job.Template = farm.JobTemplate{ID: template, Composition: "main"}
		job.Name, job.Tags = name, tags
		value, _ := json.Marshal(text)
		job.Assets = []farm.Asset{{Type: "text", LayerName: "title", Value: value}}
	}
}

func TestJobsAreFoundByWhatIsInThem(t *testing.T) {
	t.Parallel()
	r := open(t)
	title := r.uploaded(project(t, []string{"main"})).ID
	summer := r.submit(saying(title, "Promo_DE_v4", "Sommer im Café", "spring-sale"))
	r.submit(saying(title, "Promo_FR_v4", "L’ÉTÉ à la plage", "spring-sale"))
	r.submit(saying(title, "Trailer", "promo de luxe"))
	for text, want := range map[string][]string{
		"trail":                    {"job Trailer"},
		"PROMO de":                 {"job Promo_DE_v4", "job Trailer"}, // by name before by value
		"promo_de_v4":              {"job Promo_DE_v4"},
		"cafe":                     {"job Promo_DE_v4"},
		"ete pla":                  {"job Promo_FR_v4"},
		"spring sale":              {"job Promo_FR_v4", "job Promo_DE_v4"}, // the newest first
		"spring sale cafe":         {"job Promo_DE_v4"},
		"summer":                   nil,
		"caf sommer":               nil, // only the last word may be the beginning of one
		summer.ID:                  {"job Promo_DE_v4"},
		strings.ToLower(summer.ID): {"job Promo_DE_v4"},
		" .,- ":                    nil,
		"":                         nil,
	} {
		r.finds(r.admin, text, want...)
	}
	name := "Nightfall"
	if _, err := r.ChangeJob(t.Context(), r.admin, summer.ID, coordinator.JobChange{Name: &name}); err != nil {
		t.Fatal(err)
	}
	r.finds(r.admin, "nightf", "job Nightfall")
	r.finds(r.admin, "promo_de", "job Trailer")
}

func TestEverybodyFindsWhatTheyMaySee(t *testing.T) {
	t.Parallel()
	r := open(t)
	viewer, _ := r.token(r.admin, people.NewToken{Name: "Vera Meadow", Role: farm.RoleViewer, Person: true})
	team, err := r.MakeTeam(t.Context(), r.admin, "other")
	if err != nil {
		t.Fatal(err)
	}
	other, _ := r.token(r.admin, people.NewToken{Name: "Otto", Role: farm.RoleAdmin, Team: team.ID})
	title := r.uploaded(project(t, []string{"main"})).ID
	r.submit(saying(title, "Meadow", "green"))
	r.enrol("meadow-01")
	r.finds(r.admin, "meadow", "job Meadow", "machine meadow-01", "person Vera Meadow")
	r.finds(viewer, "meadow", "job Meadow", "machine meadow-01", "person Vera Meadow")
	r.finds(r.admin, "viewer", "person Vera Meadow")
	r.finds(viewer, "viewer") // by names alone: what others may do is for those who look after people
	r.finds(other, "meadow", "machine meadow-01")
}

func TestABatchIsFoundByItsJobs(t *testing.T) {
	t.Parallel()
	r := open(t)
	title := r.uploaded(project(t, []string{"main"})).ID
	var entries []submission.BatchEntry
	for _, name := range []string{"North", "South"} {
		var job farm.Job
		saying(title, name, "harvest")(&job)
		entries = append(entries, submission.BatchEntry{Job: job})
	}
	if _, err := r.SubmitBatch(t.Context(), r.admin, entries); err != nil {
		t.Fatal(err)
	}
	r.eventually("both jobs and their batch are found", func() bool {
		found := r.find(r.admin, "harvest")
		return len(found) == 3 && strings.HasPrefix(found[2], "batch ")
	})
}

func TestABatchIsFoundByItsName(t *testing.T) {
	t.Parallel()
	r := open(t)
	title := r.uploaded(project(t, []string{"main"})).ID
	var job farm.Job
	saying(title, "North", "harvest")(&job)
	named := func(label farm.BatchLabel) string {
		result, err := r.SubmitBatchAs(t.Context(), r.admin, label, []submission.BatchEntry{{Job: job}})
		if err != nil {
			t.Fatal(err)
		}
		return result.Batch.ID
	}
	first := named(farm.BatchLabel{Name: "Autumn campaign"})
	r.finds(r.admin, "autumn", "batch Autumn campaign")
	second := named(farm.BatchLabel{})
	r.finds(r.admin, second, "job North", "batch North")
	if err := r.LabelBatch(t.Context(), r.admin, second, farm.BatchLabel{Name: "Winter"}); err != nil {
		t.Fatal(err)
	}
	r.finds(r.admin, "winter", "batch Winter")
	r.stop()
	if err := os.RemoveAll(filepath.Join(r.cfg.DataDir, "search")); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.finds(r.admin, "autumn", "batch Autumn campaign")
	if err := r.LabelBatch(t.Context(), r.admin, first, farm.BatchLabel{}); err != nil {
		t.Fatal(err)
	}
	r.finds(r.admin, "autumn")
}

func TestTheIndexIsMadeAgainAndForgetsWhatTheFarmForgets(t *testing.T) {
	t.Parallel()
	now := newClock()
	r := open(t, now.config, func(cfg *coordinator.Config) { cfg.KeepHistory = 20 * day })
	title := r.uploaded(project(t, []string{"main"})).ID
	job := r.submit(saying(title, "Anemone", "zinnia"))
	r.submit(saying(title, "Buttercup", "zinnia"))
	r.finds(r.admin, "zinnia", "job Buttercup", "job Anemone")
	r.restart()
	r.finds(r.admin, "zinnia", "job Buttercup", "job Anemone")

	folder := filepath.Join(r.cfg.DataDir, "search")
	r.stop()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.finds(r.admin, "zinnia", "job Buttercup", "job Anemone")

	r.stop()
	spoil(t, folder)
	r.start()
	r.finds(r.admin, "zinnia", "job Buttercup", "job Anemone")

	if _, err := r.CancelJobs(t.Context(), r.admin, []string{job.ID}, true); err != nil {
		t.Fatal(err)
	}
	now.pass(4 * day)
	r.retain()
	r.finds(r.admin, "zinnia", "job Buttercup")
	r.finds(r.admin, "anem", "job Anemone")
	now.pass(30 * day)
	r.retain()
	r.finds(r.admin, "anem")
	r.finds(r.admin, "butter", "job Buttercup")
}

// spoil changes the one file of a folder in its middle.
func spoil(t *testing.T, folder string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("the index lies in %q, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := len(content) / 4; i < len(content)/2; i++ {
		content[i] ^= 0x5a
	}
	if err := os.WriteFile(files[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsAskedForIsBounded(t *testing.T) {
	t.Parallel()
	r := open(t)
	for _, text := range []string{strings.Repeat("a", search.MaxQuery+1), strings.Repeat("a ", 17)} {
		_, err := r.Search().Find(t.Context(), r.admin, text, "", 10)
		wantCode(t, err, farm.CodeInvalid)
	}
}
