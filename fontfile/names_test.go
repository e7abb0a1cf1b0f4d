package fontfile_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"golang.org/x/image/font/gofont/goregular"

	"overcrank/fontfile"
)

func TestNamesOfHostileFilesAreNone(t *testing.T) {
	huge := bytes.Clone(goregular.TTF)
	binary.BigEndian.PutUint32(table(huge, "name")[12:], 0xFFFFFFF0)
	for what, content := range map[string][]byte{
		"empty": nil, "a head": goregular.TTF[:12], "cut": goregular.TTF[:200], "no names": without(goregular.TTF, "name"), "names of 4 GiB": huge,
		"many fonts": {'t', 't', 'c', 'f', 0, 1, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF},
	} {
		if names := fontfile.Names(bytes.NewReader(content), int64(len(content))); len(names) != 0 {
			t.Errorf("%s: %+v", what, names)
		}
	}
}
