package film

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Want is what a result must be. Zero values are not looked at.
type Want struct {
	Width, Height int
	Frames        int
	FrameRate     float64
}

// Wrong is a result that is not what was asked for, in words for who submitted the job.
type Wrong struct{ Message string }

func (e *Wrong) Error() string { return e.Message }

func wrong(format string, args ...any) error { return &Wrong{Message: fmt.Sprintf(format, args...)} }

// CheckFilm looks at a film from its first to its last packet.
func CheckFilm(ctx context.Context, path string, want Want) (Info, error) {
	if err := present(path, "film"); err != nil {
		return Info{}, err
	}
	info, err := Probe(ctx, path)
	if err != nil {
		return Info{}, explain("film", err)
	}
	if !info.Video || info.Frames == 0 {
		return Info{}, wrong("the film holds no picture")
	}
	if err := sameSize("film", info, want); err != nil {
		return Info{}, err
	}
	if want.Frames > 0 && info.Frames != want.Frames {
		return Info{}, wrong("the film has %d frames, %d were expected", info.Frames, want.Frames)
	}
	if want.Frames > 0 && want.FrameRate > 0 {
		expected, frame := float64(want.Frames)/want.FrameRate, 1/want.FrameRate
		if off := info.Duration - expected; off > 2*frame || off < -2*frame {
			return Info{}, wrong("the film lasts %.2f s, %.2f s were expected", info.Duration, expected)
		}
	}
	return info, nil
}

// CheckStills decodes the stills that match pattern, such as dir/frame_*.png, and returns them in the order of their
// numbers.
func CheckStills(ctx context.Context, dir, prefix, ext string, want Want) ([]string, Info, error) {
	files, err := stills(dir, prefix, ext)
	if err != nil {
		return nil, Info{}, err
	}
	if len(files) == 0 {
		return nil, Info{}, wrong("no picture was written")
	}
	if want.Frames > 0 && len(files) != want.Frames {
		return nil, Info{}, wrong("%d pictures were written, %d were expected", len(files), want.Frames)
	}
	var info Info
	for i, f := range files {
		if err := present(f, "picture "+filepath.Base(f)); err != nil {
			return nil, Info{}, err
		}
		if i > 0 && i < len(files)-1 {
			continue
		}
		if info, err = Probe(ctx, f); err != nil {
			return nil, Info{}, explain("picture "+filepath.Base(f), err)
		}
		if err := sameSize("picture "+filepath.Base(f), info, want); err != nil {
			return nil, Info{}, err
		}
	}
	if info.Black, err = decodeStills(ctx, files); err != nil {
		return nil, Info{}, err
	}
	info.Frames = 0
	return files, info, nil
}

// decodeStills decodes every picture, in one run of ffmpeg.
func decodeStills(ctx context.Context, files []string) (black bool, err error) {
	list := filepath.Join(filepath.Dir(files[0]), ".stills.txt")
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "file '%s'\nduration 1\n", strings.ReplaceAll(filepath.ToSlash(filepath.Base(f)), "'", `'\''`))
	}
	if err := os.WriteFile(list, []byte(b.String()), 0o600); err != nil {
		return false, fmt.Errorf("listing the pictures: %w", err)
	}
	found, err := run(ctx, "ffmpeg", "-v", "error", "-nostdin", "-xerror", "-err_detect", "explode", "-protocol_whitelist", "file,pipe", "-f", "concat", "-safe", "0", "-i", local(list), "-map", "0:v",
		"-vf", fmt.Sprintf("format=gray,blackdetect=d=0.01:pic_th=%g:pix_th=%g,metadata=mode=print:file=-", blackShare, blackLevel), "-f", "null", "-")
	if err != nil {
		return false, explain("series of pictures", err)
	}
	if err := os.Remove(list); err != nil {
		return false, fmt.Errorf("listing the pictures: %w", err)
	}
	dark := stretches(found, "lavfi.black_start", "lavfi.black_end", float64(len(files)))
	return len(dark) == 1 && dark[0] == stretch{0, float64(len(files))}, nil
}

var stillNumber = regexp.MustCompile(`(\d+)\.[a-z]+$`)

func stills(dir, prefix, ext string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("looking for pictures: %w", err)
	}
	var files []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) && strings.HasSuffix(e.Name(), "."+ext) && stillNumber.MatchString(e.Name()) {
			files = append(files, filepath.Join(dir, e.Name()))
		}
	}
	slices.SortFunc(files, func(a, b string) int { return StillNumber(a) - StillNumber(b) })
	return files, nil
}

// StillNumber is the number at the end of a still's name, 0 when it has none.
func StillNumber(path string) int {
	m := stillNumber.FindStringSubmatch(path)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return 0
	}
	return n
}

func present(path, what string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return wrong("the %s was not written", what)
	case err != nil:
		return fmt.Errorf("looking at the %s: %w", what, err)
	case info.Size() == 0:
		return wrong("the %s is empty", what)
	}
	return nil
}

// sameSize allows for the one column or row that a codec of even sizes adds.
func sameSize(what string, info Info, want Want) error {
	differs := func(got, want int) bool { return want > 0 && got != want && got != want+want%2 }
	if differs(info.Width, want.Width) || differs(info.Height, want.Height) {
		return wrong("the %s is %d×%d pixels, %d×%d were expected", what, info.Width, info.Height, want.Width, want.Height)
	}
	return nil
}

func explain(what string, err error) error {
	var u *Unreadable
	if errors.As(err, &u) {
		return wrong("the %s %v", what, u)
	}
	return err
}
