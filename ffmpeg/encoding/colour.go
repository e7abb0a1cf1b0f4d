package encoding

import "fmt"

// highDefinition is the height in pixels from which on films have BT.709's colours where they do not say (ITU-R BT.709 is that of high
// definition; players draw the line here).
const highDefinition = 720

// AssumedMatrix is ffmpeg's name of the matrix between colours and RGB that a film has which does not say, "" where ffmpeg assumes the
// right one by itself: BT.601 below high definition. tagged is what ffprobe calls color_space, height the film's in pixels.
func AssumedMatrix(tagged string, height int) string {
	if (tagged == "" || tagged == "unknown") && height >= highDefinition {
		return "bt709"
	}
	return ""
}

// ToFilm is the filter that makes pictures what films of ours hold: BT.709 in the range of television, at any size, and said in the file.
// from is the matrix of pictures that do not say theirs, "" for RGB and for those that do.
func ToFilm(from, pixFmt string) string {
	return fmt.Sprintf("scale=out_color_matrix=bt709:out_range=tv:flags=bilinear%s,format=%s,%s", fromMatrix(from), pixFmt, filmParams)
}

// ToPicture is the filter that makes pictures what JPEG files hold: BT.601 in the full range, which is all that JFIF knows.
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

// FilmTags are the options that have a film say what ToFilm made of it.
func FilmTags() []string {
	return []string{"-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709", "-color_range", "tv"}
}
