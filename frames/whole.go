package frames

import (
	"errors"
	"fmt"
	"io"
)

// Growth follows a file of frames that another program still writes, or has left unfinished.
type Growth struct {
	Frames int   // that are whole
	First  int   // number of the first of them, when there is one
	Last   int   // number of the last of them without a gap since First
	Begin  int64 // of the first record, in bytes from the file's beginning; 0 before the head is whole
	End    int64 // of the last whole record, counted likewise

	head   Head
	gapped bool
}

// Head is what all frames have in common, once End is not 0.
func (g *Growth) Head() Head { return g.head }

// Look takes in what has become whole within the first size bytes. The pixels are not looked at: it costs the same however large
// frames are. A file that cannot be one of frames is ErrFormat.
func (g *Growth) Look(f io.ReaderAt, size int64) error {
	if g.End == 0 {
		head := io.NewSectionReader(f, 0, size)
		h, err := readHead(head)
		if err != nil {
			if size < int64(len(magic)+4+maxHead) && errors.Is(err, ErrFormat) {
				return nil // it may not be written yet
			}
			return err
		}
		at, err := head.Seek(0, io.SeekCurrent)
		if err != nil {
			return fmt.Errorf("reading frames: %w", err)
		}
		g.head, g.Begin, g.End = h, at, at
	}
	b := make([]byte, recordHead)
	for g.End+recordHead <= size {
		if _, err := f.ReadAt(b, g.End); err != nil {
			return fmt.Errorf("reading frames: %w", err)
		}
		rec, ok := parseRecord(b, maxPacked(g.head.Size()))
		if !ok {
			return fmt.Errorf("%w: what follows %d frames is none", ErrFormat, g.Frames)
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
