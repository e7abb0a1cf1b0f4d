package agents

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/commands/remote"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/coordinator/downloads"
	"overcrank/farm"
	"overcrank/farm/wording"
)

// packages are the commands below overcrank agents packages.
type packages struct {
	List   listPackages   `cmd:"" default:"withargs" help:"List the packages that the farm keeps."`
	Add    addPackages    `cmd:"" help:"Add packages to the farm."`
	Remove removePackages `cmd:"" help:"Remove packages from the farm. Machines that were installed with them stay."`
}

type listPackages struct{ remote.Flags }

// Run lists the packages.
func (l listPackages) Run(ctx context.Context, out *terminal.Output) error {
	c, err := l.Client()
	if err != nil {
		return err
	}
	all, err := packagesOf(ctx, c)
	return l.Print(out, all, err, func() error {
		return out.List(packageTable(all.Items...), "No packages. 'make packages' writes them to dist/. Add them with: overcrank agents packages add dist/")
	})
}

// packagesOf lists the packages among what the farm hands out.
func packagesOf(ctx context.Context, c *client.Client) (client.List[client.Download], error) {
	all, err := c.Downloads(ctx)
	all.Items = slices.DeleteFunc(all.Items, func(d client.Download) bool { return d.Kind != string(farm.DownloadPackage) })
	return all, err
}

func packageTable(list ...client.Download) *terminal.Table {
	t := terminal.NewTable("PACKAGE", "VERSION", "SYSTEM", "PROCESSOR", "SIZE", "ADDED", "BY")
	for _, d := range list {
		t.Row(d.Name, d.Version, d.System, d.Arch, wording.Size(d.Size), terminal.LocalTime(d.AddedAt), d.AddedBy)
	}
	return t
}

type addPackages struct {
	Files []string `arg:"" name:"file" type:"path" help:"Packages, or folders with packages, such as dist/."`
	remote.Flags
}

func (addPackages) Help() string {
	return `From a folder it adds the agent's .msi, .pkg, .deb and .rpm files, and checks them against its SHA256SUMS. A package takes the place of one of the same version.

    make packages
    overcrank agents packages add dist/`
}

// Run adds packages. All files are looked at before the first one is sent.
func (a addPackages) Run(ctx context.Context, out *terminal.Output) error {
	var files []packageFile
	for _, path := range a.Files {
		found, err := packageFiles(path)
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	c, err := a.Client()
	if err != nil {
		return err
	}
	made := client.List[client.Download]{}
	for _, f := range files {
		b := out.Bar("uploading " + filepath.Base(f.path))
		err := c.SendDownload(ctx, f.sha256, f.path, b.Bytes)
		b.End()
		if err != nil {
			return err
		}
		d, err := c.AddDownload(ctx, client.NewDownload{Kind: string(farm.DownloadPackage), Name: filepath.Base(f.path), SHA256: f.sha256})
		if err != nil {
			return err
		}
		made.Items = append(made.Items, d)
	}
	if a.JSON {
		return out.Indented(made.Items)
	}
	return out.Table(packageTable(made.Items...))
}

// packageFile is a package of the agent on this machine.
type packageFile struct{ path, sha256 string }

// packageFiles finds the packages that a path names: itself, or those in the folder.
func packageFiles(path string) ([]packageFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		f, err := readPackageFile(path)
		return []packageFile{f}, err
	}
	sums, err := checksums(filepath.Join(path, "SHA256SUMS"))
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var files []packageFile
	for _, entry := range entries {
		ending := strings.TrimPrefix(filepath.Ext(entry.Name()), ".")
		if !entry.Type().IsRegular() || !strings.HasPrefix(entry.Name(), "overcrank-agent") || !slices.Contains(farm.DownloadFormats(farm.DownloadPackage), ending) {
			continue
		}
		f, err := readPackageFile(filepath.Join(path, entry.Name()))
		if err != nil {
			return nil, err
		}
		if want := sums[entry.Name()]; want != "" && want != f.sha256 {
			return nil, fmt.Errorf("%s is not the file that SHA256SUMS beside it names: make the packages again", f.path)
		}
		files = append(files, f)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s holds no package of the agent (overcrank-agent….msi, .pkg, .deb or .rpm): make them with 'make packages'", path)
	}
	return files, nil
}

func readPackageFile(path string) (f packageFile, err error) {
	file, err := os.Open(path)
	if err != nil {
		return f, err
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return f, err
	}
	if _, err := downloads.ReadPackage(file, info.Size()); err != nil {
		return f, fmt.Errorf("%s %w", path, err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return f, fmt.Errorf("reading %s: %w", path, err)
	}
	return packageFile{path: path, sha256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// checksums reads a file as sha256sum writes it: hashes by name; none when there is no such file.
func checksums(path string) (map[string]string, error) {
	sums := map[string]string{}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return sums, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // only read
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if sum, name, is := strings.Cut(lines.Text(), " "); is {
			sums[strings.TrimLeft(name, " *")] = sum
		}
	}
	return sums, lines.Err()
}

type removePackages struct {
	Packages []string `arg:"" name:"package" help:"Names or SHA-256 of the packages."`
	remote.Farm
}

// Run removes packages.
func (r removePackages) Run(ctx context.Context, out *terminal.Output) error {
	c, err := r.Client()
	if err != nil {
		return err
	}
	all, err := packagesOf(ctx, c)
	if err != nil {
		return err
	}
	return remote.DeleteAll(r.Packages, "removed", out, func(ref string) (string, error) {
		for _, d := range all.Items {
			if d.Name == ref || d.SHA256 == ref {
				return d.SHA256, nil
			}
		}
		return "", fmt.Errorf("the farm has no package %q: overcrank agents packages lists them", ref)
	}, func(sha256 string) error { return c.RemoveDownload(ctx, sha256) })
}
