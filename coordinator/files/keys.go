package files

// The keys below which the farm keeps its files.
const (
	Blobs      = "blobs" // by their content, see BlobKey
	Posters    = "posters"
	Logs       = "logs"
	Private    = "private"
	Attempts   = "attempts" // results and parts, by the attempt that made them
	Outputs    = "outputs"  // results, by the last part of their address
	Proxies    = "proxies"  // small films of results that browsers do not play
	Samples    = "samples"
	Thumbnails = "thumbnails"
	// Uploads are parts of files that are still on their way.
	Uploads = "uploads"
	// FirstFrames are pictures of what machines rendered once they were installed.
	FirstFrames = "firstframes"
)

// PosterKey is the key of the picture of a template, by the hash of its file, so a new file begins without one. Release v0.1.0 kept pictures
// of jobs under the plain hash.
func PosterKey(sha256 string) string { return Posters + "/own-" + Part(sha256) }

// ReelsKey is the key of a file about what a template's compositions look like, by the hash of its file; without a name, of all of them.
func ReelsKey(sha256, name string) string {
	key := Posters + "/reels-" + Part(sha256)
	if name == "" {
		return key
	}
	return key + "/" + name
}

// Roots returns all keys below which the farm keeps its files.
func Roots() []string {
	return []string{Blobs, Posters, Logs, Private, Attempts, Outputs, Proxies, Samples, Thumbnails, FirstFrames, Uploads}
}
