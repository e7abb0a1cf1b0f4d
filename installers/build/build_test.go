package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"overcrank/installers/version"
)

func TestSystemsAreChosen(t *testing.T) {
	t.Parallel()
	if all, err := choose(""); err != nil || len(all) != len(systems) {
		t.Errorf("without a choice there are %d systems, %v", len(all), err)
	}
	if one, err := choose("linux, linux"); err != nil || len(one) != 1 || one[0].name != "linux" {
		t.Errorf("linux is %v, %v", one, err)
	}
	if _, err := choose("linux,beos"); err == nil || !strings.Contains(err.Error(), "windows") {
		t.Errorf("a system without packages: %v", err)
	}
}

// licence is that of a Go module of ours, with a name in it.
const licence = `MIT License

Copyright (c) 2026 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER
IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`

// copyleft is what programs under the GPL say of themselves.
const copyleft = `This program is free software; you can redistribute it and/or modify it under the terms of the GNU General Public License as published by the Free
Software Foundation; either version 2 of the License, or (at your option) any later version.
`

func TestModulesWithoutAnAllowedLicenceAreRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, filepath.Join(root, "LICENSE"), "ours")
	for name, c := range map[string]struct {
		files map[string]string
		want  string // in the error, "" for none
	}{
		"allowed":              {map[string]string{"LICENSE": licence, "NOTICE": "by Somebody"}, ""},
		"none":                 {map[string]string{"README.md": licence}, "no licence"},
		"a notice alone":       {map[string]string{"NOTICE": licence}, "no licence"},
		"GPL":                  {map[string]string{"COPYING": copyleft}, "GPL"},
		"GPL in what is used":  {map[string]string{"LICENSE": licence, "used/LICENSE.txt": copyleft}, "GPL"},
		"GPL in what is not":   {map[string]string{"LICENSE": licence, "tool/LICENSE.txt": copyleft}, ""},
		"unknown":              {map[string]string{"LICENSE": "You may use this on Tuesdays."}, "not the text of a licence"},
		"code called licences": {map[string]string{"LICENSE": licence, "licence.go": copyleft}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range c.files {
				write(t, filepath.Join(dir, path), text)
			}
			to := filepath.Join(t.TempDir(), "licences.txt")
			modules := []module{{path: "example.com/m", version: "v1.0.0", dir: dir}}
			err := release{root: root}.writeLicences(to, modules, []string{dir, filepath.Join(dir, "used")})
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "example.com/m") {
					t.Errorf("the error is %v, want one with the module's name and %q", err, c.want)
				}
				return
			}
			text, readErr := os.ReadFile(to)
			if err != nil || readErr != nil || !bytes.Contains(text, []byte("Copyright (c) 2026 Somebody")) || len(modules[0].licences) != 1 || modules[0].licences[0] != "MIT" {
				t.Errorf("the licences are %q in %q: %v, %v", modules[0].licences, text, err, readErr)
			}
		})
	}
}

func TestALicenceOfSeveralModulesStandsOnce(t *testing.T) {
	t.Parallel()
	root, to := t.TempDir(), filepath.Join(t.TempDir(), "licences.txt")
	write(t, filepath.Join(root, "LICENSE"), "ours")
	var modules []module
	for _, name := range []string{"one", "two"} {
		dir := filepath.Join(root, name)
		write(t, filepath.Join(dir, "LICENSE"), licence)
		modules = append(modules, module{path: "example.com/" + name, version: "v1.0.0", dir: dir})
	}
	if err := (release{root: root}).writeLicences(to, modules, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(to)
	if err != nil || strings.Count(string(text), "Copyright (c) 2026 Somebody") != 1 || !strings.Contains(string(text), "example.com/one v1.0.0: LICENSE\nexample.com/two v1.0.0: LICENSE\n\n") {
		t.Errorf("the licences are %q: %v, want the text once below both modules", text, err)
	}
}

func TestChecksumsAreThoseOfSha256sum(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("sha256sum"); err != nil {
		t.Skip("this machine has no sha256sum")
	}
	dist := t.TempDir()
	write(t, filepath.Join(dist, "a.deb"), "a")
	write(t, filepath.Join(dist, "b.rpm"), "b")
	for range 2 { // the second time, there is a file of checksums already
		if err := (release{dist: dist}).writeChecksums(); err != nil {
			t.Fatal(err)
		}
	}
	check := exec.Command("sha256sum", "--check", "--strict", checksums)
	check.Dir = dist
	if out, err := check.CombinedOutput(); err != nil || strings.Count(string(out), ": OK") != 2 {
		t.Errorf("sha256sum says %s: %v", out, err)
	}
}

func TestPackagesOfOtherVersionsGo(t *testing.T) {
	t.Parallel()
	dist := t.TempDir()
	v, err := version.Parse("1.2.3-4-gabcd")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"overcrank_1.2.3+4.gabcd_amd64.deb", "overcrank-agent-1.2.3004.msi", "overcrank_1.2.2_amd64.deb", "notes.txt"} {
		write(t, filepath.Join(dist, name), name)
	}
	if err := (release{dist: dist, version: v}).clean(); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dist, "*"))
	if len(left) != 3 {
		t.Errorf("left are %q", left)
	}
}

