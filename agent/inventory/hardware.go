package inventory

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// gpu is a graphics processor.
type gpu struct {
	name   string
	memory int64 // bytes, 0 when it is not known
}

// hardware is what does not change while the machine is on.
type hardware struct {
	osVersion, cpu string
	gpu            gpu
}

func (s System) hardware(ctx context.Context) hardware {
	return hardware{osVersion: s.osVersion(ctx), cpu: s.cpu(ctx), gpu: most(s.gpus(ctx))}
}

// most is the one with the most memory.
func most(all []gpu) gpu {
	var best gpu
	for _, g := range all {
		if best.name == "" || g.memory > best.memory {
			best = g
		}
	}
	return best
}

var plistProduct = regexp.MustCompile(`<key>ProductVersion</key>\s*<string>([0-9.]+)</string>`)

// firstWindows11 is the build with which Windows 11 began; its registry still says 10.
const firstWindows11 = 22000

func (s System) osVersion(ctx context.Context) string {
	switch s.OS {
	case "windows":
		for _, key := range s.registry(ctx, `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`) {
			name := key.values["ProductName"]
			if name == "" {
				continue
			}
			if build, err := strconv.Atoi(key.values["CurrentBuild"]); err == nil && build >= firstWindows11 {
				name = strings.Replace(name, "Windows 10", "Windows 11", 1)
			}
			return words(name, key.values["DisplayVersion"])
		}
	case "darwin":
		if m := plistProduct.FindStringSubmatch(s.read("/System/Library/CoreServices/SystemVersion.plist")); m != nil {
			return "macOS " + m[1]
		}
	default:
		for line := range strings.Lines(s.read("/etc/os-release")) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "PRETTY_NAME="); ok {
				return words(strings.Trim(name, `"'`))
			}
		}
	}
	return ""
}

func (s System) cpu(ctx context.Context) string {
	switch s.OS {
	case "windows":
		for _, key := range s.registry(ctx, `HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0`) {
			if name := key.values["ProcessorNameString"]; name != "" {
				return words(name)
			}
		}
	case "darwin":
		out, _ := s.Ask(ctx, "sysctl", "-n", "machdep.cpu.brand_string") // nothing is a fine answer
		return words(string(out))
	default:
		for line := range strings.Lines(s.read("/proc/cpuinfo")) {
			if key, name, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return words(name)
			}
		}
	}
	return ""
}

// maxWords is how long a name of the machine's may be, in bytes.
const maxWords = 120

// words is text on one line, with single spaces and not too long.
func words(parts ...string) string {
	text := strings.ToValidUTF8(strings.Join(strings.Fields(strings.Join(parts, " ")), " "), "")
	if len(text) > maxWords {
		text = strings.ToValidUTF8(text[:maxWords], "")
	}
	return text
}

func (s System) gpus(ctx context.Context) []gpu {
	switch s.OS {
	case "windows":
		return s.registryGPUs(ctx)
	case "darwin":
		return s.profiledGPUs(ctx)
	}
	if gpus := s.nvidiaGPUs(ctx); len(gpus) > 0 {
		return gpus
	}
	return s.kernelGPUs()
}

// registryGPUs reads the display adapters. What WMI says of their memory ends at 4 GiB; the registry knows better.
func (s System) registryGPUs(ctx context.Context) []gpu {
	var found []gpu
	for _, key := range s.registry(ctx, `HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}`, below) {
		if name := words(key.values["DriverDesc"]); name != "" && !strings.Contains(name, "Basic Display") && !strings.Contains(name, "Remote Display") {
			found = append(found, gpu{name: name, memory: max(key.number("HardwareInformation.qwMemorySize"), key.number("HardwareInformation.MemorySize"))})
		}
	}
	return found
}

// profiledGPUs asks macOS. Apple's own processors share the machine's memory.
func (s System) profiledGPUs(ctx context.Context) []gpu {
	out, _ := s.Ask(ctx, "system_profiler", "-json", "-timeout", "10", "SPDisplaysDataType") // nothing is a fine answer
	var said struct {
		Displays []struct {
			Model  string `json:"sppci_model"`
			Memory string `json:"spdisplays_vram"`
			Bus    string `json:"sppci_bus"`
		} `json:"SPDisplaysDataType"`
	}
	if json.Unmarshal(out, &said) != nil {
		return nil
	}
	var found []gpu
	for _, d := range said.Displays {
		memory := size(d.Memory)
		if d.Bus == "spdisplays_builtin" && memory == 0 {
			memory = s.Memory()
		}
		found = append(found, gpu{name: words(d.Model), memory: memory})
	}
	return found
}

// size reads "8 GB".
func size(text string) int64 {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), " ")
	n, err := strconv.ParseInt(number, 10, 64)
	switch {
	case err != nil || n < 0 || n > 1<<20:
		return 0
	case unit == "GB":
		return n << 30
	case unit == "MB":
		return n << 20
	}
	return 0
}

func (s System) nvidiaGPUs(ctx context.Context) []gpu {
	out, _ := s.Ask(ctx, "nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader,nounits") // most machines have none
	var found []gpu
	for line := range strings.Lines(string(out)) {
		name, memory, ok := strings.Cut(line, ",")
		n, err := strconv.ParseInt(strings.TrimSpace(memory), 10, 64)
		if ok && err == nil && n > 0 && n < 1<<30 {
			found = append(found, gpu{name: words(name), memory: n << 20})
		}
	}
	return found
}

// kernelGPUs reads what the Linux kernel knows of its graphics cards, with the names of the list that lspci uses.
func (s System) kernelGPUs() []gpu {
	devices, err := filepath.Glob(s.at("/sys/class/drm/card*/device/vendor"))
	if err != nil {
		return nil // only a malformed pattern fails
	}
	var found []gpu
	for _, file := range devices {
		folder := path.Join("/sys/class/drm", filepath.Base(filepath.Dir(filepath.Dir(file))), "device")
		vendor, device := strings.TrimPrefix(s.read(folder+"/vendor"), "0x"), strings.TrimPrefix(s.read(folder+"/device"), "0x")
		memory, err := strconv.ParseInt(s.read(folder+"/mem_info_vram_total"), 10, 64)
		if err != nil {
			memory = 0
		}
		if vendor != "" && device != "" {
			found = append(found, gpu{name: s.pciName(vendor, device), memory: memory})
		}
	}
	return found
}
