package downloads

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// maxTable bounds what is unpacked of a package's table of contents and of its Distribution, in bytes.
const maxTable = 4 << 20

// readPKG reads the Distribution of a macOS package, which is a xar archive: a header, a table of contents packed by zlib, and a heap of files.
func readPKG(r io.ReaderAt, size int64) (facts, error) {
	head := make([]byte, 28)
	if _, err := r.ReadAt(head, 0); err != nil {
		return facts{}, errors.New("it has no table of contents")
	}
	start, length := int64(binary.BigEndian.Uint16(head[4:])), binary.BigEndian.Uint64(head[8:])
	if start < 28 || length > maxTable || start+int64(length) > size {
		return facts{}, errors.New("its table of contents is incomplete")
	}
	table, err := inflate(io.NewSectionReader(r, start, int64(length)))
	if err != nil {
		return facts{}, err
	}
	var contents struct {
		Files []struct {
			Name string `xml:"name"`
			Data struct {
				Offset   int64 `xml:"offset"`
				Length   int64 `xml:"length"`
				Encoding struct {
					Style string `xml:"style,attr"`
				} `xml:"encoding"`
			} `xml:"data"`
		} `xml:"toc>file"`
	}
	if err := xml.Unmarshal(table, &contents); err != nil {
		return facts{}, err
	}
	heap := start + int64(length)
	for _, f := range contents.Files {
		if f.Name != "Distribution" {
			continue
		}
		if f.Data.Offset < 0 || f.Data.Length < 0 || f.Data.Length > maxTable || f.Data.Offset > size || heap+f.Data.Offset+f.Data.Length > size {
			return facts{}, errors.New("its Distribution is incomplete")
		}
		section := io.NewSectionReader(r, heap+f.Data.Offset, f.Data.Length)
		text, err := io.ReadAll(section)
		if strings.HasSuffix(f.Data.Encoding.Style, "gzip") { // which xar says of zlib
			text, err = inflate(bytes.NewReader(text))
		}
		if err != nil {
			return facts{}, err
		}
		return distribution(text)
	}
	return facts{}, errors.New("it has no Distribution")
}

func inflate(r io.Reader) ([]byte, error) {
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(io.LimitReader(z, maxTable+1))
	if err == nil && len(text) > maxTable {
		err = errors.New("a part of it is too large")
	}
	return text, err
}

// distribution reads the product of an installer's script.
func distribution(text []byte) (facts, error) {
	var script struct {
		Product struct {
			ID      string `xml:"id,attr"`
			Version string `xml:"version,attr"`
		} `xml:"product"`
		Title string `xml:"title"`
	}
	if err := xml.Unmarshal(text, &script); err != nil {
		return facts{}, err
	}
	said := facts{name: script.Product.ID, version: script.Product.Version, arch: "universal"}
	if said.name == "studio.overcrank.agent" {
		said.name = agentPackage
	}
	return said, nil
}
