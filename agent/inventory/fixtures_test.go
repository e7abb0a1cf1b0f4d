package inventory

import (
	"bytes"
	"context"
	"debug/pe"
	"encoding/binary"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"overcrank/farm"
	"overcrank/ffmpeg"
)

// tree is a machine in a folder: files by the paths that the machine has for them.
type tree struct {
	t testing.TB
	System
	answers map[string]string // of programs, by their words
}

func newTree(t testing.TB, goos, home string) *tree {
	m := &tree{t: t, answers: map[string]string{}}
	env := map[string]string{
		"WINDIR": `C:\Windows`, "ProgramFiles": `C:\Program Files`, "ProgramW6432": `C:\Program Files`,
		"LOCALAPPDATA": home + `\AppData\Local`, "APPDATA": home + `\AppData\Roaming`,
	}
	m.System = System{
		OS: goos, Root: t.TempDir(), Home: home, Env: func(name string) string { return env[name] },
		Ask: func(_ context.Context, program string, args ...string) ([]byte, error) {
			if answer, ok := m.answers[strings.Join(append([]string{program}, args...), " ")]; ok {
				return []byte(answer), nil
			}
			return nil, errors.New("there is no such program")
		},
		Memory: func() int64 { return 64 << 30 },
		Space:  func(string) (int64, int64, error) { return 700 << 30, 1000 << 30, nil },
		Writers: func(context.Context) (ffmpeg.Build, []string, error) {
			return ffmpeg.Build{Path: "/opt/ffmpeg", Version: "7.1", Licence: ffmpeg.LGPL}, []string{"libopenh264", "png"}, nil
		},
	}
	return m
}

func (m *tree) put(path string, content []byte) string {
	m.t.Helper()
	at := m.at(path)
	if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(at, content, 0o600); err != nil {
		m.t.Fatal(err)
	}
	return at
}

func (m *tree) taker() *Taker {
	return New(Config{System: m.System, DataDir: m.t.TempDir(), Engine: "/bin/overcrank", Version: "v1", Slots: 2, Logger: slog.New(slog.DiscardHandler)})
}

func (m *tree) take() Report {
	m.t.Helper()
	report := m.taker().Take(m.t.Context(), maxPatience)
	if !report.Whole {
		m.t.Error("not everything was looked at")
	}
	return report
}

// versions are those of the After Effects of an inventory, betas with a b.
func versions(inv farm.Inventory) []string {
	var list []string
	for _, e := range inv.Engines {
		if e.Kind == farm.EngineAfterEffects {
			version := e.Version
			if e.Beta {
				version += "b"
			}
			list = append(list, version)
		}
	}
	return list
}

func postScript(fonts []farm.FontUse) []string {
	var names []string
	for _, f := range fonts {
		names = append(names, f.PostScript)
	}
	return names
}

// property is one property of a PiPL.
type property struct{ key, value string }

func effectPiPL(match string) []property {
	return []property{{"kind", "eFKT"}, {"name", string(rune(len("Shown"))) + "Shown"}, {"eSVR", "\x0d\x00\x1c\x00"}, {"eMNA", string(rune(len(match))) + match}, {"aeFL", "\x08\x00\x00\x00"}}
}

// pipl makes a PiPL as Windows keeps it, or as macOS does.
func pipl(order binary.AppendByteOrder, properties ...property) []byte {
	code := func(key string) []byte {
		b := []byte(key)
		if order == binary.LittleEndian {
			slices.Reverse(b)
		}
		return b
	}
	var b []byte
	if order == binary.LittleEndian {
		b = order.AppendUint16(b, 1)
	}
	b = order.AppendUint32(b, 0)
	b = order.AppendUint32(b, uint32(len(properties)))
	for _, p := range properties {
		value := []byte(p.value)
		for len(value)%4 != 0 {
			value = append(value, 0)
		}
		b = append(b, code("8BIM")...)
		b = append(b, code(p.key)...)
		b = order.AppendUint32(b, 0)
		b = order.AppendUint32(b, uint32(len(value)))
		b = append(b, value...)
	}
	return b
}

// resource is one resource of a Windows program.
type resource struct {
	kind any // a string or a number
	data []byte
}

// program makes a Windows program that consists of resources only.
func program(t *testing.T, resources ...resource) []byte {
	t.Helper()
	const address, rawAt = 0x1000, 0x200
	section := resourceSection(resources, address)
	var b bytes.Buffer
	write := func(v any) {
		if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
	}
	head := make([]byte, 0x40)
	copy(head, "MZ")
	head[0x3C] = 0x40
	b.Write(head)
	b.WriteString("PE\x00\x00")
	optional := pe.OptionalHeader64{Magic: 0x20b, NumberOfRvaAndSizes: 16}
	optional.DataDirectory[resourceSlot] = pe.DataDirectory{VirtualAddress: address, Size: uint32(len(section))}
	write(pe.FileHeader{Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(binary.Size(optional))})
	write(optional)
	name := [8]uint8{}
	copy(name[:], ".rsrc")
	write(pe.SectionHeader32{Name: name, VirtualSize: uint32(len(section)), VirtualAddress: address, SizeOfRawData: uint32(len(section)), PointerToRawData: rawAt})
	b.Write(make([]byte, rawAt-b.Len()))
	b.Write(section)
	return b.Bytes()
}

