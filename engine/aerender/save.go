package aerender

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcrank/aep"
)

// save writes the project as the script left it, with a warning for each change that could not be written.
func (j *job) save(ctx context.Context) (err error) {
	original, err := os.ReadFile(j.flags.project)
	if err != nil {
		return fail(exitRuntime, "The project '%s' can't be opened: %w", filepath.Base(j.flags.project), err)
	}
	j.relativeReferences()
	file, err := os.OpenFile(j.flags.save, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fail(exitRender, "After Effects error: the project can't be saved: %w", err)
	}
	lost, err := aep.Rewrite(ctx, file, original, j.project, aep.Limits{})
	if err = errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(j.flags.save)
		if errors.Is(err, aep.ErrNotProject) {
			return fail(exitRuntime, "The project '%s' can't be saved: the embedded engine writes binary projects (.aep) only.", filepath.Base(j.flags.project))
		}
		return fail(exitRender, "After Effects error: the project can't be saved: %w", err)
	}
	for _, what := range lost {
		j.out.warning("not saved: " + what)
	}
	j.out.info(fmt.Sprintf("Saved project %q.", filepath.Base(j.flags.save)))
	return nil
}

// relativeReferences rewrites references to files that the script imported as relative to the project, so that they are
// found wherever its folder goes.
func (j *job) relativeReferences() {
	home := absolute(filepath.Dir(j.flags.project))
	for _, it := range j.project.Items {
		f := it.Footage
		if f == nil || f.Kind != aep.FootageFile || f.File.Resolved == "" || f.File.FullPath != f.File.Resolved {
			continue
		}
		rel, err := filepath.Rel(home, f.File.Resolved)
		if err != nil || !filepath.IsLocal(rel) {
			j.out.warning(fmt.Sprintf("not saved with the project: '%s', which is outside its folder", filepath.Base(f.File.FullPath)))
			continue
		}
		way := filepath.ToSlash(rel)
		f.File = aep.FileReference{
			FullPath: "/" + way, Platform: "macos", AscendBase: 1, AscendTarget: strings.Count(way, "/") + 1,
			TargetIsFolder: f.File.TargetIsFolder, Resolved: f.File.Resolved,
		}
	}
}
