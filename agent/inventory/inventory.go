// Package inventory finds out what a workstation has: After Effects in all its versions, fonts, the effects of plug-ins, and the
// machine itself. It runs nothing that could be avoided and trusts no file: what cannot be read is left out, and said.
package inventory

import (
	"context"
	"log/slog"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"overcrank/agent/farmffmpeg"
	"overcrank/farm"
	"overcrank/ffmpeg"
	"overcrank/ffmpeg/encoding"
)

// Config says for whom the machine is looked at.
type Config struct {
	System  System
	DataDir string   // the agent's; what was found in fonts and plug-ins is remembered there
	Engine  string   // path of the program that is the embedded engine
	Version string   // of overcrank
	Tags    []string // of the machine, as its configuration has them
	Slots   int
	Roots   []string // folders that file: addresses of jobs may point into
	Logger  *slog.Logger
}

// Taker takes inventories of one machine.
type Taker struct {
	cfg Config

	mu       sync.Mutex // held during a look
	seen     *seen
	fixed    *hardware    // once known
	asked    string       // the ffmpeg that was asked
	ffmpeg   ffmpeg.Build // that was found
	encoders []string     // its own, once known
	last     farm.Inventory
}

// Report is an inventory with what is wrong with it.
type Report struct {
	farm.Inventory
	Whole     bool     // there was time for everything
	MuteFonts []string // font files that tell no names
	NoFilms   error    // why no films can be written, nil when they can
}

// New prepares to look at a machine.
func New(cfg Config) *Taker {
	return &Taker{cfg: cfg, seen: openSeen(filepath.Join(cfg.DataDir, "seen.json"))}
}

// Retag gives the machine other tags, from the next look on.
func (t *Taker) Retag(tags []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cfg.Tags = tags
}

// Take looks at the machine. Fonts and plug-ins that it has no time for within patience are left out until the next look, which
// goes on where this one ended.
func (t *Taker) Take(ctx context.Context, patience time.Duration) Report {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.cfg.System
	if t.fixed == nil {
		h := s.hardware(ctx)
		t.fixed = &h
	}
	var noFilms error
	// The agent may have got another ffmpeg meanwhile.
	if path, _ := ffmpeg.Path("ffmpeg"); t.encoders == nil || path != t.asked {
		t.ffmpeg, t.encoders, noFilms = s.Writers(ctx)
		t.asked = path
	}
	builds := s.builds(ctx, t.seen)
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	added := s.plugins(limited, builds, t.seen)
	fonts := s.fonts(limited, t.seen)
	whole := added.whole && fonts.whole
	if err := t.seen.save(whole); err != nil {
		t.cfg.Logger.Warn("the next start looks at all fonts again", "error", err)
	}

	inv := farm.Inventory{
		OS: s.OS, OSVersion: t.fixed.osVersion, CPU: t.fixed.cpu, GPU: t.fixed.gpu.name, GPUMemory: t.fixed.gpu.memory,
		Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Memory: s.Memory(), Version: t.cfg.Version,
		Engines: []farm.EngineInfo{{Kind: farm.EngineEmbedded, Version: t.cfg.Version, Path: t.cfg.Engine}},
		Codecs:  encoding.Codecs(t.encoders), Encoders: t.encoders, Tags: t.cfg.Tags, Slots: t.cfg.Slots,
		Fonts: fonts.fonts, Effects: added.effects, Plugins: added.mute,
	}
	for _, b := range builds {
		inv.Engines = append(inv.Engines, b.EngineInfo)
	}
	if t.ffmpeg.Path != "" {
		inv.FFmpeg = &farm.FFmpeg{Version: t.ffmpeg.Version, Licence: t.ffmpeg.Licence, Path: t.ffmpeg.Path, SHA256: farmffmpeg.Hash(t.cfg.DataDir, t.ffmpeg.Path)}
	}
	inv.Roots = realRoots(t.cfg.Roots)
	inv.DiskFree, inv.Disk = t.space()
	inv = bounded(inv)
	t.last = inv
	return Report{Inventory: inv, Whole: whole, MuteFonts: fonts.mute, NoFilms: noFilms}
}

// maxRoots is how many folders are told. A machine with more of them tells none, and is asked for any file.
const maxRoots = 200

// realRoots are folders as they were named, and as they are called where links lead.
func realRoots(roots []string) []string {
	told := []string{}
	for _, root := range roots {
		if abs, err := filepath.Abs(root); err == nil {
			told = append(told, abs)
		}
		if real, err := filepath.EvalSymlinks(root); err == nil && !slices.Contains(told, real) {
			told = append(told, real)
		}
	}
	if len(told) > maxRoots {
		return nil
	}
	return told
}

// space is what the disk of the data folder has. What is free is told in steps, and in a new one only when it has changed by more
// than a step: a disk is written to all the time.
func (t *Taker) space() (free, size int64) {
	free, size, err := t.cfg.System.Space(t.cfg.DataDir)
	if err != nil {
		t.cfg.Logger.Warn("the room on the disk is not known", "error", err)
		return 0, 0
	}
	if last := t.last.DiskFree; last > 0 && size == t.last.Disk && free > last-last/4 && free < last+last/2 {
		return last, size
	}
	return step(free), size
}

// step rounds down to one of four steps between powers of two.
func step(n int64) int64 {
	if n < 8 {
		return max(n, 0)
	}
	unit := int64(1)
	for n/unit >= 8 {
		unit *= 2
	}
	return n / unit * unit
}
