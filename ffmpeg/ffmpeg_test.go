package ffmpeg

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHostileFilesReachNothingElse(t *testing.T) {
	if testing.Short() {
		t.Skip("starts ffmpeg")
	}
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	called := make(chan struct{}, 1)
	go func() {
		if c, err := l.Accept(); err == nil {
			_ = c.Close()
			called <- struct{}{}
		}
	}()
	secret := filepath.Join(dir, "secret.png")
	if out, err := Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "color=red:s=16x16:d=1", "-frames:v", "1", secret); err != nil {
		t.Fatal(err, string(out))
	}
	files := map[string]string{
		"concat.mov":  "ffconcat version 1.0\nfile secret.png\n",
		"list.mp4":    fmt.Sprintf("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://%s/a.ts\n#EXT-X-ENDLIST\n", l.Addr()),
		"local.m3u8":  "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nsecret.png\n#EXT-X-ENDLIST\n",
		"session.sdp": fmt.Sprintf("v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video %d RTP/AVP 96\n", 5004),
		"vector.svg":  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><image href="secret.png" width="16" height="16"/></svg>`,
	}
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		args := append(Input(path), "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgba", "pipe:1")
		if out, err := Run(t.Context(), "ffmpeg", args...); err == nil || len(out) > 0 {
			t.Errorf("%s gave %d bytes of picture, error %v", name, len(out), err)
		}
		if out, err := Run(t.Context(), "ffprobe", append(ProbeInput(path), "-show_streams")...); err == nil {
			t.Errorf("%s: ffprobe accepts it: %s", name, out)
		}
	}
	select {
	case <-called:
		t.Error("a file made ffmpeg call an address")
	default:
	}
}

func TestCommandEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, "ffmpeg", "-re", "-f", "lavfi", "-i", "color=red:s=16x16:d=600", "-f", "null", "-")
		done <- err
	}()
	cancel()
	select {
	case err := <-done:
		if err == nil {
			t.Error("no error")
		}
	case <-time.After(time.Minute):
		t.Fatal("ffmpeg lives on")
	}
}

func TestTailIsShort(t *testing.T) {
	var tail Tail
	for i := range 5000 {
		fmt.Fprintf(&tail, "[mov,mp4 @ 0x55] line %d\n", i)
	}
	if got := tail.String(); got != "line 4997; line 4998; line 4999" {
		t.Errorf("got %q", got)
	}
}

func TestMissingProgramSaysWhatToInstall(t *testing.T) {
	t.Setenv(FolderVariable, "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Run(t.Context(), "ffmpeg", "-version"); err == nil || !strings.Contains(err.Error(), "apt-get install ffmpeg") {
		t.Errorf("got %v", err)
	}
}

func TestAJPEGIsTakenWhateverItIsCalled(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "a.jpg")
	if _, err := Run(t.Context(), "ffmpeg", "-f", "lavfi", "-i", "color=size=16x16", "-frames:v", "1", picture); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.jpg", "b.png", "c%02d.jpeg"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := Run(t.Context(), "ffprobe", append([]string{"-of", "csv=p=0", "-show_entries", "stream=codec_name,width"}, ProbeInput(path)...)...)
		if err != nil || strings.TrimSpace(string(out)) != "mjpeg,16" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
}

func TestWhichFFmpegIsUsed(t *testing.T) {
	b, err := Which(t.Context())
	if err != nil {
		t.Skip("ffmpeg is not installed")
	}
	if b.Version == "" || !filepath.IsAbs(b.Path) {
		t.Errorf("%+v", b)
	}
	for out, want := range map[string]Build{
		"ffmpeg version 7.1.1 Copyright (c) 2000-2025 the FFmpeg developers\nconfiguration: --enable-version3 --enable-libopenh264": {Version: "7.1.1", Licence: LGPL},
		"ffmpeg version n8 Copyright\n  configuration: --enable-gpl --enable-libx264\n":                                             {Version: "n8", Licence: GPL},
		"ffmpeg version 6 Copyright\nconfiguration: --enable-gpl --enable-nonfree\r\n":                                              {Version: "6", Licence: Nonfree},
		"something else": {},
	} {
		if got := said([]byte(out)); got != want {
			t.Errorf("%q is %+v", out, got)
		}
	}
	t.Setenv(FolderVariable, t.TempDir())
	if b, err := Which(t.Context()); !errors.Is(err, ErrMissing) {
		t.Errorf("a folder without ffmpeg gave %+v, %v", b, err)
	}
}
