package downloads

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"overcrank/coordinator/downloads/downloadstest"
	"overcrank/farm"
)

const (
	goodControl      = "Package: overcrank-agent\nVersion: 0.2.0\nArchitecture: arm64\n"
	goodDistribution = `<installer-gui-script><title>Overcrank Agent</title><product id="studio.overcrank.agent" version="0.2.0"/></installer-gui-script>`
)

func TestPackagesSayWhatTheyAre(t *testing.T) {
	for want, content := range map[farm.Download][]byte{
		{Kind: farm.DownloadPackage, System: "linux", Arch: "arm64", Format: "deb", Version: "0.2.0"}:      downloadstest.DEB(t, goodControl),
		{Kind: farm.DownloadPackage, System: "darwin", Arch: "universal", Format: "pkg", Version: "0.2.0"}: downloadstest.PKG(t, goodDistribution),
	} {
		if got, err := ReadPackage(bytes.NewReader(content), int64(len(content))); err != nil || got != want {
			t.Errorf("%s: %+v, %v", want.Format, got, err)
		}
	}
}

func TestWhatIsNoPackage(t *testing.T) {
	deb, pkg := downloadstest.DEB(t, goodControl), downloadstest.PKG(t, goodDistribution)
	for name, test := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":                    {nil, "is not a package"},
		"a text":                     {[]byte("hello, how are you"), "make packages"},
		"another program":            {downloadstest.DEB(t, "Package: overcrank\nVersion: 1\nArchitecture: amd64\n"), `of "overcrank"`},
		"a processor":                {downloadstest.DEB(t, "Package: overcrank-agent\nVersion: 1\nArchitecture: riscv64\n"), "riscv64"},
		"half a deb":                 {deb[:len(deb)/2], "damaged or incomplete"},
		"half a pkg":                 {pkg[:len(pkg)/2], "damaged or incomplete"},
		"a pkg's head":               {[]byte("xar!\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "damaged"},
		"an msi's head":              {[]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more of it"), "damaged or incomplete"},
		"an rpm's head":              {append([]byte("\xed\xab\xee\xdb\x03\x00"), make([]byte, 200)...), "damaged or incomplete"},
		"an rpm of too many values":  {hungryRPM(), "header is incomplete"},
		"an msi of too many sectors": {hungryMSI(44), "more sectors than it has"},
		"an msi of too many tables":  {hungryMSI(72), "more sectors than it has"},
		"an endless pkg":             {downloadstest.PKG(t, strings.Repeat(" ", maxTable+1)), "too large"},
	} {
		if _, err := ReadPackage(bytes.NewReader(test.content), int64(len(test.content))); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// hungryRPM promises two thousand million numbers in a few bytes.
func hungryRPM() []byte {
	lead := append([]byte("\xed\xab\xee\xdb\x03\x00"), make([]byte, 90)...)
	intro := append([]byte("\x8e\xad\xe8\x01\x00\x00\x00\x00"), 0, 0, 0, 1, 0, 0, 0, 16)
	const int32s = 4
	entry := []byte{0, 0, 3, 0xe8, 0, 0, 0, int32s, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff}
	return slices.Concat(lead, intro, entry, make([]byte, 400))
}

// hungryMSI promises 2^28 sectors at a place of its header.
func hungryMSI(at int) []byte {
	head := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 2000)...)
	binary.LittleEndian.PutUint16(head[30:], 9)
	binary.LittleEndian.PutUint32(head[at:], 1<<28)
	return head
}

// FuzzReadPackage reads packages that anybody may have made.
func FuzzReadPackage(f *testing.F) {
	f.Add(downloadstest.DEB(f, goodControl))
	f.Add(downloadstest.PKG(f, goodDistribution))
	f.Add(append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...))
	f.Add(append([]byte("\xed\xab\xee\xdb\x03\x00"), make([]byte, 200)...))
	f.Fuzz(func(t *testing.T, content []byte) {
		d, err := ReadPackage(bytes.NewReader(content), int64(len(content)))
		if err == nil && (d.System == "" || d.Arch == "") {
			t.Errorf("a package without a system: %+v", d)
		}
	})
}
