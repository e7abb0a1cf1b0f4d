package variants

import (
	"bytes"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"overcrank/farm"
)

// SheetLimit is the largest table that is read, in bytes.
const SheetLimit = 64 << 20

// readText reads all of r as UTF-8 with single line feeds. Spreadsheets save UTF-8 with and without a byte order mark,
// and UTF-16 in either order ("Unicode text"). Anything else is taken for Windows-1252; remark says so, since that is a
// guess. A workbook (.xlsx) becomes CSV.
func readText(r io.Reader) (text []byte, remark farm.Text, err error) {
	raw, err := io.ReadAll(io.LimitReader(r, SheetLimit+1))
	if err != nil {
		return nil, remark, farm.Errorf(farm.CodeInvalid, "the table cannot be read; give it again").Because(err)
	}
	if len(raw) > SheetLimit {
		return nil, remark, farm.Errorf(farm.CodeInvalid, "the table is larger than %d MiB", SheetLimit>>20)
	}
	switch {
	case bytes.HasPrefix(raw, []byte("PK\x03\x04")):
		return textOfWorkbook(raw)
	case bytes.HasPrefix(raw, []byte("\xd0\xcf\x11\xe0")):
		return nil, remark, farm.Errorf(farm.CodeInvalid, "this is a workbook of an old format, or one with a password: save it as .xlsx without one (in Excel: File › Save As › Excel Workbook)")
	}
	switch {
	case bytes.HasPrefix(raw, []byte{0xef, 0xbb, 0xbf}):
		raw = raw[3:]
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}), evenZeros(raw, 1):
		raw, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}), evenZeros(raw, 0):
		raw, err = unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder().Bytes(raw)
	}
	if err != nil {
		return nil, remark, farm.Errorf(farm.CodeInvalid, "the table is not valid UTF-16; save it again as UTF-8").Because(err)
	}
	if !utf8.Valid(raw) {
		remark = farm.Say("The table is not UTF-8; it is read as Windows-1252.")
		if raw, err = charmap.Windows1252.NewDecoder().Bytes(raw); err != nil {
			return nil, remark, farm.Errorf(farm.CodeInvalid, "the table is neither UTF-8 nor Windows-1252; save it again as UTF-8").Because(err)
		}
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, remark, farm.Errorf(farm.CodeInvalid, "the table contains zero bytes; save it as CSV or .xlsx")
	}
	raw = bytes.ReplaceAll(raw, []byte("\r\n"), []byte("\n"))
	return bytes.ReplaceAll(raw, []byte("\r"), []byte("\n")), remark, nil
}

// evenZeros recognises UTF-16 without a byte order mark: in text that is mostly Latin, every second byte at the
// beginning, from at on, is zero.
func evenZeros(raw []byte, at int) bool {
	const look = 16
	if len(raw) < look {
		return false
	}
	for i := at; i < look; i += 2 {
		if raw[i] != 0 {
			return false
		}
	}
	return true
}
