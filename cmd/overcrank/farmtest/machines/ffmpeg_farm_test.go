//go:build linux

package machines_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"overcrank/cmd/overcrank/client"
	"overcrank/cmd/overcrank/farmtest"
	"overcrank/ffmpeg/encoding/encodingtest"
)

// published is an archive as builds of ffmpeg are published in, made of the ffmpeg that is installed on this machine.
func published(t *testing.T, licence string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ffmpeg-5.1-lgpl.tar.gz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	packed := gzip.NewWriter(f)
	archive := tar.NewWriter(packed)
	add := func(name string, content []byte, mode int64) {
		if err := archive.WriteHeader(&tar.Header{Name: "ffmpeg-5.1/" + name, Size: int64(len(content)), Mode: mode, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range []string{"ffmpeg", "ffprobe"} {
		real, err := exec.LookPath(program)
		if err != nil {
			t.Skipf("%s is not installed", program)
		}
		content, err := os.ReadFile(real)
		if err != nil {
			t.Fatal(err)
		}
		add("bin/"+program, content, 0o755)
	}
	add("doc/manual.html", []byte("how ffmpeg is used"), 0o644)
	add("LICENSE.txt", []byte(licence), 0o644)
	for _, c := range []interface{ Close() error }{archive, packed, f} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// TestAMachineWithoutFFmpegGetsTheFarms: an agent whose PATH is empty takes no work until the farm hands out an ffmpeg; then it renders a film with it,
// without a restart, and follows when the farm hands out another one.
func TestAMachineWithoutFFmpegGetsTheFarms(t *testing.T) {
	t.Parallel()
	first, second := published(t, "the licence"), published(t, "another licence")
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	data := filepath.Join(t.TempDir(), "bare")
	bare := farmtest.Under(t, farmtest.Program(t), "export PATH='"+t.TempDir()+"'")
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite")
	if code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	farmtest.StartAgentOf(t, bare, f, data, strings.TrimSpace(token))
	machine := func() (a client.Agent) {
		list, err := f.Agents(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if len(list.Items) == 1 {
			a = list.Items[0]
		}
		return a
	}
	f.Await("the machine to say what it lacks", func() bool {
		m := machine()
		return m.State == "not_ready" && m.Presence != nil && strings.Contains(m.Presence.Reason, "overcrank ffmpeg add")
	})
	job := f.SubmitCard(f.Card(), nil)

	add := func(archive string, flags ...string) (made client.Download) {
		t.Helper()
		code, out, errs := f.Command(append([]string{"ffmpeg", "add", archive, "--json"}, flags...)...)
		if code != 0 {
			t.Fatalf("exit code %d: %s", code, errs)
		}
		if err := json.Unmarshal([]byte(out), &made); err != nil {
			t.Fatal(err)
		}
		return made
	}
	uses := func(sha256 string) func() bool {
		return func() bool {
			m := machine()
			return m.FFmpeg != nil && m.FFmpeg.SHA256 == sha256 && m.State != "not_ready" && len(m.Encoders) > 3
		}
	}
	if code, _, errs := f.Command("ffmpeg", "add", first, "--for", "windows"); code == 0 || !strings.Contains(errs, "linux-") {
		t.Errorf("a build for another system was taken: %d, %s", code, errs)
	}
	made := add(first)
	if made.Version != "5.1" || made.System != "linux" {
		t.Errorf("%+v", made)
	}
	f.Await("the machine to use the farm's ffmpeg", uses(made.SHA256))
	codec, _, _, frames, _ := farmtest.Probe(t, f.Fetch(f.Finished(job)))
	if codec != "h264" || frames == 0 {
		t.Errorf("the film is %s with %d frames", codec, frames)
	}
	if text, err := os.ReadFile(filepath.Join(data, "ffmpeg", made.SHA256, "LICENSE.txt")); string(text) != "the licence" {
		t.Errorf("beside it is %q, %v", text, err)
	}

	other := add(second, "--version", "5.1.1")
	f.Await("the machine to follow", uses(other.SHA256))
	if code, out, _ := f.Command("agents", "show", machine().ID); code != 0 || !strings.Contains(out, "given by the farm") || !strings.Contains(out, "libx264") {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if code, out, errs := f.Command("ffmpeg", "remove", other.SHA256[:8], made.SHA256); code != 0 {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	f.Await("the machine to have none again", func() bool { return machine().State == "not_ready" })
}

// TestAFilmGoesToAMachineThatHasItsEncoder: a machine whose ffmpeg has no encoder of H.264 that works gets ProRes only, and the farm says what is missing.
func TestAFilmGoesToAMachineThatHasItsEncoder(t *testing.T) {
	t.Parallel()
	without := encodingtest.WithoutX264(t)
	if out, err := exec.Command(filepath.Join(without, "ffmpeg"), "-v", "error", "-encoders").Output(); err != nil || strings.Contains(string(out), "libopenh264") {
		t.Skip("this machine's ffmpeg has OpenH264 too, or does not run")
	}
	f := farmtest.LaunchAs(t, "coordinator", t.TempDir())
	f.Await("the farm to be ready", func() bool { return client.Ready(t.Context(), f.Server) == nil })
	code, token, said := f.Command("agents", "invite", "--uses", "2")
	if code != 0 {
		t.Fatalf("%d: %s", code, said)
	}
	token = strings.TrimSpace(token)
	farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "lgpl"), token, "--ffmpeg", without)
	card := f.Card()
	film := f.SubmitCard(card, nil)
	f.Finished(f.SubmitCard(card, map[string]any{"codec": "video_prores_422"}))
	f.Await("the farm to say what the film waits for", func() bool {
		_, out, _ := f.Command("jobs", "why", film)
		return strings.Contains(out, "No machine can encode H.264: the only machine online does not have an encoder for H.264.")
	})
	farmtest.StartAgent(t, f, filepath.Join(t.TempDir(), "gpl"), token)
	f.Finished(film)
}
