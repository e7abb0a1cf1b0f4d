package farm

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"overcrank/farm/names"
)

// Download is a file that the farm keeps and hands out: a package that machines are installed with, or an ffmpeg. Its hash is its id.
type Download struct {
	Kind    DownloadKind `json:"kind"`
	System  string       `json:"system"`  // windows, darwin, linux
	Arch    string       `json:"arch"`    // amd64, arm64, universal
	Format  string       `json:"format"`  // one of DownloadFormats
	Version string       `json:"version"` // as the file says it
	File    FileRef      `json:"file"`
	AddedAt time.Time    `json:"addedAt"`
	AddedBy string       `json:"addedBy,omitempty"` // who added it; or the coordinator's folder in which it was found
}

// DownloadKind says what a download is for.
type DownloadKind string

// The kinds of downloads.
const (
	DownloadPackage DownloadKind = "package" // of the agent: people install machines with it
	DownloadFFmpeg  DownloadKind = "ffmpeg"  // machines fetch it by themselves
)

// DownloadKinds are all kinds.
func DownloadKinds() []DownloadKind { return []DownloadKind{DownloadPackage, DownloadFFmpeg} }

// DownloadFormats are the formats that a kind of download comes in, as its file's name ends.
func DownloadFormats(kind DownloadKind) []string {
	if kind == DownloadFFmpeg {
		return []string{"zip", "tar.gz", "tar.xz"}
	}
	return []string{"msi", "pkg", "deb", "rpm"}
}

// maxDownloadWord bounds names and versions of downloads, in bytes.
const maxDownloadWord = 200

// Problems are what is wrong with a download, in the order of its fields.
func (d Download) Problems() []FieldError {
	var wrong problems
	kinds, systems, archs := DownloadKinds(), []string{"windows", "darwin", "linux"}, []string{"amd64", "arm64", "universal"}
	wrong.add(!slices.Contains(kinds, d.Kind), "kind", "has to be %s or %s", kinds[0], kinds[1])
	wrong.add(!slices.Contains(systems, d.System), "system", "has to be one of %s", strings.Join(systems, ", "))
	wrong.add(!slices.Contains(archs, d.Arch), "arch", "has to be one of %s", strings.Join(archs, ", "))
	formats := DownloadFormats(d.Kind)
	wrong.add(!slices.Contains(formats, d.Format), "format", "has to be one of %s", strings.Join(formats, ", "))
	wrong.add(len(d.Version) > maxDownloadWord || !names.IsLabel(d.Version), "version", "has to be a line of at most %d bytes", maxDownloadWord)
	wrong.add(len(d.File.Name) > maxDownloadWord || !names.IsElement(d.File.Name), "name", "has to be a plain file name of at most %d bytes", maxDownloadWord)
	return wrong
}

// Replaces tells whether a download takes the place of another: it is the same version for the same machines.
func (d Download) Replaces(other Download) bool {
	return d.Kind == other.Kind && d.System == other.System && d.Arch == other.Arch && d.Format == other.Format && d.Version == other.Version
}

// SortDownloads sorts downloads by kind, system, format and processor, the latest first.
func SortDownloads(list []Download) {
	slices.SortFunc(list, func(a, b Download) int {
		return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(a.System, b.System), cmp.Compare(a.Format, b.Format), cmp.Compare(a.Arch, b.Arch),
			b.AddedAt.Compare(a.AddedAt), cmp.Compare(a.File.SHA256, b.File.SHA256))
	})
}
