package tables

import (
	"fmt"
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func TestATeamHasOneDefaultPreset(t *testing.T) {
	m := leveled(t)
	put := func(name string, isDefault bool) {
		m.must(command.PutPreset{Preset: farm.Preset{Team: "team", Name: name, Default: isDefault, At: after(1)}})
	}
	put("Web", true)
	put("Broadcast", true)
	put("WEB", false) // the same as Web
	var got []string
	m.see(func(tx *Tx) {
		presets, err := tx.Presets("team")
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range presets {
			got = append(got, fmt.Sprint(p.Name, p.Default))
		}
	})
	if want := []string{"Broadcasttrue", "WEBfalse"}; !slices.Equal(got, want) {
		t.Errorf("the presets are %q, want %q", got, want)
	}
	wantRefused(t, m, command.PutPreset{Preset: farm.Preset{Team: "team", Name: "two\nlines"}}, farm.CodeInvalid)
	wantRefused(t, m, command.PutPreset{Preset: farm.Preset{Team: "nobody", Name: "x"}}, farm.CodeNotFound)
	wantRefused(t, m, command.DeletePreset{Team: "team", Name: "none"}, farm.CodeNotFound)
	for i := range farm.MostPresets - 2 {
		put(fmt.Sprint("more ", i), false)
	}
	wantRefused(t, m, command.PutPreset{Preset: farm.Preset{Team: "team", Name: "one too many"}}, farm.CodeConflict)
	m.must(command.DeletePreset{Team: "team", Name: "WEB"})
	put("one too many", false)
}

// TestUsesAreForgottenHoweverTheLogIsApplied deletes a template whose only job has just come and gone: a coordinator that applies all of it at once has
// not written the counter of that use yet.
func TestUsesAreForgottenHoweverTheLogIsApplied(t *testing.T) {
	m := leveled(t)
	job, task := jobOf("a", 1)
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	m.must(command.CancelJobs{Team: "team", IDs: []string{"a"}, Force: true, At: after(2)})
	m.must(command.DeleteTemplate{Team: "team", ID: "tmpl"})
	once := newRig(t, t.TempDir(), "once")
	defer once.end()
	once.apply(m.log)
	if once.content() != m.content() || once.fingerprint() != m.fingerprint() {
		t.Error("the log applied at once gives another state than entry by entry")
	}
	once.see(func(tx *Tx) {
		if left, err := tx.Uses("team", farm.UseTemplate, "tmpl"); err != nil || len(left) > 0 {
			t.Errorf("uses of a template that is gone: %+v, %v", left, err)
		}
	})
}

func TestWhatJobsUseIsCountedByDayAndWhom(t *testing.T) {
	m := leveled(t)
	submitBy := func(id, who string, second int) {
		job, task := jobOf(id, second)
		job.SubmittedBy, job.UsesSecrets, job.UsesFonts = who, []string{"KEY"}, []string{"font0"}
		m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	}
	const day = 24 * 3600
	submitBy("a", "mia", 1)
	submitBy("b", "ada", 2)
	submitBy("c", "mia", 2*day)
	uses := func(kind farm.UseKind, subject string) (words []string) {
		m.see(func(tx *Tx) {
			list, err := tx.Uses("team", kind, subject)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range list {
				words = append(words, fmt.Sprint(int(u.Day.Sub(farm.Day(epoch)).Hours()/24), " ", u.By, " ", u.Jobs))
			}
		})
		return words
	}
	for _, c := range []struct {
		kind    farm.UseKind
		subject string
		want    []string
	}{
		{farm.UseTemplate, "tmpl", []string{"2 mia 1", "0 mia 1", "0 ada 1"}}, {farm.UseSecret, "KEY", []string{"2 tmpl 1", "0 tmpl 2"}},
		{farm.UseFont, "font0", []string{"2 tmpl 1", "0 tmpl 2"}}, {farm.UseTemplate, "other", nil},
	} {
		if got := uses(c.kind, c.subject); !slices.Equal(got, c.want) {
			t.Errorf("the uses of %s %s are %q, want %q", c.kind, c.subject, got, c.want)
		}
	}
	submitBy("d", "bo", 40*day)
	if got := uses(farm.UseTemplate, "tmpl"); !slices.Equal(got, []string{"40 bo 1"}) {
		t.Errorf("after 40 days the uses are %q", got)
	}
}

func TestARetiredTemplateTakesNoJobs(t *testing.T) {
	m := leveled(t)
	submit(m, "before", 1)
	m.must(command.RetireTemplate{Team: "team", ID: "tmpl", Retired: true, At: after(2), By: "mia"})
	job, task := jobOf("late", 3)
	wantRefused(t, m, command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}}, farm.CodeConflict)
	wantRefused(t, m, command.RetireTemplate{Team: "other", ID: "tmpl", Retired: true}, farm.CodeNotFound)
	if m.jobStatus("before") != farm.JobQueued {
		t.Error("a job from before did not stay")
	}
	m.must(command.RetireTemplate{Team: "team", ID: "tmpl", At: after(4)})
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
}

func TestATemplateRemembersWhatItWas(t *testing.T) {
	m := leveled(t)
	for i := range farm.MostVersions + 3 {
		hash, nonce := fmt.Sprint("content", i), fmt.Sprint("n", i)
		m.must(command.RenewUpload{Team: "team", ID: "tmpl", Nonce: nonce, Until: after(9), At: after(1)})
		m.must(command.ReceiveTemplate{ID: "tmpl", Nonce: nonce, File: farm.FileRef{SHA256: hash}, At: after(2 + i)})
		m.must(command.FinishTemplate{ID: "tmpl", FileSHA256: hash, Introspection: &farm.FileRef{SHA256: fmt.Sprint("summary", i)}, Compositions: []string{"main"}, At: after(2 + i)})
	}
	m.see(func(tx *Tx) {
		now, err := tx.Template("tmpl")
		if err != nil {
			t.Fatal(err)
		}
		if len(now.Versions) != farm.MostVersions || now.VersionNow() != farm.MostVersions+4 || now.Versions[0].Number != 4 {
			t.Errorf("%d versions are remembered, from %d to %d", len(now.Versions), now.Versions[0].Number, now.VersionNow())
		}
		if got := now.VersionOf(now.Versions[3].File.SHA256); got != 7 {
			t.Errorf("a version of before has the number %d", got)
		}
	})
	m.tables(func(t2 *tables) error {
		if t2.count(countOfTemplateRefs("summary5")) != 1 || t2.count(countOfTemplateRefs("content5")) != 0 {
			t.Error("what was read of an earlier version is not kept, or its file is")
		}
		return nil
	})
}
