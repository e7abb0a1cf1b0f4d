// Package macos makes the agent's package for macOS, a flat .pkg, on any system and without Apple's tools: a universal program, signed; the
// launchd jobs; the scripts that stop, enrol and start it; and beside the package a configuration profile for an MDM.
package macos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/installers/macos/codesign"
	"overcrank/installers/macos/notary"
	"overcrank/installers/macos/xar"
	"overcrank/installers/version"
	"overcrank/release"
)

// Identifiers by which macOS, MDMs and signatures know the parts. Those of the launchd jobs are in the files of this package too.
const (
	panelID    = "studio.overcrank.panel"    // the package's part with the panel
	agentID    = "studio.overcrank.agent"    // the package, the LaunchDaemon, the agent's program
	launcherID = "studio.overcrank.launcher" // the launcher's program
	sessionID  = "studio.overcrank.session"  // the LaunchAgent
)

// processors are those of a Mac, with the folders of their programs. Apple's tools put them in this order.
var processors = []string{"darwin-amd64", "darwin-arm64"}

// Input is what the package is made of.
type Input struct {
	Dist     string // folder to write the package to
	Version  version.Version
	Programs string // folder with darwin-amd64 and darwin-arm64, each with overcrank-agent and overcrank-launcher
	Release  string // folder that the agent's program goes to as well, for updates; "" for none
	Licences string // file with the licences of what the programs are made of; "" for none
	Signing  Signing
}

// Signing is what a studio has of Apple. The zero value signs programs ad hoc and leaves the package unsigned: it can be installed with
// installer(8) and by most MDMs, but not by a double click.
type Signing struct {
	Application *codesign.Identity // "Developer ID Application", for the programs
	Installer   *codesign.Identity // "Developer ID Installer", for the package
	Notary      *notary.Client     // has the package notarized; needs both identities
}

// Build makes the package and its profile and returns their paths. Equal input gives equal bytes, unless an identity signs: then the
// signatures carry their time.
func Build(ctx context.Context, in Input) ([]string, error) {
	if in.Signing.Notary != nil && (in.Signing.Application == nil || in.Signing.Installer == nil) {
		return nil, errors.New("notarization needs programs and package signed by Developer ID identities: name both")
	}
	work, err := os.MkdirTemp("", "overcrank-macos-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	programs, err := in.sign(ctx, work)
	if err != nil {
		return nil, err
	}
	if in.Release != "" {
		for _, p := range programs {
			if p.id != agentID {
				continue
			}
			if err := os.WriteFile(filepath.Join(in.Release, release.ProgramName("darwin", release.Universal)), p.data, 0o755); err != nil {
				return nil, fmt.Errorf("putting the program into the release: %w", err)
			}
		}
	}
	files, err := in.payload(programs)
	if err != nil {
		return nil, err
	}
	product, err := in.product(ctx, files)
	if err != nil {
		return nil, err
	}
	if in.Signing.Notary != nil {
		if _, err := in.Signing.Notary.Notarize(ctx, in.name()+".pkg", product); err != nil {
			return nil, err
		}
	}
	profile, err := in.profile(programs)
	if err != nil {
		return nil, err
	}
	var made []string
	for _, out := range []struct {
		name string
		data []byte
	}{{in.name() + ".pkg", product}, {in.name() + ".mobileconfig", profile}} {
		path := filepath.Join(in.Dist, out.name)
		if err := write(path, out.data); err != nil {
			return made, err
		}
		made = append(made, path)
	}
	return made, nil
}

func (in Input) name() string { return "overcrank-agent-" + in.Version.String() }

// program is one of the package, signed.
type program struct {
	name string // in the folders of programs
	id   string
	data []byte
	code []codesign.Code // for each processor
}

// sign makes the universal programs, and looks at what it made as macOS will.
func (in Input) sign(ctx context.Context, work string) ([]program, error) {
	programs := []program{{name: "overcrank-launcher", id: launcherID}, {name: "overcrank-agent", id: agentID}}
	for i := range programs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p := &programs[i]
		var parts []string
		for _, processor := range processors {
			parts = append(parts, filepath.Join(in.Programs, processor, p.name))
		}
		path := filepath.Join(work, p.name)
		if err := codesign.Universal(path, parts, p.id, in.Signing.Application); err != nil {
			return nil, fmt.Errorf("make the universal %s: %w", p.name, err)
		}
		var err error
		if p.data, err = os.ReadFile(path); err != nil {
			return nil, err
		}
		if p.code, err = codesign.Verify(p.data, in.Signing.Application.Roots()); err != nil {
			return nil, fmt.Errorf("the universal %s: %w", p.name, err)
		}
	}
	return programs, nil
}

// product is the whole package: the component and what tells Installer about it.
func (in Input) product(ctx context.Context, files []file) ([]byte, error) {
	var components []component
	for _, part := range in.choices(files) {
		c, err := in.component(ctx, part)
		if err != nil {
			return nil, err
		}
		components = append(components, c)
	}
	distribution, err := in.distribution(components)
	if err != nil {
		return nil, err
	}
	archive := []xar.File{{Path: "Distribution", Data: distribution}}
	for _, c := range components {
		archive = append(archive, c.files()...)
	}
	var signer *xar.Signer
	if i := in.Signing.Installer; i != nil {
		signer = &xar.Signer{Key: i.Key, Chain: i.Chain, TimestampServer: i.TimestampServer}
	}
	var out bytes.Buffer
	if err := xar.Write(&out, archive, in.Version.Time, signer); err != nil {
		return nil, fmt.Errorf("write the package: %w", err)
	}
	return out.Bytes(), nil
}

// write puts a file in place wholly or not at all.
func write(path string, data []byte) error {
	part := path + ".part"
	if err := os.WriteFile(part, data, 0o644); err != nil {
		return err
	}
	if err := os.Rename(part, path); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return nil
}
