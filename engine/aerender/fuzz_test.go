package aerender

import (
	"strings"
	"testing"

	"overcrank/engine/encode"
)

func FuzzFlags(f *testing.F) {
	f.Add("-project a.aep -comp main -output o.mp4 -s 1 -e 2 -i 3 -mfr ON 90 -mem_usage 1 2 -v ERRORS -close DO_NOT_CLOSE", 7)
	f.Add("-mfr\x00OFF -e 9999999999 -output [##]a[#].png", -3)
	f.Fuzz(func(t *testing.T, line string, number int) {
		flags, err := parseFlags(strings.Split(line, " "))
		if err != nil {
			return
		}
		if flags.step < 1 || flags.step > 100 || flags.workers < 0 {
			t.Errorf("%+v", flags)
		}
		name, _, err := encode.ParseName(flags.output, encode.ForFile(flags.output), 5)
		if err == nil && number >= 0 && number < 1<<20 && name.File(number) == "" {
			t.Error("a file without a name")
		}
		timecode(number%1_000_000_000, 29.97, true)
	})
}
