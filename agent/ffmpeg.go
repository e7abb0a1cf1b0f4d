package agent

import (
	"fmt"
	"os"
	"path/filepath"

	"overcrank/agent/farmffmpeg"
	"overcrank/agent/film"
	"overcrank/agent/readiness"
	"overcrank/farm/codec"
	"overcrank/ffmpeg"
)

// UseFFmpeg has this process, and the engines that it starts, use the ffmpeg of these settings: the one that they name, otherwise the farm's, if this
// machine has it, otherwise that of the PATH. Where administrators install programs themselves, the farm's is left alone.
func (c Config) UseFFmpeg() error {
	switch {
	case c.FFmpeg == "" && c.Updates.Managed:
		return nil
	case c.FFmpeg == "":
		return farmffmpeg.Adopt(c.DataDir)
	}
	dir, err := filepath.Abs(c.FFmpeg)
	if err != nil {
		return fmt.Errorf("finding the folder of ffmpeg: %w", err)
	}
	return os.Setenv(ffmpeg.FolderVariable, dir)
}

// openFFmpeg chooses the ffmpeg of this machine, and prepares to keep the farm's.
func (a *agent) openFFmpeg() {
	if err := a.cfg.UseFFmpeg(); err != nil {
		a.log.Warn("cannot use the ffmpeg of the settings, or the farm's", "error", err)
	}
	a.readiness = readiness.New(a.cfg.DataDir)
	a.ffmpeg = farmffmpeg.New(farmffmpeg.Config{
		DataDir: a.cfg.DataDir, Named: a.cfg.FFmpeg != "" || a.cfg.Updates.Managed, Farm: a.farm, Room: a.readiness.TakesBytes, Lacks: a.lacksFFmpeg, Changed: a.ffmpegChanged, Log: a.log,
	})
	a.readiness.NoFFmpeg = a.ffmpeg.Why
}

// lacksFFmpeg tells whether this machine's own ffmpeg is missing, or cannot write all that jobs ask for.
func (a *agent) lacksFFmpeg() bool {
	return film.Tools() != nil || len(a.inventory.now().Codecs) < len(codec.All())
}

// ffmpegChanged follows a change of ffmpeg, or of why there is none.
func (a *agent) ffmpegChanged() {
	a.readiness.Look()
	path, err := ffmpeg.Path("ffmpeg")
	if has := a.inventory.now().FFmpeg; err == nil && (has == nil || has.Path != path) {
		a.inventory.again()
	}
	a.link.nudge()
}
