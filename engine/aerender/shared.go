package aerender

import (
	"fmt"
	"os"
	"strconv"

	"overcrank/engine/render"
	"overcrank/ffmpeg"
	"overcrank/frames/shelf"
)

// shareFrames lets a render use the frames that others of this machine drew, where the farm's agent has a folder for them. done must be called
// after the render, also after an error, which only says that no frames are shared.
func (j *job) shareFrames(o *render.Options) (done func() error, err error) {
	done = func() error { return nil }
	dir := environment("OVERCRANK_FRAMES", "")
	if dir == "" {
		return done, nil
	}
	room, err := strconv.ParseInt(environment("OVERCRANK_FRAMES_ROOM", "0"), 10, 64)
	if err != nil {
		return done, fmt.Errorf("no frames are shared: OVERCRANK_FRAMES_ROOM is not a number of bytes: %w", err)
	}
	store, err := shelf.Open(dir, room)
	if err != nil {
		return done, fmt.Errorf("no frames are shared: %w", err)
	}
	o.Kept, o.Engine, o.Varies, j.kept = store, programs(j.version), render.Varies(j.varying), store
	return store.Close, nil
}

// programs identifies what draws: this program, and the ffmpeg that reads films. A build that was made anew is another one, whatever its version.
func programs(version string) string {
	self, err := os.Executable()
	if err != nil {
		self = ""
	}
	decoder, err := ffmpeg.Path("ffmpeg")
	if err != nil {
		decoder = ""
	}
	return version + "\n" + identity(self) + identity(decoder)
}

// identity is a file's path, size and time.
func identity(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return "none\n"
	}
	return fmt.Sprintf("%q %d %d\n", path, info.Size(), info.ModTime().UnixNano())
}
