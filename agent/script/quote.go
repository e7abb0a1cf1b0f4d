package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
)

// maxDepth bounds how deep a value may nest.
const maxDepth = 64

// Quote writes s as a string literal of ES3. Everything outside printable ASCII is escaped, so that neither the file's
// encoding nor U+2028 and U+2029, which end a line in ES3, can change what the script says. Bytes that are no UTF-8 become
// U+FFFD.
func Quote(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r >= 0x20 && r < 0x7f:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, hi, lo)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// quotePath writes an absolute path as a literal for ExtendScript's File, which takes it for an address and undoes its escapes: without a
// sign for the percent sign itself, the name "%2e%2e%2fx" would lead out of its folder, and "100%25.png" to another file.
func quotePath(path string) string {
	return Quote(strings.ReplaceAll(filepath.ToSlash(path), "%", "%25"))
}

// Literal writes a JSON value as a literal of ES3. Nothing of the value is copied unread.
func Literal(raw json.RawMessage) (string, error) {
	if len(raw) == 0 {
		return "null", nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return "", fmt.Errorf("reading a value: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return "", errors.New("reading a value: something follows it")
	}
	var b strings.Builder
	if err := writeLiteral(&b, v, 0); err != nil {
		return "", err
	}
	return b.String(), nil
}

func writeLiteral(b *strings.Builder, v any, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("a value nests deeper than %d", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		fmt.Fprintf(b, "%t", v)
	case json.Number:
		// The parentheses keep a negative number from meeting an operator.
		b.WriteString("(" + v.String() + ")")
	case string:
		b.WriteString(Quote(v))
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeLiteral(b, e, depth+1); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		return writeObject(b, v, depth)
	}
	return nil
}

func writeObject(b *strings.Builder, v map[string]any, depth int) error {
	keys := make([]string, 0, len(v))
	for k := range v {
		if k != "__proto__" { // in a literal it would set the prototype
			keys = append(keys, k)
		}
	}
	sort.Strings(keys)
	b.WriteByte('{')
	for i, k := range keys {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(Quote(k) + ":")
		if err := writeLiteral(b, v[k], depth+1); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}
