package release

import (
	"errors"
	"os"
	"strings"
	"time"
)

// ClockSkew is how far machines' clocks may be behind the clock of the machine that signs: releases are valid from so long before they are signed.
const ClockSkew = time.Hour

// ProgramName is what the program for a system is called in the folder of a release: overcrank-agent-linux-amd64, overcrank-agent-windows-amd64.exe.
func ProgramName(system, arch string) string {
	name := Agent + "-" + system + "-" + arch
	if system == "windows" {
		name += ".exe"
	}
	return name
}

// Programs lists the programs in a folder, found by their names (ProgramName), as the files of a manifest. Their sizes and hashes are filled in by Sign.
func Programs(folder string) ([]File, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var files []File
	for _, e := range entries {
		rest, is := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".exe"), Agent+"-")
		system, arch, both := strings.Cut(rest, "-")
		if is && both && e.Type().IsRegular() {
			files = append(files, File{System: system, Arch: arch, Name: e.Name()})
		}
	}
	if len(files) == 0 {
		return nil, errors.New("the folder holds no program: name them overcrank-agent-SYSTEM-ARCH, such as overcrank-agent-windows-amd64.exe")
	}
	return files, nil
}
