package downloads

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/cavaliergopher/rpm"
	"github.com/klauspost/compress/zstd"
)

// maxControl bounds what is unpacked of a package's own description, in bytes.
const maxControl = 4 << 20

// readDEB reads the control file of a Debian package: an ar archive (deb(5)), whose second member has it.
func readDEB(r io.ReaderAt, size int64) (facts, error) {
	const magic, header = 8, 60
	at := int64(magic)
	for range 4 {
		head := make([]byte, header)
		if _, err := r.ReadAt(head, at); err != nil {
			return facts{}, errors.New("it has no control file")
		}
		name := strings.TrimRight(string(head[:16]), " /")
		length, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || length < 0 || length > size-at-header {
			return facts{}, errors.New("a part of it is incomplete")
		}
		if strings.HasPrefix(name, "control.tar") {
			return readControl(name, io.NewSectionReader(r, at+header, length))
		}
		at += header + length + length%2
	}
	return facts{}, errors.New("it has no control file")
}

func readControl(name string, packed io.Reader) (facts, error) {
	var plain io.Reader
	switch name {
	case "control.tar":
		plain = packed
	case "control.tar.gz":
		z, err := gzip.NewReader(packed)
		if err != nil {
			return facts{}, err
		}
		plain = z
	case "control.tar.zst":
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxControl))
		if err != nil {
			return facts{}, err
		}
		defer z.Close()
		plain = z
	default:
		return facts{}, fmt.Errorf("its %.30s is compressed in a way that the farm does not read", name)
	}
	archive := tar.NewReader(io.LimitReader(plain, maxControl))
	for {
		member, err := archive.Next()
		if err != nil {
			return facts{}, errors.New("it has no control file")
		}
		if strings.TrimPrefix(member.Name, "./") != "control" {
			continue
		}
		fields := map[string]string{}
		lines := bufio.NewScanner(archive)
		for lines.Scan() {
			if key, value, is := strings.Cut(lines.Text(), ":"); is {
				fields[key] = strings.TrimSpace(value)
			}
		}
		if err := lines.Err(); err != nil {
			return facts{}, err
		}
		arch, err := processor(fields["Architecture"])
		return facts{name: fields["Package"], version: fields["Version"], arch: arch}, err
	}
}

// readRPM reads the header of an RPM package.
func readRPM(r io.ReaderAt, size int64) (facts, error) {
	head := make([]byte, min(size, maxControl)) // the headers come first; their lengths are not to be trusted
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return facts{}, err
	}
	if err := checkRPM(head); err != nil {
		return facts{}, err
	}
	p, err := rpm.Read(bytes.NewReader(head))
	if err != nil {
		return facts{}, err
	}
	arch, err := processor(p.Architecture())
	version := p.Version()
	if release := p.Release(); release != "" && release != "1" {
		version += "-" + release
	}
	return facts{name: p.Name(), version: version, arch: arch}, err
}

// checkRPM checks the two headers behind the lead of an RPM package (file format of RPM 4): the library makes room for as many values as they
// promise before it looks whether they are there.
func checkRPM(head []byte) error {
	const lead, intro, entry, count = 96, 16, 16, 12
	cut := errors.New("its header is incomplete")
	at := lead
	for range 2 {
		if len(head) < at+intro {
			return cut
		}
		entries, size := int64(binary.BigEndian.Uint32(head[at+8:])), int64(binary.BigEndian.Uint32(head[at+12:]))
		if entries*entry+size > int64(len(head)-at-intro) {
			return cut
		}
		for i := range int(entries) {
			if int64(binary.BigEndian.Uint32(head[at+intro+i*entry+count:])) > size {
				return cut
			}
		}
		at += intro + int(entries)*entry + int(size)
		at += -at & 7 // the signature's header is padded; the lead has a multiple of eight bytes
	}
	return nil
}

// processor is Go's name of a processor that Linux packages name.
func processor(name string) (string, error) {
	switch name {
	case "amd64", "x86_64":
		return "amd64", nil
	case "arm64", "aarch64":
		return "arm64", nil
	}
	return "", fmt.Errorf("it is for the processor %.20q", name)
}
