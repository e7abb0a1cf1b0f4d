package aerender

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"overcrank/farm"
)

func TestLinesEndInEveryWay(t *testing.T) {
	var got []string
	in := "a\nb\r\nc\rd\n\n\xe9t\xe9\n" + strings.Repeat("y", maxLine+10) + "\nlast"
	if err := readLines(strings.NewReader(in), func(s string) { got = append(got, s) }); err != nil {
		t.Fatal(err)
	}
	want := []string{"a", "b", "c", "d", "été", strings.Repeat("y", maxLine), "last"}
	if !slices.Equal(got, want) {
		t.Fatalf("got %q", got)
	}
}

func TestGrammar(t *testing.T) {
	cases := []struct {
		line string
		want kind
	}{
		{"PROGRESS:  0:00:00:10 (11): 0 Seconds", kindFrame},
		{"PROGRESS:  0;00;00;10 (11L): 0 Seconds", kindFrame},
		{"PROGRESS:  199 (200U): 1 Seconds", kindFrame},
		{"PROGRESS:  Start: 0:00:00:00", kindStart},
		{"PROGRESS:  Dauer: 0:00:10:00", kindDuration},
		{"PROGRESS:  Frame Rate: 60.00 (comp)", kindRate},
		{"PROGRESS: ...After Effects successfully launched", kindLaunched},
		{"PROGRESS: 11/21/2026: Finished composition \"main\".", kindFinished},
		{"PROGRESS:  Frames reused: 12", kindReused},
		{"INFO:script: PROGRESS:  Frames reused: 12", kindOther},
		{"PROGRESS:  Total Time Elapsed: 3 Seconds", kindOther},
		{"aerender ERROR: No comp was found with the given name.", kindError},
		{"aerender ERROR -1712: AESend failed to send apple event", kindError},
		{"INFO:After Effects error: bad", kindError},
		{"WARNING:After Effects warning: Project has missing fonts.", kindWarning},
		{"ERROR: chatter", kindComplaint},
		{"GL_VERS: 32Prog Error: 1280", kindOther},
		{"", kindOther},
	}
	for _, c := range cases {
		if got := parse(c.line).kind; got != c.want {
			t.Errorf("%q is %d, want %d", c.line, got, c.want)
		}
	}
}

func TestClockCountsFrames(t *testing.T) {
	cases := []struct {
		clock string
		rate  float64
		want  int
	}{
		{"0:00:10:00", 60, 600}, {"0:00:03:18", 60, 198}, {"0;01;00;02", 29.97, 1800}, {"0;10;00;00", 29.97, 17982},
		{"1;00;00;00", 59.94, 215784}, {"300", 0, 300}, {"0:01:00:00", 23.98, 1440},
	}
	for _, c := range cases {
		if got, ok := parseClock(c.clock).frames(c.rate); !ok || got != c.want {
			t.Errorf("%s at %g: %d", c.clock, c.rate, got)
		}
	}
	for _, bad := range []string{"", "1:2", "a:b:c:d", "-5", "0:00:00:00:00"} {
		if n, ok := parseClock(bad).frames(25); ok {
			t.Errorf("%q holds %d frames", bad, n)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("PROGRESS:  0:00:00:10 (11): 0 Seconds\r\nPROGRESS:  Duration: 99999999:99:99:99\n")
	f.Add("aerender ERROR: aerender ERROR: \xff\n")
	f.Add("PROGRESS:  18446744073709551616 (1): x\nPROGRESS:  Frame Rate: 1e9\n")
	f.Fuzz(func(t *testing.T, in string) {
		c := newCounter(-1, 10)
		percent := 0.0
		err := readLines(strings.NewReader(in), func(line string) {
			if len(line) > 2*maxLine || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n\x00\x1b") {
				t.Fatalf("line %q", line)
			}
			c.add(parse(line))
			if c.now.Percent < percent || c.now.Percent > 100 || c.now.Frame < 0 {
				t.Fatalf("progress went from %g to %+v", percent, c.now)
			}
			percent = c.now.Percent
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatAScriptSaysIsNoErrorOfTheEngine(t *testing.T) {
	for _, line := range []string{"INFO:script: aerender ERROR: no space left", "INFO:script: After Effects error: out of memory", "INFO:script: PROGRESS:  0:00:00:24 (25): 0 Seconds"} {
		if e := parse(line); e.kind != kindOther {
			t.Errorf("%q is taken as %+v", line, e)
		}
	}
}

func TestExitCodesCountInEveryLanguage(t *testing.T) {
	for code, want := range map[int]farm.FailureClass{
		1: farm.FailureTransient, 4: farm.FailureWorker, 5: farm.FailureDeterministic, 6: farm.FailureDeterministic, 9: farm.FailureTransient, 11: farm.FailureWorker,
	} {
		for _, said := range [][]string{{"Impossible d'exécuter le script"}, nil} {
			if f := outcome("the embedded engine", "main", code, said, true); f == nil || f.Class != want || !strings.HasPrefix(f.Message, fmt.Sprintf("Render failed: the embedded engine exited with code %d", code)) {
				t.Errorf("%d, %q: %+v", code, said, f)
			}
		}
	}
	if f := outcome("After Effects", "main", 5, []string{"Aucune licence; unable to obtain a license"}, true); f.Class != farm.FailureLicence {
		t.Errorf("words that say more than the code: %+v", f)
	}
}

func TestScriptsThatOutgrowTheirBoundsAreNotTriedAgain(t *testing.T) {
	for _, said := range []string{
		"the script ran longer than 1m0s and was stopped", "the script used more than 512 MiB of memory and was stopped", "too much recursion",
	} {
		f := outcome("After Effects", "main", 5, []string{said}, false)
		if f == nil || f.Class != farm.FailureDeterministic || f.Message != "Render failed: After Effects exited with code 5: "+said {
			t.Errorf("%s: %+v", said, f)
		}
	}
}
