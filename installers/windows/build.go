// Package windows makes the agent's package for Windows, a signed MSI, on Linux: wixl compiles it, msibuild adds what wixl does not know, osslsigncode
// signs the programs and the package, and what came out is read back.
package windows

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"overcrank/installers/version"
	"overcrank/release"
)

// Input is what the package is made of.
type Input struct {
	Dist     string          // the folder that the packages go to
	Version  version.Version // of the programs
	Programs string          // the folder with windows-amd64/overcrank-agent.exe and overcrank-launcher.exe
	Release  string          // folder that the agent's program goes to as well, for updates; "" for none
	Licences string          // a text with the licences of all that the programs are made of
	Signing  Signing         // whose signature; the zero value makes a certificate for tests on the spot
}

//go:embed agent.wxs
var source []byte

// Names in the folder in which the package is made.
const (
	sourceName   = "agent.wxs"
	unsignedName = "agent.msi"
)

// programs are those of the package: what they are called where they are built and on a workstation, and what Windows says that they are.
var programs = []struct{ built, installed, description string }{
	{"overcrank-launcher.exe", "overcrank.exe", "Overcrank"},
	{"overcrank-agent.exe", "overcrank-agent.exe", "Overcrank Agent"},
}

// Build writes the package and what belongs to it, and returns their paths: the MSI, its policy templates, an example of a transform, and the certificate when that is one for tests.
func Build(ctx context.Context, in Input) ([]string, error) {
	work, err := os.MkdirTemp("", "overcrank-msi-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for the package: %w", err)
	}
	defer os.RemoveAll(work)
	signer, err := in.Signing.signer(work)
	if err != nil {
		return nil, err
	}
	contents := sha256.New()
	for _, p := range programs {
		marked, signed := filepath.Join(work, "unsigned-"+p.installed), filepath.Join(work, p.installed)
		if err := mark(filepath.Join(in.Programs, "windows-amd64", p.built), marked, p.installed, p.description, in.Version); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(marked)
		if err != nil {
			return nil, fmt.Errorf("reading the program: %w", err)
		}
		contents.Write(text)
		if err := signer.sign(ctx, marked, signed, p.description); err != nil {
			return nil, err
		}
	}
	if in.Release != "" {
		if err := place(filepath.Join(work, "overcrank-agent.exe"), filepath.Join(in.Release, release.ProgramName("windows", "amd64"))); err != nil {
			return nil, err
		}
	}
	if err := writeIcon(filepath.Join(work, "overcrank.ico")); err != nil {
		return nil, err
	}
	licences, err := os.ReadFile(in.Licences)
	if err != nil {
		return nil, fmt.Errorf("reading the licences: %w", err)
	}
	if err := errors.Join(
		os.WriteFile(filepath.Join(work, "licences.txt"), licences, 0o600),
		os.WriteFile(filepath.Join(work, sourceName), source, 0o600),
	); err != nil {
		return nil, fmt.Errorf("writing what the package is compiled of: %w", err)
	}
	id := identityOf(in.Version, contents.Sum(nil))
	if err := compile(ctx, work, map[string]string{
		"ProductCode": id.product, "AgentComponent": id.agentComponent, "Version": in.Version.Numeric(), "Full": in.Version.String(),
	}); err != nil {
		return nil, err
	}
	unsigned := filepath.Join(work, unsignedName)
	if err := complete(ctx, unsigned, id, in.Version); err != nil {
		return nil, err
	}
	made := filepath.Join(in.Dist, Name(in.Version))
	if err := os.Remove(made); err != nil && !os.IsNotExist(err) {
		return nil, fmt.Errorf("deleting the package before: %w", err)
	}
	if err := signer.sign(ctx, unsigned, made, "Overcrank Agent"); err != nil {
		return nil, err
	}
	if err := check(ctx, made, in.Version); err != nil {
		return nil, fmt.Errorf("reading %s back: %w", made, err)
	}
	policies := filepath.Join(in.Dist, "overcrank-policies.zip")
	if err := writePolicies(policies, in.Version.Time); err != nil {
		return nil, err
	}
	example := filepath.Join(in.Dist, TransformName(in.Version))
	if err := writeExample(ctx, made, example); err != nil {
		return nil, err
	}
	return signer.publish(in.Dist, []string{made, policies, example})
}

// place copies a program.
func place(from, to string) error {
	content, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, content, 0o755)
	}
	if err != nil {
		return fmt.Errorf("putting the program into the release: %w", err)
	}
	return nil
}

// Name is the package's file name. Two underscores would begin an invitation, so it has none.
func Name(v version.Version) string { return "overcrank-agent-" + v.String() + "-x64.msi" }
