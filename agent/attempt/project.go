package attempt

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overcrank/agent/project"
)

// savedPath is where an engine saves the filled-in project: beside the original, since it says where files lie by their way
// from there. Nobody can say whether aerender, as scripts do, takes a path for an address, so no percent sign is in the name.
func savedPath(project string) string {
	name := strings.TrimSuffix(filepath.Base(project), filepath.Ext(project))
	name = strings.ReplaceAll(name, "%", "_")
	return filepath.Join(filepath.Dir(project), name+"_filled.aep")
}

// saveProject makes the result of a job that wants its filled-in project: the project's folder, with the assets.
func (t *attempt) saveProject(ctx context.Context, e engine, p *project.Project) (result, error) {
	saved, err := e.save(ctx)
	if err != nil {
		return result{}, err
	}
	if _, err := os.Stat(saved); err != nil {
		return result{}, &failure{message: "Render failed: the engine did not save the project", retry: true, err: err}
	}
	if err := os.Remove(p.Path); err != nil {
		return result{}, fmt.Errorf("leaving the original project out: %w", err)
	}
	if err := os.Rename(saved, strings.TrimSuffix(p.Path, filepath.Ext(p.Path))+".aep"); err != nil {
		return result{}, fmt.Errorf("taking the saved project: %w", err)
	}
	var files []string
	err = filepath.WalkDir(p.Dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return result{}, fmt.Errorf("packing the project: %w", err)
	}
	path := filepath.Join(t.dir, "out", "result.zip")
	if err := zipFiles(ctx, path, p.Dir, files); err != nil {
		return result{}, err
	}
	return result{path: path, kind: mediaTypes["zip"]}, nil
}
