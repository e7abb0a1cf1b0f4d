package page

import (
	"context"
	"slices"

	"overcrank/coordinator/downloads"
	"overcrank/farm"
)

// AddMachine is the page on which a machine gets its package and its invitation.
type AddMachine struct {
	Form     AddMachineForm
	Detected bool            // the system is the visitor's own
	Packages []farm.Download // for the system, the latest of each processor
	Error    string

	Made   *farm.JoinToken // just made
	Token  string          // its text, shown this once
	Offers []PackageOffer
	Joined Joined
}

// AddMachineForm is what the form holds.
type AddMachineForm struct{ System, Name, Tags, Uses, Life string }

// PackageOffer is a package with what is typed to install it silently.
type PackageOffer struct {
	Package  farm.Download
	Commands []downloads.Command
	Named    bool // the invitation can be in the package's name
}

// Joined are the machines that have joined with an invitation.
type Joined struct {
	Machines []Machine
	More     bool
}

// PackageSystems are the systems that there are packages for.
var PackageSystems = []struct{ Name, Words, System, Format string }{
	{"windows", "Windows", "windows", "msi"}, {"macos", "macOS", "darwin", "pkg"}, {"deb", "Debian, Ubuntu", "linux", "deb"}, {"rpm", "Fedora, Rocky, RHEL", "linux", "rpm"},
}

// KnowsPackageSystem tells whether there are packages for a system of that name.
func KnowsPackageSystem(name string) bool { return packageSystem(name).Name != "" }

func packageSystem(name string) (found struct{ Name, Words, System, Format string }) {
	for _, s := range PackageSystems {
		if s.Name == name {
			found = s
		}
	}
	return found
}

// PackagesFor are the packages for a system: of each processor the one that was added last.
func PackagesFor(list []farm.Download, name string) (found []farm.Download) {
	format := packageSystem(name).Format
	for _, d := range list { // the latest first
		same := func(f farm.Download) bool { return f.Arch == d.Arch }
		if d.Kind == farm.DownloadPackage && d.Format == format && !slices.ContainsFunc(found, same) {
			found = append(found, d)
		}
	}
	return found
}

// processorWords is for whom a package is, where there is more than one.
func processorWords(ctx context.Context, arch string) string {
	switch arch {
	case "amd64":
		return say(ctx, "64-bit Intel and AMD")
	case "arm64":
		return say(ctx, "ARM, 64 bit")
	}
	return say(ctx, "all processors")
}
