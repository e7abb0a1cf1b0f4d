package film

import (
	"image"
	"os"

	"golang.org/x/image/tiff"

	"overcrank/frames"
)

// direct are the pixels of a TIFF file, which is what After Effects writes, without a start of ffmpeg for each picture. false means
// that ffmpeg has to read it: a file of another kind, size or depth, or a damaged one, of which ffmpeg says what is wrong.
func direct(path string, head frames.Head) ([]byte, bool) {
	file, err := os.Open(path)
	if err != nil {
		return nil, false
	}
	defer file.Close()
	size, err := tiff.DecodeConfig(file)
	if err != nil || size.Width != head.Width || size.Height != head.Height {
		return nil, false
	}
	picture, err := tiff.Decode(file)
	if err != nil {
		return nil, false
	}
	// Colours are taken as the file has them, multiplied with alpha or not, as ffmpeg does.
	deep := head.Format == frames.RGB48 || head.Format == frames.RGBA64
	switch p := picture.(type) {
	case *image.RGBA:
		return inFormat(p.Pix, head.Format), !deep
	case *image.NRGBA:
		return inFormat(p.Pix, head.Format), !deep
	case *image.RGBA64:
		return inFormat(p.Pix, head.Format), deep
	case *image.NRGBA64:
		return inFormat(p.Pix, head.Format), deep
	}
	return nil, false
}

// inFormat brings red, green, blue and alpha of each pixel, of 16 bits the higher byte first, into the order of a format of the same depth.
func inFormat(pix []byte, format frames.Format) []byte {
	switch format {
	case frames.RGB24:
		out := pix[:0]
		for i := 0; i+4 <= len(pix); i += 4 {
			out = append(out, pix[i], pix[i+1], pix[i+2])
		}
		return out
	case frames.ARGB:
		for i := 0; i+4 <= len(pix); i += 4 {
			pix[i], pix[i+1], pix[i+2], pix[i+3] = pix[i+3], pix[i], pix[i+1], pix[i+2]
		}
	case frames.RGB48:
		out := pix[:0]
		for i := 0; i+8 <= len(pix); i += 8 {
			out = append(out, pix[i+1], pix[i], pix[i+3], pix[i+2], pix[i+5], pix[i+4])
		}
		return out
	case frames.RGBA64:
		for i := 0; i+2 <= len(pix); i += 2 {
			pix[i], pix[i+1] = pix[i+1], pix[i]
		}
	}
	return pix
}
