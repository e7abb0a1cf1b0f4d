package attempt

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"overcrank/farm"
	"overcrank/frames"
)

// TestNoMoreIsHandedOverThanGoesInTime: of frames for which there is no time the first are kept all the same.
func TestNoMoreIsHandedOverThanGoesInTime(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w, err := frames.NewWriter(&b, frames.Head{Engine: farm.EngineEmbedded, Width: 4, Height: 3, Format: frames.RGBA, RateNum: 25, RateDen: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	ends := make([]int64, 10) // of the frames
	for n := range ends {
		if err := w.Write(n, make([]byte, 4*3*4)); err != nil {
			t.Fatal(err)
		}
		ends[n] = int64(b.Len())
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		kept handover
		want int
	}{
		"all of a range":                      {handover{last: 9}, 9},
		"of a film all but the last":          {handover{last: 9, keepLast: true}, 8},
		"as many as the last piece was quick": {handover{last: 9, speed: float64(ends[4]) / speedReserve}, 4},
		"behind those that came ahead":        {handover{last: 9, sent: ends[2], speed: float64(ends[5]-ends[2]+1) / speedReserve}, 5},
	} {
		c.kept.path = path
		grown, err := c.kept.doneWithin(time.Second)
		if err != nil || grown.First != 0 || grown.Last != c.want || grown.End != ends[c.want] {
			t.Errorf("%s: %d to %d, %v", name, grown.First, grown.Last, err)
		}
	}
}
