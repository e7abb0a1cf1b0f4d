package ffmpeg

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

func TestAReaderIsBounded(t *testing.T) {
	cmd, _ := Command(t.Context(), "ffmpeg", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", "8x8", "-i", "pipe:0", "-f", "null", "-")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := Start(cmd, MaxMemory); err != nil {
		t.Skip(err)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, found := strings.Cut(string(limits), "Max data size"); !found || strings.Fields(rest)[0] != fmt.Sprint(uint64(MaxMemory)) {
		t.Errorf("its limits are\n%s", limits)
	}
	_ = in.Close()
	_ = cmd.Wait() // without a frame it ends as it likes
}
