package encoding

import "fmt"

// highDefinition is the height in pixels from which films without tags are taken to be BT.709, the standard for high
// definition. Players make the distinction at this height.
const highDefinition = 720

// AssumedMatrix is ffmpeg's name of the colour matrix to assume for a film without a tag, "" when ffmpeg's own
// assumption is right: BT.601 below high definition. tagged is what ffprobe calls color_space, height the film's height
// in pixels.
func AssumedMatrix(tagged string, height int) string {
	if (tagged == "" || tagged == "unknown") && height >= highDefinition {
		return "bt709"
	}
	return ""
}

// ToFilm is the filter that converts pictures to the colours of our films: BT.709 in television range, at any size, and
// tagged so. from is the matrix of pictures without a tag, "" for RGB and for pictures with one.
func ToFilm(from, pixFmt string) string {
	return fmt.Sprintf("scale=out_color_matrix=bt709:out_range=tv:flags=bilinear%s,format=%s,%s", fromMatrix(from), pixFmt, filmParams)
}

// ToPicture is the filter that converts pictures to the colours of JPEG files: BT.601 in full range, the only ones in
// JFIF.
func ToPicture(from, pixFmt string) string {
	return fmt.Sprintf("scale=out_color_matrix=bt601:out_range=pc%s,format=%s", fromMatrix(from), pixFmt)
}

func fromMatrix(from string) string {
	if from == "" {
		return ""
	}
	return ":in_color_matrix=" + from
}

const filmParams = "setparams=colorspace=bt709:color_primaries=bt709:color_trc=bt709:range=tv"

// FilmTags are the options that write the colours of ToFilm into a film's tags.
func FilmTags() []string {
	return []string{"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"}
}
