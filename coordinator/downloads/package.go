package downloads

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"overcrank/farm"
)

// agentPackage is what the agent's packages call themselves.
const agentPackage = "overcrank-agent"

// refused is why a file is no package of the agent. It completes a sentence that begins with the file's name.
type refused struct{ why farm.Text }

func (r refused) Error() string { return r.why.String() }

// facts are what a package says of itself.
type facts struct{ name, version, arch string }

// ReadPackage reads what a package of the agent is: its system, processor, format and version. The error says why a file is none.
func ReadPackage(r io.ReaderAt, size int64) (farm.Download, error) {
	head := make([]byte, 8)
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return farm.Download{}, fmt.Errorf("reading a package: %w", err)
	}
	var d farm.Download
	var read func(io.ReaderAt, int64) (facts, error)
	switch {
	case bytes.HasPrefix(head, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")):
		d, read = farm.Download{System: "windows", Format: "msi"}, readMSI
	case bytes.HasPrefix(head, []byte("xar!")):
		d, read = farm.Download{System: "darwin", Format: "pkg"}, readPKG
	case bytes.HasPrefix(head, []byte("!<arch>\n")):
		d, read = farm.Download{System: "linux", Format: "deb"}, readDEB
	case bytes.HasPrefix(head, []byte("\xed\xab\xee\xdb")):
		d, read = farm.Download{System: "linux", Format: "rpm"}, readRPM
	default:
		return farm.Download{}, refused{farm.Say("is not a package: the farm takes .msi, .pkg, .deb and .rpm, as 'make packages' writes them to dist/")}
	}
	said, err := read(r, size)
	var why refused
	switch {
	case errors.As(err, &why):
		return farm.Download{}, why
	case err != nil:
		return farm.Download{}, refused{farm.Say("cannot be read as a .%s (%v): it is damaged or incomplete", d.Format, err)}
	case said.name != agentPackage:
		return farm.Download{}, refused{farm.Say("is a package of %.60q, and machines are installed with %s", said.name, agentPackage)}
	}
	d.Kind, d.Version, d.Arch = farm.DownloadPackage, said.version, said.arch
	return d, nil
}
