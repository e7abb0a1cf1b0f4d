package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeMaterials writes what the programs of a system are made of, as a bill of materials in CycloneDX's JSON. It says nothing of when and where it was
// written, so that the same sources give the same bill.
func (r release) writeMaterials(path string, s system, linked map[string][]module, modules []module) error {
	name := "pkg:generic/overcrank"
	bom := cdx.NewBOM()
	serial := sha256.Sum256([]byte(s.name + " " + r.version.String()))
	serial[6], serial[8] = serial[6]&0x0f|0x80, serial[8]&0x3f|0x80 // version 8 of RFC 9562: a hash of our own
	bom.SerialNumber = fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", serial[0:4], serial[4:6], serial[6:8], serial[8:10], serial[10:16])
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.version.Time.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: name, Type: cdx.ComponentTypeApplication, Name: "overcrank", Version: r.version.String(), Licenses: licensed([]string{"Apache-2.0"}),
			Description: "The programs of Overcrank for " + s.name,
		},
	}
	var components []cdx.Component
	programs := slices.Sorted(maps.Keys(linked))
	dependencies := []cdx.Dependency{{Ref: name, Dependencies: &programs}}
	for _, program := range programs {
		components = append(components, cdx.Component{BOMRef: program, Type: cdx.ComponentTypeApplication, Name: program, Version: r.version.String(), Licenses: licensed([]string{"Apache-2.0"})})
		var needs []string
		for _, m := range linked[program] {
			needs = append(needs, m.purl())
		}
		dependencies = append(dependencies, cdx.Dependency{Ref: program, Dependencies: &needs})
	}
	for _, m := range modules {
		components = append(components, cdx.Component{
			BOMRef: m.purl(), Type: cdx.ComponentTypeLibrary, Name: m.path, Version: m.version, PackageURL: m.purl(), Licenses: licensed(m.licences), Scope: cdx.ScopeRequired,
		})
	}
	bom.Components, bom.Dependencies = &components, &dependencies

	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	if err := cdx.NewBOMEncoder(out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		out.Close()
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	return out.Close()
}

// purl is the module's package URL.
func (m module) purl() string { return "pkg:golang/" + m.path + "@" + m.version }

func licensed(ids []string) *cdx.Licenses {
	var all cdx.Licenses
	for _, id := range ids {
		all = append(all, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &all
}

// checksums is the file with the SHA-256 of all others, as sha256sum writes and checks it.
const checksums = "SHA256SUMS"

// writeChecksums writes the checksums of all that is in the folder of packages.
func (r release) writeChecksums() error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, entry := range entries {
		if !entry.Type().IsRegular() || entry.Name() == checksums {
			continue
		}
		sum, err := checksum(filepath.Join(r.dist, entry.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s  %s\n", sum, entry.Name())
	}
	return os.WriteFile(filepath.Join(r.dist, checksums), []byte(text.String()), 0o644)
}

func checksum(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
