package farm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Inventory is a workstation's hardware and software. Gossip carries its hash, the agent's own connection the whole.
type Inventory struct {
	OS        string `json:"os"`                  // as Go names it: linux, darwin, windows
	OSVersion string `json:"osVersion,omitempty"` // such as Windows 11 23H2
	CPU       string `json:"cpu,omitempty"`       // the processor's name
	GPU       string `json:"gpu,omitempty"`       // the name of the one with the most memory
	GPUMemory int64  `json:"gpuMemory,omitempty"` // bytes
	Disk      int64  `json:"disk,omitempty"`      // bytes of the disk that the data folder is on
	DiskFree  int64  `json:"diskFree,omitempty"`  // bytes, rounded so that the inventory does not change all the time
	// Effects are the match names of effects that were added to After Effects; those that come with it follow from its
	// build.
	Effects []string `json:"effects,omitempty"`
	// Plugins are plug-ins that do not say which effects they hold, by file name without extension.
	Plugins []string     `json:"plugins,omitempty"`
	Arch    string       `json:"arch"` // as Go names it
	CPUs    int          `json:"cpus"`
	Memory  int64        `json:"memory"`  // bytes
	Version string       `json:"version"` // of overcrank
	Engines []EngineInfo `json:"engines"`
	Fonts   []FontUse    `json:"fonts,omitempty"`
	Codecs  []string     `json:"codecs,omitempty"` // values of Settings.Codec that this machine can write
	// Encoders are ffmpeg's that Codecs are written with and that work on this machine; none from an agent that is too old
	// to report them.
	Encoders []string `json:"encoders,omitempty"`
	// FFmpeg is the ffmpeg that the machine uses; nil without one, and from an agent that is too old to report it.
	FFmpeg *FFmpeg  `json:"ffmpeg,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Slots  int      `json:"slots"` // tasks it runs at once
	// Roots are the folders that file: addresses of jobs may point into; nil from an agent that is too old to report
	// them.
	Roots []string `json:"roots,omitzero"`
	// LeftOut is how many fonts, effects and plug-ins were dropped for lack of room.
	LeftOut int `json:"leftOut,omitempty"`
}

// FFmpeg is an ffmpeg on a workstation.
type FFmpeg struct {
	Version string `json:"version"` // as it says itself
	Licence string `json:"licence"` // LGPL, GPL or nonfree, by how it was configured; "" when it does not say
	Path    string `json:"path"`
	// SHA256 is that of the farm's build in hex; "" for one that was on the machine.
	SHA256 string `json:"sha256,omitempty"`
}

// Hash is the SHA-256 of the inventory as JSON, in hex.
func (i Inventory) Hash() string {
	b, err := json.Marshal(i)
	if err != nil {
		b = nil // an inventory holds nothing that JSON cannot say
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// The kinds of engines.
const (
	EngineEmbedded     = "embedded" // the farm's own
	EngineAfterEffects = "aftereffects"
)

// EngineInfo is one aerender-compatible program on a workstation.
type EngineInfo struct {
	Kind    string `json:"kind"`    // EngineEmbedded or EngineAfterEffects
	Version string `json:"version"` // such as 26.0.2
	Path    string `json:"path"`
	Beta    bool   `json:"beta,omitempty"` // an After Effects of Adobe's beta programme
}
