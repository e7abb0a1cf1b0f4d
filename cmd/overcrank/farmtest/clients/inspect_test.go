//go:build linux

package clients_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/aep"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/cmd/overcrank/titlecard"
)

// lackingCard is a title card without its footage, with a font that nobody has, pixels of two shapes and an expression that fails.
func lackingCard(t *testing.T) (path string) {
	t.Helper()
	p := titlecard.Project()
	p.Composition(titlecard.Strip).Comp.PixelAspect = 2
	for _, l := range p.Composition(titlecard.Composition).Comp.Layers {
		switch l.Name {
		case titlecard.TitleLayer, titlecard.SubtitleLayer:
			doc := l.Props.Find("ADBE Text Properties", "ADBE Text Document").Value.(*aep.TextDocument)
			doc.Runs[0].Style.Font = "NobodyHasIt-Bold"
		case "Curtain":
			opacity := l.Props.Find("ADBE Transform Group", "ADBE Opacity")
			opacity.Expression, opacity.ExpressionOn = "noSuchThing * 2", true
		}
	}
	var b bytes.Buffer
	if err := aep.Write(&b, p); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "card.aep")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// typed types a command that needs no farm.
func typed(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), farmtest.Plain(t), args...)
	var out, words bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &words
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), words.String()
}

func TestAProjectIsInspectedBeforeItIsRendered(t *testing.T) {
	t.Parallel()
	card := lackingCard(t)
	for name, args := range map[string][]string{
		"inspect.txt":  {"inspect", card},
		"inspect.json": {"inspect", card, "--comp", titlecard.Composition, "--json"},
	} {
		code, stdout, stderr := typed(t, args...)
		if code != 0 || stderr != "" {
			t.Errorf("%v: exit code %d, %s", args, code, stderr)
		}
		farmtest.Golden(t, name, strings.ReplaceAll(stdout, filepath.Dir(card), "/work"))
	}
}

func TestAnArchiveIsInspectedWithItsFootage(t *testing.T) {
	t.Parallel()
	code, stdout, stderr := typed(t, "inspect", farmtest.SmallCard(t), "--json")
	var got struct {
		Type         string `json:"type"`
		Compositions []struct {
			Name     string        `json:"name"`
			Findings []aep.Finding `json:"findings"`
		} `json:"compositions"`
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil || code != 0 || got.Type != "zip" || len(got.Compositions) != 2 {
		t.Fatalf("exit code %d, %s%s, %v", code, stdout, stderr, err)
	}
	for _, c := range got.Compositions {
		for _, f := range c.Findings {
			if f.Kind != aep.FontFinding { // which fonts there are differs between machines
				t.Errorf("%s: %+v", c.Name, f)
			}
		}
	}
}

func TestWhatCannotBeInspectedIsSaidWithItsFile(t *testing.T) {
	t.Parallel()
	card, text := lackingCard(t), filepath.Join(t.TempDir(), "notes.aep")
	if err := os.WriteFile(text, []byte("no project"), 0o600); err != nil {
		t.Fatal(err)
	}
	for says, c := range map[string]struct {
		code int
		args []string
	}{
		"notes.aep: This file is not an After Effects project": {exit.Failed, []string{text}},
		"has no composition 'Mian': it has 'Title Card'":       {exit.NotFound, []string{card, "--comp", "Mian"}},
		"has to be .aep, .aet, .aepx, .zip or .mogrt":          {exit.Usage, []string{"inspect_test.go"}},
		"--reading-memory is 1":                                {exit.Usage, []string{card, "--reading-memory", "1"}},
	} {
		code, stdout, stderr := typed(t, append([]string{"inspect"}, c.args...)...)
		if code != c.code || stdout != "" || !strings.Contains(stderr, says) {
			t.Errorf("%v: exit code %d, %s%s", c.args, code, stdout, stderr)
		}
	}
}
