package version

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestVersionsAreReadAndWritten(t *testing.T) {
	for _, c := range []struct{ text, whole, linux, numeric string }{
		{"v0.1.0", "0.1.0", "0.1.0", "0.1.0"},
		{"0.1.0-123-g1a2b3c4", "0.1.0-123-g1a2b3c4", "0.1.0+123.g1a2b3c4", "0.1.123"},
		{"v2.3.4-5-gabcd-dirty", "2.3.4-5-gabcd-dirty", "2.3.4+5.gabcd+dirty", "2.3.4005"},
		{"1.0.0-dirty", "1.0.0-dirty", "1.0.0+dirty", "1.0.0"},
	} {
		v, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if v.String() != c.whole || v.Linux() != c.linux || v.Numeric() != c.numeric {
			t.Errorf("%s is %s, %s, %s; want %s, %s, %s", c.text, v, v.Linux(), v.Numeric(), c.whole, c.linux, c.numeric)
		}
		if again, err := Parse(v.String()); err != nil || again != v {
			t.Errorf("%s is read as %v, %v", v, again, err)
		}
	}
	for _, text := range []string{"", "dev", "1.0", "1.0.0-rc1", "1.0.0 ", "256.0.0", "0.0.66", "1.0.0-65536-gabcd", "1.0.0\n", "-1.0.0"} {
		if v, err := Parse(text); !errors.Is(err, ErrNotAVersion) {
			t.Errorf("%q is taken as %v, %v", text, v, err)
		}
	}
}

func TestNumbersGrowWithVersions(t *testing.T) {
	last := uint64(0)
	for _, text := range []string{"0.1.0", "0.1.0-1-gabcd", "0.1.0-999-gabcd", "0.1.1", "0.1.64-1-gabcd", "0.2.0", "1.0.0", "255.255.65"} {
		v, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if v.Number() <= last {
			t.Errorf("%s has the number %d, the version before it %d", text, v.Number(), last)
		}
		last = v.Number()
	}
}

func TestTheVersionComesOfTheHistory(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"OVERCRANK_VERSION", "SOURCE_DATE_EPOCH"} {
		t.Setenv(name, "")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	of := func() Version {
		t.Helper()
		v, err := Of(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v, err := Of(t.Context(), dir); err == nil {
		t.Errorf("a folder without history is version %s", v)
	}
	run("init", "--quiet")
	run("commit", "--quiet", "--allow-empty", "-m", "first")
	if v := of(); v.Commits != 1 || v.Commit == "" || v.Minor != 1 || v.Time.Format("2006-01-02T15:04:05Z") != "2026-01-02T03:04:05Z" {
		t.Errorf("without a tag: %+v", v)
	}
	run("tag", "v1.2.3")
	run("tag", "not-a-version")
	if v := of(); v.String() != "1.2.3" {
		t.Errorf("at the tag: %s", v)
	}
	run("commit", "--quiet", "--allow-empty", "-m", "second")
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	run("add", "file")
	if v := of(); v.Numeric() != "1.2.3001" || !v.Dirty {
		t.Errorf("after the tag, with a change: %+v", v)
	}
	t.Setenv("OVERCRANK_VERSION", "v7.0.1")
	t.Setenv("SOURCE_DATE_EPOCH", "86400")
	if v := of(); v.String() != "7.0.1" || v.Time.Unix() != 86400 {
		t.Errorf("as named: %+v", v)
	}
}
