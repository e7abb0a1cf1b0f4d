package encodingtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// script is an ffmpeg that says nothing of x264 and refuses it, as builds under the LGPL do. All else is done by the real one.
const script = `#!/bin/sh
for word in "$@"; do
	case $word in
	libx264*) echo "Unknown encoder '$word'" >&2; exit 1 ;;
	-encoders) '%[1]s' "$@" | grep -v libx264; exit ;;
	esac
done
exec '%[1]s' "$@"
`

// WithoutX264 is a folder with this machine's ffmpeg behind a script that hides x264.
func WithoutX264(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the script needs a shell")
	}
	dir := t.TempDir()
	for name, content := range map[string]string{"ffmpeg": script, "ffprobe": "#!/bin/sh\nexec '%[1]s' \"$@\"\n"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, content, real), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
