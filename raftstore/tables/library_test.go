package tables

import (
	"slices"
	"testing"

	"overcrank/farm"
	"overcrank/raftstore/command"
)

func fontOf(id, team, fileName string, faces ...farm.FontUse) farm.Font {
	return farm.Font{ID: id, Team: team, FamilyName: faces[0].Family, FileName: fileName, Faces: faces, File: farm.FileRef{SHA256: "font-" + id}}
}

func (m *rig) match(named []string, uses ...string) (found, missing []string) {
	m.read(func(tx *Tx) (err error) {
		list := make([]farm.FontUse, len(uses))
		for i, use := range uses {
			list[i] = farm.FontUse{PostScript: use}
		}
		found, missing, err = tx.MatchFonts("team", named, list)
		return err
	})
	return found, missing
}

func TestFontsAreFoundByEachOfTheirNames(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutTeam{Team: farm.Team{ID: "other"}})
	sans := farm.FontUse{PostScript: "HouseSans-Bd", Family: "House Sans", Style: "Bold"}
	plain := farm.FontUse{PostScript: "HouseSans-Rg", Family: "House Sans", Style: "Regular"}
	m.must(command.PutFont{Font: fontOf("f1", "team", "Heavy One.ttf", sans)})
	m.must(command.PutFont{Font: fontOf("f2", "team", "plain.ttc", plain, farm.FontUse{PostScript: "Second", Family: "Second", Style: "Light"})})
	m.must(command.PutFont{Font: fontOf("f3", "other", "theirs.ttf", farm.FontUse{PostScript: "Theirs", Family: "Theirs", Style: "Regular"})})
	for use, want := range map[string]string{
		"HouseSans-Bd": "f1", "housesans-BD": "f1", "HouseSans-Bold": "f1", "House Sans Bold": "f1", "HeavyOne": "f1", "HouseSans": "f2", "HouseSans-Regular": "f2",
		"Second": "f2", "Second-Light": "f2", "plain": "f2", "Theirs": "", "HouseSans-Black": "", "House": "", "-": "",
	} {
		found, missing := m.match(nil, use)
		if want == "" && (len(found) > 0 || !slices.Equal(missing, []string{use})) || want != "" && (!slices.Equal(found, []string{want}) || len(missing) > 0) {
			t.Errorf("%q finds %v and misses %v, want %q", use, found, missing, want)
		}
	}
	found, missing := m.match([]string{"PLAIN.ttc", "plain.ttf"}, "Second", "HouseSans", "None", "None")
	if !slices.Equal(found, []string{"f2"}) || !slices.Equal(missing, []string{"plain.ttf", "None"}) {
		t.Errorf("found %v, missing %v", found, missing)
	}
	m.must(command.PutFont{Font: fontOf("f4", "team", "again.ttf", sans)})
	if found, _ := m.match(nil, "HouseSans-Bd"); !slices.Equal(found, []string{"f4"}) {
		t.Errorf("of two fonts with one name it is %v", found)
	}
	m.must(command.DeleteFont{Team: "team", ID: "f4"})
	if found, _ := m.match(nil, "HouseSans-Bd"); !slices.Equal(found, []string{"f1"}) {
		t.Errorf("after a deletion it is %v", found)
	}
}

