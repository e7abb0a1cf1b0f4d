package files

// The keys below which the farm keeps its files.
const (
	Blobs      = "blobs" // by their content, see BlobKey
	Posters    = "posters"
	Logs       = "logs"
	Private    = "private"
	Attempts   = "attempts" // results and parts, by the attempt that made them
	Outputs    = "outputs"  // results, by the last part of their address
	Samples    = "samples"
	Thumbnails = "thumbnails"
)

// Roots are all keys below which the farm keeps its files.
func Roots() []string {
	return []string{Blobs, Posters, Logs, Private, Attempts, Outputs, Samples, Thumbnails}
}
