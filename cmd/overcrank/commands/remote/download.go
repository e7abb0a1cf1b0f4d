package remote

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/farm/names"
)

// Download writes what is at address to a file and prints its path, or, for "-", to standard output.
func Download(ctx context.Context, c *client.Client, address, path string, out *terminal.Output) error {
	if path == "-" {
		return c.DownloadTo(ctx, address, out, nil)
	}
	b := out.Bar("downloading")
	err := c.Download(ctx, address, path, b.Bytes)
	b.End()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, path)
	return err
}

// Folder takes results that are downloaded together.
type Folder struct {
	Dir       string
	Overwrite bool
	files     names.Files
	made      bool
}

// Fetch downloads a result as a file called name, or else as its job is identified. A file that is there already stays.
func (f *Folder) Fetch(ctx context.Context, c *client.Client, address, name, id string, out *terminal.Output) error {
	if !f.made {
		if err := os.MkdirAll(f.Dir, 0o755); err != nil {
			return err
		}
		f.made = true
	}
	path := filepath.Join(f.Dir, f.files.Name(name, id, filepath.Ext(AddressBase(address))))
	if _, err := os.Lstat(path); err == nil && !f.Overwrite {
		out.Remark("%s is there already and stays as it is (--overwrite replaces it)", path)
		return nil
	}
	return Download(ctx, c, address, path, out)
}

// AddressBase is the last part of an address, without what asks and signs.
func AddressBase(address string) string {
	address, _, _ = strings.Cut(address, "?")
	address, _, _ = strings.Cut(address, "#")
	return path.Base(address)
}
