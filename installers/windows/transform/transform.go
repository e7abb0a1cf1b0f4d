// Package transform writes Windows Installer transforms that give a package answers: what msiexec takes as PROPERTY=value, for Group Policy, which has no
// command line. No tool on Linux makes transforms (msitools reads them, wine's MsiDatabaseGenerateTransform is empty), and this one needs a single table.
package transform

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Property is an answer.
type Property struct{ Name, Value string }

// Base is what a transform is made for: all packages with the upgrade code, of whichever version.
type Base struct {
	ProductCode string // of one of them
	Version     string
	UpgradeCode string
}

// ErrProperty is the error for a property that no transform can set.
var ErrProperty = errors.New("not a public property with a value")

var publicProperty = regexp.MustCompile(`^[A-Z][A-Z0-9_.]{0,71}$`)

const longestValue = 1024 // far more than any answer has

// Make writes the transform that adds properties.
func Make(base Base, properties []Property) ([]byte, error) {
	var strs pool
	var rows bytes.Buffer
	seen := map[string]bool{}
	for _, p := range properties {
		if !publicProperty.MatchString(p.Name) || p.Value == "" || len(p.Value) > longestValue || strings.ContainsAny(p.Value, "\x00\r\n") || seen[p.Name] {
			return nil, fmt.Errorf("%q: %w, given once", p.Name, ErrProperty)
		}
		for _, c := range p.Value {
			if c > 0x7e {
				return nil, fmt.Errorf("the value of %s has letters beyond ASCII: %w", p.Name, ErrProperty)
			}
		}
		seen[p.Name] = true
		const insert = 1       // the row is added
		const columns = 2 << 8 // with so many columns
		little(&rows, uint16(insert|columns), strs.reference(p.Name), strs.reference(p.Value))
	}
	if rows.Len() == 0 {
		return nil, fmt.Errorf("no answers: %w", ErrProperty)
	}
	poolStream, dataStream := strs.streams()
	streams := []stream{
		{"\x05SummaryInformation", summary(base)},
		{tableName("_StringPool"), poolStream}, {tableName("_StringData"), dataStream}, {tableName("Property"), rows.Bytes()},
	}
	for _, s := range streams {
		if len(s.data) >= miniCutoff {
			return nil, fmt.Errorf("the answers are longer than a transform of one table may be: %d bytes", len(s.data))
		}
	}
	return compoundFile(class, streams), nil
}

// class is that of a storage with a transform, {000C1082-0000-0000-C000-000000000046}.
var class = [16]byte{0x82, 0x10, 0x0c, 0, 0, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0x46}

// pool holds the strings of a database, which rows refer to by number from 1.
type pool struct {
	texts []string
	uses  []uint16
}

func (p *pool) reference(text string) uint16 {
	for i, known := range p.texts {
		if known == text {
			p.uses[i]++
			return uint16(i + 1)
		}
	}
	p.texts, p.uses = append(p.texts, text), append(p.uses, 1)
	return uint16(len(p.texts))
}

const codepage = 1252

// streams are the pool's lengths and counts, and its letters.
func (p *pool) streams() (lengths, letters []byte) {
	var pool, data bytes.Buffer
	little(&pool, uint32(codepage))
	for i, text := range p.texts {
		little(&pool, uint16(len(text)), p.uses[i])
		data.WriteString(text)
	}
	return pool.Bytes(), data.Bytes()
}

// tableName is the name of a table's stream: Windows Installer packs two letters into one, behind a mark.
func tableName(name string) string {
	const mark, pair, single = 0x4840, 0x3800, 0x4800
	const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz._"
	packed := []rune{mark}
	for i := 0; i < len(name); i += 2 {
		first := strings.IndexByte(letters, name[i])
		if i+1 == len(name) {
			packed = append(packed, rune(single+first))
			break
		}
		packed = append(packed, rune(pair+first+strings.IndexByte(letters, name[i+1])<<6))
	}
	return string(packed)
}

// summary is the property set that says what the transform fits.
func summary(base Base) []byte {
	const (
		numberShort, numberLong, text = 2, 3, 30

		validateUpgradeCode = 0x800 // the package has the upgrade code; versions and product codes may be others
		ignoreErrors        = 0x1f  // rows and tables that are there already, or not there
	)
	type property struct {
		id, kind uint32
		number   int32
		text     string
	}
	properties := []property{
		{1, numberShort, codepage, ""}, {2, text, 0, "Transform"}, {3, text, 0, "Answers for the Overcrank agent"}, {4, text, 0, "Overcrank"},
		{7, text, 0, "x64;1033"}, {8, text, 0, "x64;1033"},
		{9, text, 0, base.ProductCode + base.Version + ";" + base.ProductCode + base.Version + ";" + base.UpgradeCode},
		{14, numberLong, 500, ""}, {16, numberLong, validateUpgradeCode<<16 | ignoreErrors, ""}, {19, numberLong, 4, ""},
	}
	var values, index bytes.Buffer
	for _, p := range properties {
		little(&index, p.id, uint32(8+8*len(properties)+values.Len()))
		little(&values, p.kind)
		if p.kind == text {
			little(&values, uint32(len(p.text)+1))
			values.WriteString(p.text + "\x00")
			for values.Len()%4 != 0 {
				values.WriteByte(0)
			}
			continue
		}
		little(&values, p.number)
	}
	var b bytes.Buffer
	little(&b, uint16(0xfffe), uint16(0), uint32(0x00020005)) // byte order, format, system
	b.Write(make([]byte, 16))
	little(&b, uint32(1))
	b.Write([]byte{0xe0, 0x85, 0x9f, 0xf2, 0xf9, 0x4f, 0x68, 0x10, 0xab, 0x91, 0x08, 0x00, 0x2b, 0x27, 0xb3, 0xd9}) // FMTID_SummaryInformation
	little(&b, uint32(48), uint32(8+index.Len()+values.Len()), uint32(len(properties)))
	b.Write(index.Bytes())
	b.Write(values.Bytes())
	return b.Bytes()
}
