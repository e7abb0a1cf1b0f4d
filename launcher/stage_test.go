//go:build unix

package launcher

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"overcrank/release"
)

// TestWhatIsNotStaged: the launcher checks a release by itself, whatever the agent did.
func TestWhatIsNotStaged(t *testing.T) {
	t.Parallel()
	const version = "1.1.0"
	for name, c := range map[string]struct {
		change func(*release.Manifest)
		harm   func(s *station, folder string)
		want   error
	}{
		"an older number":   {func(m *release.Manifest) { m.Number = 9 }, nil, release.ErrOlder},
		"an older version":  {func(m *release.Manifest) { m.Version = "0.9.0" }, nil, release.ErrOlder},
		"the one that runs": {func(m *release.Manifest) { m.Version = "1.0.5" }, nil, ErrRuns},
		"a newer launcher":  {func(m *release.Manifest) { m.MinLauncher = Version + 1 }, nil, ErrLauncher},
		"another system":    {func(m *release.Manifest) { m.Files[0].System = "windows" }, nil, release.ErrNoFile},
		"another signature": {nil, func(s *station, folder string) {
			other := newStation(s.t, good)
			other.release(folder, version, 12, good, nil)
		}, release.ErrSignature},
		"a changed manifest":    {nil, func(s *station, folder string) { s.add(filepath.Join(folder, release.ManifestName), " ") }, release.ErrSignature},
		"a changed program":     {nil, func(s *station, folder string) { s.add(filepath.Join(folder, "agent-"+version), "#") }, release.ErrDamaged},
		"a program cut off":     {nil, func(s *station, folder string) { s.must(os.Truncate(filepath.Join(folder, "agent-"+version), 9)) }, release.ErrTruncated},
		"a missing program":     {nil, func(s *station, folder string) { s.must(os.Remove(filepath.Join(folder, "agent-"+version))) }, release.ErrTruncated},
		"a missing manifest":    {nil, func(s *station, folder string) { s.must(os.Remove(filepath.Join(folder, release.ManifestName))) }, release.ErrTruncated},
		"a folder that is gone": {nil, func(s *station, folder string) { s.must(os.RemoveAll(folder)) }, release.ErrTruncated},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStation(t, good)
			s.must(s.stage("1.0.0", s.incoming("seen", "1.0.5", 10, good)))
			r := s.launch(nil)
			r.await("1.0.5 is healthy", func() bool { return versionOf(s.state().Current) == "1.0.5" })
			r.stop()
			before, folders := s.state(), s.folders()
			folder := s.release(filepath.Join(s.folder, versionsFolder, incomingPrefix+"a"), version, 12, good, nil)
			if c.change != nil {
				s.release(folder, version, 12, good, c.change)
			}
			if c.harm != nil {
				c.harm(s, folder)
			}
			if err := s.stage("1.0.5", folder); !errors.Is(err, c.want) {
				t.Errorf("it is %v, want %v", err, c.want)
			}
			equal(t, "the state", s.state(), before)
			s.must(os.RemoveAll(folder))
			equal(t, "folders", s.folders(), folders)
		})
	}
}

func (s *station) add(path, text string) {
	s.t.Helper()
	old, err := os.ReadFile(path)
	s.must(err)
	s.must(os.WriteFile(path, append(old, text...), 0o644))
}

// TestASignedWayBack: an older version is taken when its release says from where. The installed version is newer then, and does not come back by itself.
func TestASignedWayBack(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	back := s.release(filepath.Join(s.folder, versionsFolder, incomingPrefix+"a"), "0.9.0", 9, good, func(m *release.Manifest) { m.DowngradeOf = 10 })
	s.must(s.stage("1.0.0", back))
	for starts := 1; starts <= 2; starts++ {
		r := s.launch(nil)
		r.await("0.9.0 runs", func() bool { return versionOf(s.state().Current) == "0.9.0" && r.runs("0.9.0", starts)() })
		r.stop()
	}
}

// TestStagingTwice is no error, and a newer release takes the place of one that has not started yet.
func TestStagingTwice(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	s.must(s.stage("1.0.0", s.incoming("b", "1.1.0", 11, good)))
	s.must(s.stage("1.0.0", s.incoming("c", "1.2.0", 12, good)))
	equal(t, "folders", s.folders(), []string{"1.2.0"})
	r := s.launch(nil)
	r.await("1.2.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.2.0" })
	equal(t, "started", s.started(), []string{"1.2.0"})
}

