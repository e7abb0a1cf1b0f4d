package footage

import (
	"bufio"
	"io"
)

// moving says whether a GIF has more than one picture. It reads only the lengths of its blocks (GIF89a, sections 15 to
// 26): decoding could take more memory than there is.
func moving(f io.ReadSeeker) bool {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return false
	}
	r := bufio.NewReader(f)
	header := make([]byte, 13)
	if _, err := io.ReadFull(r, header); err != nil || skip(r, table(header[10])) != nil {
		return false
	}
	for pictures := 0; ; {
		kind, err := r.ReadByte()
		if err != nil {
			return false
		}
		switch kind {
		case 0x21: // extension: its label, then blocks
			if skip(r, 1) != nil || skipBlocks(r) != nil {
				return false
			}
		case 0x2C:
			if pictures++; pictures > 1 {
				return true
			}
			descriptor := make([]byte, 9)
			if _, err := io.ReadFull(r, descriptor); err != nil {
				return false
			}
			if skip(r, table(descriptor[8])+1) != nil || skipBlocks(r) != nil {
				return false
			}
		default: // the trailer, or nonsense
			return false
		}
	}
}

// table is the size of the colour table that a packed field declares.
func table(packed byte) int {
	if packed&0x80 == 0 {
		return 0
	}
	return 3 << (packed&7 + 1)
}

func skip(r *bufio.Reader, n int) error {
	_, err := r.Discard(n)
	return err
}

func skipBlocks(r *bufio.Reader) error {
	for {
		n, err := r.ReadByte()
		if err != nil || n == 0 {
			return err
		}
		if err := skip(r, int(n)); err != nil {
			return err
		}
	}
}