// resourceSection lays each resource out as a kind with one name with one language.
func resourceSection(resources []resource, address uint32) []byte {
	const table, entry, leaf = 16, 8, 16
	var texts, data []byte
	n := len(resources)
	textsAt := table + n*entry + n*2*(table+entry) + n*leaf
	for _, r := range resources {
		if text, ok := r.kind.(string); ok {
			texts = binary.LittleEndian.AppendUint16(texts, uint16(len(text)))
			for _, unit := range utf16.Encode([]rune(text)) {
				texts = binary.LittleEndian.AppendUint16(texts, unit)
			}
		}
	}
	dataAt := textsAt + len(texts)
	root := tableHead(n)
	var inner, leaves []byte
	textAt := textsAt
	for i, r := range resources {
		id := uint32(0)
		switch kind := r.kind.(type) {
		case int:
			id = uint32(kind)
		case string:
			id = uint32(textAt) | resourceBranch
			textAt += 2 + 2*len(kind)
		}
		nameTable := table + n*entry + i*2*(table+entry)
		root = binary.LittleEndian.AppendUint32(root, id)
		root = binary.LittleEndian.AppendUint32(root, uint32(nameTable)|resourceBranch)
		inner = append(inner, tableHead(1)...)
		inner = binary.LittleEndian.AppendUint32(inner, 16000)
		inner = binary.LittleEndian.AppendUint32(inner, uint32(nameTable+table+entry)|resourceBranch)
		inner = append(inner, tableHead(1)...)
		inner = binary.LittleEndian.AppendUint32(inner, 1033)
		inner = binary.LittleEndian.AppendUint32(inner, uint32(table+n*entry+n*2*(table+entry)+i*leaf))
		leaves = binary.LittleEndian.AppendUint32(leaves, address+uint32(dataAt+len(data)))
		leaves = binary.LittleEndian.AppendUint32(leaves, uint32(len(r.data)))
		leaves = append(leaves, make([]byte, 8)...)
		data = append(data, r.data...)
	}
	return slices.Concat(root, inner, leaves, texts, data)
}

func tableHead(entries int) []byte {
	head := make([]byte, 16)
	binary.LittleEndian.PutUint16(head[14:], uint16(entries))
	return head
}

// versionResource is a VS_VERSIONINFO.
func versionResource(major, minor, patch, build uint16) resource {
	b := append([]byte{0, 0, 0x34, 0}, make([]byte, 36)...)
	b = append(b, fixedFileInfo...)
	for _, v := range []uint32{0x10000, uint32(major)<<16 | uint32(minor), uint32(patch)<<16 | uint32(build)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return resource{kind: rtVersion, data: append(b, make([]byte, 36)...)}
}

// fork makes a resource file with resources of one type beside another one.
func fork(kind string, resources ...[]byte) []byte {
	const dataAt = 256
	var data, refs []byte
	for i, r := range append(resources, []byte("other")) {
		refs = binary.BigEndian.AppendUint16(refs, uint16(16000+i))
		refs = binary.BigEndian.AppendUint16(refs, 0xFFFF)
		refs = binary.BigEndian.AppendUint32(refs, uint32(len(data)))
		refs = binary.BigEndian.AppendUint32(refs, 0)
		data = binary.BigEndian.AppendUint32(data, uint32(len(r)))
		data = append(data, r...)
	}
	types := binary.BigEndian.AppendUint16(nil, 1)
	for i, name := range []string{kind, "vers"} {
		n, at := len(resources), 2+2*forkTypeSize
		if i == 1 {
			n, at = 1, at+forkRefSize*len(resources)
		}
		types = append(types, name...)
		types = binary.BigEndian.AppendUint16(types, uint16(n-1))
		types = binary.BigEndian.AppendUint16(types, uint16(at))
	}
	index := make([]byte, 28)
	binary.BigEndian.PutUint16(index[forkTypeList:], 28)
	index = slices.Concat(index, types, refs)
	head := binary.BigEndian.AppendUint32(nil, dataAt)
	head = binary.BigEndian.AppendUint32(head, uint32(dataAt+len(data)))
	head = binary.BigEndian.AppendUint32(head, uint32(len(data)))
	head = binary.BigEndian.AppendUint32(head, uint32(len(index)))
	return slices.Concat(head, make([]byte, dataAt-len(head)), data, index)
}
