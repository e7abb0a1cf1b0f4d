package frames

import (
	"errors"
	"fmt"
	"io"
)

// Growth follows a file of frames that another program is writing, or has left unfinished.
type Growth struct {
	Frames int   // complete frames in the file
	First  int   // number of the first frame, when Frames is not 0
	Last   int   // number of the last frame before the first gap in the numbers
	Begin  int64 // offset of the first record, in bytes; 0 before the head is complete
	End    int64 // offset behind the last complete record, in bytes

	head   Head
	gapped bool
}

// Head describes the frames, once End is not 0.
func (g *Growth) Head() Head { return g.head }

// Look finds the records that are complete within the first size bytes and were not before. It does not read the pixels, so that it costs
// the same however large the frames are. The error is ErrFormat for a file that cannot be a file of frames.
func (g *Growth) Look(f io.ReaderAt, size int64) error {
	if g.End == 0 {
		head := io.NewSectionReader(f, 0, size)
		h, err := readHead(head)
		if err != nil {
			if size < int64(len(magic)+4+maxHead) && errors.Is(err, ErrFormat) {
				return nil // the head may not be complete yet
			}
			return err
		}
		at, err := head.Seek(0, io.SeekCurrent)
		if err != nil {
			return fmt.Errorf("read frames: %w", err)
		}
		g.head, g.Begin, g.End = h, at, at
	}
	b := make([]byte, recordHead)
	for g.End+recordHead <= size {
		if _, err := f.ReadAt(b, g.End); err != nil {
			return fmt.Errorf("read frames: %w", err)
		}
		rec, ok := parseRecord(b, maxPacked(g.head.Size()))
		if !ok {
			return fmt.Errorf("%w: there is no record behind %d frames", ErrFormat, g.Frames)
		}
		end := g.End + recordHead + int64(rec.length)
		if end > size {
			return nil
		}
		g.count(rec.number)
		g.End = end
	}
	return nil
}

func (g *Growth) count(number int) {
	switch {
	case g.Frames == 0:
		g.First, g.Last = number, number
	case !g.gapped && number == g.Last+1:
		g.Last = number
	default:
		g.gapped = true
	}
	g.Frames++
}
