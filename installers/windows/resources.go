package windows

import (
	"fmt"
	"image"
	"os"
	"strconv"
	"strings"

	"github.com/tc-hib/winres"
	winversion "github.com/tc-hib/winres/version"

	"overcrank/installers/version"
)

// mark writes a copy of a program with the icon, the version and the manifest that Windows shows and obeys.
func mark(from, to, name, description string, v version.Version) error {
	icon, err := newIcon()
	if err != nil {
		return err
	}
	var resources winres.ResourceSet
	if err := resources.SetIcon(winres.ID(1), icon); err != nil {
		return fmt.Errorf("putting in the icon: %w", err)
	}
	resources.SetManifest(winres.AppManifest{
		Description: description, Compatibility: winres.Win10AndAbove, ExecutionLevel: winres.AsInvoker,
		DPIAwareness: winres.DPIPerMonitorV2, LongPathAware: true, UseCommonControlsV6: true,
	})
	info, err := versionInfo(name, description, v)
	if err != nil {
		return err
	}
	resources.SetVersionInfo(info)

	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("opening the program to put its resources in: %w", err)
	}
	defer source.Close()
	marked, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return fmt.Errorf("making the program with resources: %w", err)
	}
	if err := resources.WriteToEXE(marked, source); err != nil {
		_ = marked.Close()
		return fmt.Errorf("putting resources into %s: %w", from, err)
	}
	return marked.Close()
}

func newIcon() (*winres.Icon, error) {
	var images []image.Image
	for _, size := range iconSizes {
		images = append(images, drawIcon(size))
	}
	icon, err := winres.NewIconFromImages(images)
	if err != nil {
		return nil, fmt.Errorf("making the icon: %w", err)
	}
	return icon, nil
}

func writeIcon(path string) error {
	icon, err := newIcon()
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("making the icon's file: %w", err)
	}
	if err := icon.SaveICO(f); err != nil {
		_ = f.Close()
		return fmt.Errorf("writing the icon: %w", err)
	}
	return f.Close()
}

// versionInfo is what the properties of a program show, and what Windows Installer compares.
func versionInfo(name, description string, v version.Version) (winversion.Info, error) {
	numbers, err := fourNumbers(v)
	if err != nil {
		return winversion.Info{}, err
	}
	info := winversion.Info{FileVersion: numbers, ProductVersion: numbers, Type: winversion.App}
	for key, value := range map[string]string{
		winversion.CompanyName: "Overcrank", winversion.ProductName: "Overcrank", winversion.FileDescription: description,
		winversion.FileVersion: v.String(), winversion.ProductVersion: v.String(), winversion.OriginalFilename: name,
		winversion.LegalCopyright: "Apache License 2.0",
	} {
		if err := info.Set(winversion.LangDefault, key, value); err != nil {
			return winversion.Info{}, fmt.Errorf("setting %s of the version: %w", key, err)
		}
	}
	return info, nil
}

// fourNumbers is a version as programs carry it: Windows Installer's three numbers, and 0.
func fourNumbers(v version.Version) (numbers [4]uint16, err error) {
	for i, text := range strings.Split(v.Numeric(), ".") {
		n, err := strconv.ParseUint(text, 10, 16)
		if err != nil || i > 2 {
			return numbers, fmt.Errorf("%q is not a version of three numbers", v.Numeric())
		}
		numbers[i] = uint16(n)
	}
	return numbers, nil
}