// TestTheSameSourcesMakeTheSamePackages makes the Linux packages once more, of a clone in another folder, and compares them with those in dist.
func TestTheSameSourcesMakeTheSamePackages(t *testing.T) {
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("make test-packages makes the packages that this looks at")
	}
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	v, err := version.Of(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	if !v.Dirty { // a clone lacks what was not committed
		clone := filepath.Join(t.TempDir(), "elsewhere")
		if out, err := exec.Command("git", "clone", "--quiet", root, clone).CombinedOutput(); err != nil {
			t.Fatalf("git clone: %v: %s", err, out)
		}
		root = clone
	}
	trusted, err := keysFrom(os.Getenv, dist, io.Discard) // the same that dist was made with
	if err != nil {
		t.Fatal(err)
	}
	again := t.TempDir()
	chosen, err := choose("linux")
	if err != nil {
		t.Fatal(err)
	}
	made, err := release{root: root, dist: again, version: v, programs: t.TempDir(), arch: "amd64", keys: trusted}.make(t.Context(), chosen)
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, path := range made {
		if filepath.Base(path) == checksums { // of all systems' packages
			continue
		}
		a, errA := os.ReadFile(path)
		b, errB := os.ReadFile(filepath.Join(dist, filepath.Base(path)))
		if errA != nil || errB != nil || !bytes.Equal(a, b) {
			t.Errorf("%s comes out differently: %v, %v", filepath.Base(path), errA, errB)
		}
		compared++
	}
	if compared != 6 {
		t.Errorf("compared were %d files, want 6: four packages, their licences, their bill of materials", compared)
	}
	holdsMaterials(t, filepath.Join(again, "overcrank-"+v.String()+"-linux.cdx.json"))
}

// holdsMaterials looks whether a bill of materials is whole: what programs depend on is listed, with a licence.
func holdsMaterials(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var bom cdx.BOM
	if err := json.Unmarshal(text, &bom); err != nil {
		t.Fatal(err)
	}
	listed := map[string]bool{}
	for _, c := range *bom.Components {
		listed[c.BOMRef] = true
		if c.Licenses == nil || len(*c.Licenses) == 0 {
			t.Errorf("%s has no licence", c.BOMRef)
		}
	}
	for _, d := range *bom.Dependencies {
		for _, ref := range *d.Dependencies {
			if !listed[ref] {
				t.Errorf("%s depends on %s, which is not listed", d.Ref, ref)
			}
		}
	}
	for _, program := range []string{"overcrank", "overcrank-agent", "overcrank-launcher"} {
		if !listed[program] {
			t.Errorf("%s is not listed", program)
		}
	}
	if len(listed) < 40 {
		t.Errorf("only %d components are listed", len(listed))
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// largest is how large a package may be, in bytes: what a studio hands to a thousand machines in an evening.
const largest = 25_000_000

func TestPackagesAreSmall(t *testing.T) {
	dist := os.Getenv("OVERCRANK_PACKAGES")
	if dist == "" {
		t.Skip("make test-packages makes the packages that this looks at")
	}
	for _, pattern := range []string{"*.deb", "*.rpm", "*.msi", "*.pkg"} {
		found, err := filepath.Glob(filepath.Join(dist, pattern))
		if err != nil || len(found) == 0 {
			t.Errorf("there is no %s in %s: %v", pattern, dist, err)
		}
		for _, path := range found {
			if strings.HasPrefix(filepath.Base(path), "overcrank-packages") { // holds all others, for coordinators
				continue
			}
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s: %.1f MB", info.Name(), float64(info.Size())/1e6)
			if info.Size() > largest {
				t.Errorf("%s is larger than %d bytes", info.Name(), largest)
			}
		}
	}
}
