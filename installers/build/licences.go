package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// allowed are the licences that what is linked may have, by their SPDX identifiers. GPL and AGPL are not among them: they would bind the farm's own sources.
var allowed = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "MPL-2.0-no-copyleft-exception", "Unlicense", "Zlib"}

var (
	licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|unlicen[cs]e)([-._].*)?$`)
	noticeFile  = regexp.MustCompile(`(?i)^(notice|patents|authors|copyright)([-._].*)?$`)
)

// known is how much of a licence's file has to be the text of licences that are known, in percent: the rest are names and years.
const known = 75

// patentGrant is the checker's name for a clause that some BSD licences have beside them: it permits more, and SPDX has no identifier for it.
const patentGrant = "GooglePatentClause"

// ours is what lies in the repository and was written by others.
const ours = "idiomorph 0.8.0, in the program overcrank: Zero-Clause BSD, which asks for no notice.\n" +
	"Inter 4.001, in the program overcrank: SIL Open Font License 1.1, which a coordinator serves at /static/inter-license.txt."

// writeLicences writes the licences of the modules into one file, beginning with the farm's own, and notes in each module which ones they are. A module
// without a licence, or with one that is not allowed, is an error. packages are the folders of the packages that are linked. A text that several modules
// are under stands once, below their names.
func (r release) writeLicences(path string, modules []module, packages []string) error {
	own, err := os.ReadFile(filepath.Join(r.root, "LICENSE"))
	if err != nil {
		return fmt.Errorf("reading the farm's licence: %w", err)
	}
	var texts []string
	titles := map[string][]string{}
	section := func(title string, content []byte) {
		text := string(bytes.TrimSpace(bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))))
		if titles[text] == nil {
			texts = append(texts, text)
		}
		titles[text] = append(titles[text], title)
	}
	section("Overcrank "+r.version.String(), own)
	for i := range modules {
		m := &modules[i]
		within := packages
		if m.path == standardLibrary {
			within = nil // what has a licence of its own there is BoringCrypto, which is linked with cgo alone
		}
		found, err := licencesIn(m.dir, within)
		if err != nil {
			return fmt.Errorf("reading the licence of %s: %w", m.path, err)
		}
		if m.licences, err = identify(found); err != nil {
			return fmt.Errorf("%s %s cannot be part of a package: %w", m.path, m.version, err)
		}
		for _, t := range found {
			section(fmt.Sprintf("%s %s: %s", m.path, m.version, t.name), t.content)
		}
	}
	section("Parts of others in the sources of Overcrank", []byte(ours))
	var all strings.Builder
	for _, text := range texts {
		fmt.Fprintf(&all, "%s\n%s\n\n%s\n\n", strings.Repeat("=", 100), strings.Join(titles[text], "\n"), text)
	}
	if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
		return fmt.Errorf("writing the licences: %w", err)
	}
	return nil
}

// licenceText is a file that says under which terms something may be used.
type licenceText struct {
	name    string // path within the module
	content []byte
	licence bool // rather than a notice beside it
}

// licencesIn reads the licences and notices of a module: those of its folder first, then those beside or above packages that are linked, which the module took
// over from others.
func licencesIn(dir string, packages []string) ([]licenceText, error) {
	var found []licenceText
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if path != dir && !slices.ContainsFunc(packages, func(p string) bool { return p == path || strings.HasPrefix(p, path+string(filepath.Separator)) }) {
				return fs.SkipDir
			}
			return nil
		}
		licence, notice := licenceFile.MatchString(entry.Name()), noticeFile.MatchString(entry.Name())
		if !licence && !notice || filepath.Ext(path) == ".go" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(found, func(t licenceText) bool { return bytes.Equal(t.content, content) }) {
			name, _ := filepath.Rel(dir, path) // both come of the walk
			found = append(found, licenceText{name: filepath.ToSlash(name), content: content, licence: licence})
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b licenceText) int { return strings.Count(a.name, "/") - strings.Count(b.name, "/") })
	return found, err
}

// identify names the licences of texts, sorted.
func identify(texts []licenceText) ([]string, error) {
	var ids []string
	for _, t := range texts {
		if !t.licence {
			continue
		}
		coverage := licensecheck.Scan(t.content)
		if coverage.Percent < known && strings.Contains(t.name, "/") {
			continue // a few words on where a part comes from: its own licence stands in the files
		}
		if coverage.Percent < known {
			return nil, fmt.Errorf("%s is not the text of a licence that is known: %.0f %% of it", t.name, coverage.Percent)
		}
		for _, match := range coverage.Match {
			if match.ID == patentGrant {
				continue
			}
			if !slices.Contains(allowed, match.ID) {
				return nil, fmt.Errorf("%s is under %s, which is none of %s", t.name, match.ID, strings.Join(allowed, ", "))
			}
			ids = append(ids, match.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("it has no licence")
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
