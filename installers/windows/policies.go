package windows

import (
	"archive/zip"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// policies are the templates by which Group Policy and Intune set what the agent reads below HKLM\Software\Policies\Overcrank.
//
//go:embed policy
var policies embed.FS

// writePolicies packs the templates as they belong into a domain's PolicyDefinitions folder.
func writePolicies(path string, at time.Time) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making the archive of policies: %w", err)
	}
	z := zip.NewWriter(f)
	err = fs.WalkDir(policies, "policy", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(policies, name)
		if err != nil {
			return err
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name[len("policy/"):], Method: zip.Deflate, Modified: at.UTC()})
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	})
	if err != nil {
		_ = f.Close()
		return fmt.Errorf("packing the policies: %w", err)
	}
	if err := z.Close(); err != nil {
		_ = f.Close()
		return fmt.Errorf("packing the policies: %w", err)
	}
	return f.Close()
}