func TestFontsAndSecretsThatCannotBeAreRefused(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	face := farm.FontUse{PostScript: "A", Family: "A"}
	m.must(command.PutFont{Font: fontOf("f1", "team", "A.ttf", face)})
	m.must(command.PutSecret{Secret: farm.Secret{ID: "s1", Team: "team", Name: "A", Key: "k", Sealed: []byte{1}}})
	nameless := fontOf("f2", "team", "B.ttf", farm.FontUse{Family: "B"})
	for _, c := range []struct {
		cmd  command.Command
		code farm.Code
	}{
		{command.PutFont{Font: fontOf("f2", "team", "a.TTF", face)}, farm.CodeConflict},
		{command.PutFont{Font: fontOf("f1", "team", "B.ttf", face)}, farm.CodeConflict},
		{command.PutFont{Font: fontOf("f2", "nobody", "B.ttf", face)}, farm.CodeNotFound},
		{command.PutFont{Font: fontOf("", "team", "B.ttf", face)}, farm.CodeInvalid},
		{command.PutFont{Font: fontOf("f2", "team", "", face)}, farm.CodeInvalid},
		{command.PutFont{Font: nameless}, farm.CodeInvalid},
		{command.PutFont{Font: fontOf("f2", "team", "B\x00.ttf", face)}, farm.CodeInvalid},
		{command.DeleteFont{Team: "other", ID: "f1"}, farm.CodeNotFound},
		{command.DeleteFont{Team: "team", ID: "f9"}, farm.CodeNotFound},
		{command.PutSecret{Secret: farm.Secret{ID: "s2", Team: "team", Name: "A", Key: "k", Sealed: []byte{1}}}, farm.CodeConflict},
		{command.PutSecret{Secret: farm.Secret{ID: "s2", Team: "team", Name: "B"}}, farm.CodeInvalid},
		{command.PutSecret{Secret: farm.Secret{ID: "s2", Team: "nobody", Name: "B", Key: "k", Sealed: []byte{1}}}, farm.CodeNotFound},
		{command.PutSecret{Secret: farm.Secret{ID: "s2", Team: "team", Name: "a b", Key: "k", Sealed: []byte{1}}}, farm.CodeInvalid},
		{command.DeleteSecret{Team: "other", ID: "s1"}, farm.CodeNotFound},
		{command.ResealSecrets{Secrets: []command.Resealed{{ID: "s1", Was: "k"}}}, farm.CodeInvalid},
	} {
		wantRefused(t, m, c.cmd, c.code)
	}
	result := m.do(command.PutSecret{Secret: farm.Secret{ID: "s2", Team: "team", Name: "A", Key: "k", Sealed: []byte{1}}})
	if result.Refused == nil || result.Refused.ErrorCode != farm.SecretExists {
		t.Errorf("a name that is taken is refused with %+v", result.Refused)
	}
	m.must(command.ResealSecrets{Secrets: []command.Resealed{{ID: "s1", Was: "older", Key: "new", Sealed: []byte{2}}, {ID: "gone", Was: "k", Key: "new", Sealed: []byte{2}}}})
	m.must(command.ResealSecrets{Secrets: []command.Resealed{{ID: "s1", Was: "k", Key: "new", Sealed: []byte{3}}}})
	m.read(func(tx *Tx) error {
		s, err := tx.SecretNamed("team", "A")
		if s.Key != "new" || len(s.Sealed) != 1 || s.Sealed[0] != 3 {
			t.Errorf("the secret is %+v", s)
		}
		return err
	})
}

func TestUnendedJobsKeepTheirFonts(t *testing.T) {
	m := newRig(t, t.TempDir(), "state")
	defer m.end()
	furnish(m)
	m.must(command.PutFont{Font: fontOf("f1", "team", "A.ttf", farm.FontUse{PostScript: "A", Family: "A"})})
	job, task := jobOf("j1", 1)
	job.UsesFonts = []string{"f1"}
	m.must(command.SubmitJobs{Jobs: []farm.Job{job}, Tasks: []farm.Task{task}})
	wantRefused(t, m, command.DeleteFont{Team: "team", ID: "f1"}, farm.CodeConflict)
	m.must(command.CancelJobs{Team: "team", IDs: []string{"j1"}, At: after(60)})
	m.must(command.DeleteFont{Team: "team", ID: "f1"})
	m.read(func(tx *Tx) error {
		if kept, err := tx.FileReferenced("font-f1"); kept || err != nil {
			t.Errorf("the file of a deleted font is kept: %v, %v", kept, err)
		}
		return nil
	})
}

// expectLibrary notes what the indexes and counters of fonts and secrets have to hold.
func expectLibrary(tb *tables, set func(bucket []byte, key, value string), counts map[string]int) {
	for _, release := range all[farm.Release](tb, bucketReleases) {
		for _, f := range release.Files {
			counts[countOfReleaseFiles(f.File.SHA256)]++
		}
	}
	for _, download := range all[farm.Download](tb, bucketDownloads) {
		counts[countOfDownloads(download.File.SHA256)]++
	}
	for _, font := range all[farm.Font](tb, bucketFonts) {
		set(bucketFontsByTeam, font.Team+sep+font.ID, "")
		set(bucketFontsByFile, fontFileKey(font.Team, font.FileName), font.ID)
		for rank, names := range font.Keys() {
			for _, name := range names {
				set(bucketFontsByName, fontNamePrefix(font.Team, rank, name)+font.ID, "")
			}
		}
		counts[countOfFontCopies(font.File.SHA256)]++
	}
	for _, secret := range all[farm.Secret](tb, bucketSecrets) {
		set(bucketSecretsByTeam, secret.Team+sep+secret.ID, "")
		set(bucketSecretsByName, secret.Team+sep+secret.Name, secret.ID)
	}
}
