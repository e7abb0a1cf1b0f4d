package film

import (
	"bytes"
	"context"
	"fmt"
	"math"

	"overcrank/ffmpeg"
)

// Plain is how much detail a picture has at least in which something is to be seen: below it is one colour, as that of black frames.
const Plain = 2.0

const detailWidth, detailHeight = 96, 54 // to which pictures are made small before they are measured

// Detail is how much is to be seen in each picture: the standard deviation of its brightness, from 0 for one colour to about 128. What is
// transparent is black.
func Detail(ctx context.Context, stills []string) ([]float64, error) {
	all := make([]float64, len(stills))
	for i, still := range stills {
		var grey bytes.Buffer
		filter := fmt.Sprintf("format=gbrap,premultiply=inplace=1,scale=%d:%d:flags=area,format=gray", detailWidth, detailHeight)
		args := append([]string{"-v", "error", "-nostdin"}, ffmpeg.Input(still)...)
		if err := pipe(ctx, ffmpeg.MaxMemory, bytes.NewReader(nil), &grey, "ffmpeg", append(args, "-frames:v", "1", "-vf", filter, "-f", "rawvideo", "-")...); err != nil {
			return nil, fmt.Errorf("measuring a picture: %w", err)
		}
		if grey.Len() != detailWidth*detailHeight {
			return nil, fmt.Errorf("measuring a picture: ffmpeg gave %d bytes", grey.Len())
		}
		all[i] = deviation(grey.Bytes())
	}
	return all, nil
}

func deviation(grey []byte) float64 {
	sum, squares := 0.0, 0.0
	for _, g := range grey {
		sum += float64(g)
		squares += float64(g) * float64(g)
	}
	n := float64(len(grey))
	return math.Sqrt(max(0, squares/n-(sum/n)*(sum/n)))
}