// TestAnUpdateWhoseProgramIsGoneIsTakenAgain: without that the agent would fetch it, and give back its work for it, for ever.
func TestAnUpdateWhoseProgramIsGoneIsTakenAgain(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	s.must(Launch{Folder: s.folder, Version: "1.1.0"}.Healthy(""))
	s.must(os.Remove(programOf(s.folder, "1.1.0")))
	s.must(s.stage("1.0.0", s.incoming("b", "1.1.0", 11, good)))
	st := s.state()
	if st.Current != nil || st.Pending == nil || st.Pending.Version != "1.1.0" || !starts(programOf(s.folder, "1.1.0")) {
		t.Errorf("the state is %+v", st)
	}
	r := s.launch(nil)
	r.await("1.1.0 is healthy", func() bool { return versionOf(s.state().Current) == "1.1.0" })
}

// TestOnlyTheVersionOnTrialIsHealthy: one that was rolled back cannot come back by saying so late.
func TestOnlyTheVersionOnTrialIsHealthy(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	if err := (Launch{Folder: s.folder, Version: "1.0.9"}).Healthy(""); !errors.Is(err, ErrNotOnTrial) {
		t.Errorf("another version is healthy: %v", err)
	}
	for range 2 {
		s.must(Launch{Folder: s.folder, Version: "1.1.0"}.Healthy(""))
	}
	equal(t, "current", versionOf(s.state().Current), "1.1.0")
}

func TestVersionsAreCompared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b  string
		order int
		known bool
	}{
		{"1.0.0", "1.0.0", 0, true}, {"1.0.0", "1.0.1", -1, true}, {"1.10.0", "1.9.9", 1, true}, {"v1.0.0", "1.0.0", 0, true},
		{"1.0.0-3-gabc", "1.0.0", 1, true}, {"1.0.0-3-gabc", "1.0.0-12-gdef", -1, true}, {"1.0.1", "1.0.0-99-gabc", 1, true},
		{"dev", "1.0.0", 0, false}, {"1.0.0-rc1", "1.0.0", 0, false}, {"dev", "dev", 0, true}, {"", "", 0, true}, {"99999999999.0.0", "1.0.0", 0, false},
	} {
		if order, known := compare(c.a, c.b); order != c.order || known != c.known {
			t.Errorf("%s and %s: %d, %v", c.a, c.b, order, known)
		}
	}
}

// TestNobodyRunsWhatAnotherAccountCouldChange: on Linux the state folder is that of the service's account; root, who asks for the agent's status, must not
// run its programs.
func TestNobodyRunsWhatAnotherAccountCouldChange(t *testing.T) {
	t.Parallel()
	s := newStation(t, good)
	s.must(s.stage("1.0.0", s.incoming("a", "1.1.0", 11, good)))
	s.must(Launch{Folder: s.folder, Version: "1.1.0"}.Healthy(""))
	chosen := func(want string) {
		t.Helper()
		c, err := Chosen(s.folder, s.programs)
		if err != nil || c.Version != want {
			t.Errorf("chosen is %+v, %v; want %s", c, err, want)
		}
	}
	chosen("1.1.0")
	for _, path := range []string{s.folder, filepath.Join(s.folder, versionsFolder), programOf(s.folder, "1.1.0")} {
		s.must(os.Chmod(path, 0o777))
		chosen("1.0.0")
		s.must(os.Chmod(path, 0o755))
	}
	if os.Geteuid() == 0 {
		s.must(os.Chown(filepath.Join(s.folder, versionsFolder, "1.1.0"), 12345, 12345))
		chosen("1.0.0")
	}
	s.must(os.RemoveAll(s.programs))
	if _, err := Chosen(s.folder, s.programs); err == nil && os.Geteuid() == 0 {
		t.Error("what another account could change is run when nothing else is there")
	}
}

func FuzzState(f *testing.F) {
	f.Add([]byte(`{"current": {"version": "1.0.0", "number": 1}, "pending": {"version": "1.1.0", "number": 2, "starts": 1}, "bad": ["1.0.5"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		st, err := parse(text)
		if err != nil {
			return
		}
		for _, version := range st.kept() {
			if !release.ValidVersion(version) {
				t.Errorf("%q leads to the version %q", text, version)
			}
		}
	})
}
