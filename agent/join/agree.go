package join

import (
	"fmt"
	"slices"
)

// copyable are the codecs that an MP4 may hold and that most players support.
var copyable = []string{"h264", "hevc", "av1", "vp9", "mpeg4"}

// differ says why the video packets of the clips cannot be copied into one film, "" when they can.
func differ(clips []clip) string {
	first := clips[0]
	for i, c := range clips {
		switch {
		case !slices.Contains(copyable, c.picture.codec):
			return fmt.Sprintf("clip %d is %s, which an mp4 is not made of", i+1, c.picture.codec)
		case !c.steady:
			return fmt.Sprintf("clip %d does not run at one rate from its first to its last frame", i+1)
		case c.picture.rotation != 0:
			return fmt.Sprintf("clip %d is turned by %d°", i+1, c.picture.rotation)
		}
		if why := first.against(c); why != "" {
			return fmt.Sprintf("clip %d differs from the first: %s", i+1, why)
		}
	}
	return ""
}

// against says how another clip differs from c, "" when one decoder can play both in a row.
func (c clip) against(other clip) string {
	a, b := c.picture, other.picture
	switch {
	case a.codec != b.codec:
		return b.codec + " instead of " + a.codec
	case a.width != b.width || a.height != b.height:
		return fmt.Sprintf("%d×%d instead of %d×%d pixels", b.width, b.height, a.width, a.height)
	case c.rate.num*other.rate.den != other.rate.num*c.rate.den:
		return fmt.Sprintf("%s instead of %s frames/s", other.rate, c.rate)
	case a.format != b.format:
		return b.format + " instead of " + a.format
	case a.aspect != b.aspect:
		return fmt.Sprintf("pixels of %s instead of %s", b.aspect, a.aspect)
	case a.fields != b.fields:
		return "fields in another order"
	case a.header != b.header:
		return "the same codec, set up otherwise"
	}
	return ""
}
