package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcrank/agent/aerender"
	"overcrank/agent/script"
	"overcrank/farm"
)

// applyScript has After Effects put the assets into a copy of the project, once in an attempt, and returns the copy.
func (t *attempt) applyScript(ctx context.Context) (string, error) {
	if t.filled != "" {
		return t.filled, nil
	}
	if err := t.a.alone(ctx); err != nil {
		return "", err
	}
	defer t.a.expectAfterEffects()()
	files := script.Files{
		Script: filepath.Join(t.dir, "apply.jsx"), Project: t.project.Path, Saved: t.savedPath(), Outcome: filepath.Join(t.dir, "outcome.txt"),
	}
	// After Effects takes scripts from files only. This one removes itself when it begins, and is removed here when it never did.
	if err := os.WriteFile(files.Script, []byte(script.Standalone(t.script, files)), 0o600); err != nil {
		return "", fmt.Errorf("writing the script: %w", err)
	}
	t.say("putting the assets into the project")
	err := aerender.Apply(ctx, aerender.Application{Command: t.a.scriptCommand(t.engine.Path, files.Script), Dir: t.dir, OnLine: t.hear})
	if gone := os.Remove(files.Script); gone != nil && !errors.Is(gone, os.ErrNotExist) {
		t.log.Warn("a script stays until the attempt ends", "error", gone)
	}
	if err != nil {
		t.a.endAfterEffects()
		return "", err
	}
	outcome, err := os.ReadFile(files.Outcome)
	if errors.Is(err, os.ErrNotExist) {
		return "", &failure{message: "Render failed: After Effects ended without having run the script; scripting may be blocked on this machine", retry: true, class: farm.FailureWorker, err: err}
	}
	if err != nil {
		return "", fmt.Errorf("reading how the script went: %w", err)
	}
	if message, bad := strings.CutPrefix(strings.TrimSpace(string(outcome)), "error: "); bad {
		return "", &failure{message: message}
	}
	t.filled = files.Saved
	return t.filled, nil
}

// savedPath is where an engine saves the filled-in project: beside the original, since it says where files lie by their way
// from there. Nobody can say whether aerender, as scripts do, takes a path for an address, so no percent sign is in the name.
func (t *attempt) savedPath() string {
	name := strings.TrimSuffix(filepath.Base(t.project.Path), filepath.Ext(t.project.Path))
	name = strings.ReplaceAll(name, "%", "_")
	return filepath.Join(filepath.Dir(t.project.Path), name+"_filled.aep")
}

// packProject makes the result of a job that wants its filled-in project: the project's folder, with the assets.
func (t *attempt) packProject(ctx context.Context, saved string) (result, error) {
	if _, err := os.Stat(saved); err != nil {
		return result{}, &failure{message: "Render failed: the engine did not save the project", retry: true, err: err}
	}
	if err := os.Remove(t.project.Path); err != nil {
		return result{}, fmt.Errorf("leaving the original project out: %w", err)
	}
	if err := os.Rename(saved, strings.TrimSuffix(t.project.Path, filepath.Ext(t.project.Path))+".aep"); err != nil {
		return result{}, fmt.Errorf("taking the saved project: %w", err)
	}
	var files []string
	err := filepath.WalkDir(t.project.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return result{}, fmt.Errorf("packing the project: %w", err)
	}
	path := filepath.Join(t.dir, "out", "result.zip")
	if err := zipFiles(ctx, path, t.project.Dir, files); err != nil {
		return result{}, err
	}
	return result{path: path, kind: mediaTypes["zip"]}, nil
}
