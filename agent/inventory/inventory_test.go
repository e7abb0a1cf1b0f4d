package inventory

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/goregular"

	"overcrank/farm"
	"overcrank/farm/wire"
)

const maxPatience = time.Minute

const windowsRegistry = `
HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0000
    DriverDesc    REG_SZ    Microsoft Basic Display Adapter

HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0001
    DriverDesc    REG_SZ    NVIDIA GeForce RTX 4090
    HardwareInformation.qwMemorySize    REG_QWORD    0x600000000

HKEY_LOCAL_MACHINE\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}\0002
    DriverDesc    REG_SZ    Intel(R) UHD Graphics 770
    HardwareInformation.MemorySize    REG_DWORD    0x8000000
`

func windowsStudio(t *testing.T) *tree {
	m := newTree(t, "windows", `C:\Users\ann`)
	for name, version := range map[string]resource{
		"Adobe After Effects 2025": versionResource(25, 6, 1, 101), "Adobe After Effects (Beta)": versionResource(26, 3, 0, 20), "Adobe After Effects 2024": {kind: "OTHER"},
	} {
		support := `C:\Program Files\Adobe\` + name + `\Support Files\`
		m.put(support+"aerender.exe", []byte("MZ"))
		m.put(support+"AfterFX.exe", program(t, version))
	}
	m.put(`D:\Apps\AE26\Support Files\aerender.exe`, []byte("MZ"))
	m.put(`D:\Apps\AE26\Support Files\AfterFX.exe`, program(t, versionResource(26, 0, 2, 7)))
	m.put(`C:\Program Files\Adobe\Adobe After Effects 2023\readme.txt`, []byte("what an uninstaller left"))
	m.answers[`reg query HKLM\SOFTWARE\Adobe\After Effects /s`] = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Adobe\\After Effects\\26.0\r\n    InstallPath    REG_SZ    D:\\Apps\\AE26\\Support Files\\\r\n"
	m.answers[`reg query HKLM\SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318} /s`] = windowsRegistry
	m.answers[`reg query HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion`] = "HKEY_LOCAL_MACHINE\\SOFTWARE\\Microsoft\\Windows NT\\CurrentVersion\r\n    ProductName    REG_SZ    Windows 10 Pro\r\n    DisplayVersion    REG_SZ    23H2\r\n    CurrentBuild    REG_SZ    22631\r\n"
	m.answers[`reg query HKLM\HARDWARE\DESCRIPTION\System\CentralProcessor\0`] = "HKEY_LOCAL_MACHINE\\HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0\r\n    ProcessorNameString    REG_SZ    AMD Ryzen 9 7950X   \r\n"
	return m
}

func TestWindowsMachine(t *testing.T) {
	m := windowsStudio(t)
	plugins := `C:\Program Files\Adobe\Adobe After Effects 2025\Support Files\Plug-ins\`
	aex := func(match ...string) []byte {
		var list []resource
		for _, name := range match {
			list = append(list, resource{kind: "PIPL", data: pipl(binary.LittleEndian, effectPiPL(name)...)})
		}
		return program(t, append(list, versionResource(1, 0, 0, 0))...)
	}
	m.put(plugins+`Effects\Levels.aex`, aex("ADBE Pro Levels2"))
	m.put(plugins+`Effects\Mute.aex`, []byte("MZ and nothing more"))
	m.put(plugins+`Sapphire\S_Glow.aex`, aex("S_Glow", "S_Blur"))
	m.put(plugins+`(Archived)\Old.aex`, aex("Old"))
	m.put(plugins+`Exporter.aex`, program(t, resource{kind: "PIPL", data: pipl(binary.LittleEndian, property{"kind", "AEgx"})}))
	m.put(plugins+`Damaged.aex`, aex("Damaged")[:700])
	m.put(`C:\Program Files\Adobe\Common\Plug-ins\7.0\MediaCore\Trapcode\Particular.aex`, aex("tc Particular"))

	m.put(`C:\Windows\Fonts\go.ttf`, goregular.TTF)
	m.put(`C:\Windows\Fonts\broken.ttf`, goregular.TTF[:40])
	m.put(`C:\Users\ann\AppData\Local\Microsoft\Windows\Fonts\bold.TTF`, gobold.TTF)
	m.put(`C:\Users\ann\AppData\Roaming\Adobe\CoreSync\plugins\livetype\r\36425`, goitalic.TTF)
	m.put(`C:\Users\ann\AppData\Roaming\Adobe\CoreSync\plugins\livetype\c\entitlements.xml`, []byte("<xml/>"))

	got := m.take()
	if v := versions(got.Inventory); !slices.Equal(v, []string{"26.0.2", "25.6.1", "24.0", "26.3.0b"}) {
		t.Errorf("builds %q", v)
	}
	if !slices.Equal(got.Effects, []string{"S_Blur", "S_Glow", "tc Particular"}) || !slices.Equal(got.Plugins, []string{"Damaged"}) {
		t.Errorf("effects %q, mute %q", got.Effects, got.Plugins)
	}
	if names := postScript(got.Fonts); !slices.Equal(names, []string{"Go-Bold", "Go-Italic", "GoRegular"}) || len(got.MuteFonts) != 1 {
		t.Errorf("fonts %q, mute %q", names, got.MuteFonts)
	}
	if got.OSVersion != "Windows 11 Pro 23H2" || got.CPU != "AMD Ryzen 9 7950X" || got.GPU != "NVIDIA GeForce RTX 4090" || got.GPUMemory != 24<<30 {
		t.Errorf("%+v", got.Inventory)
	}
	if got.Disk != 1000<<30 || got.DiskFree != 640<<30 || got.Slots != 2 || got.Memory != 64<<30 || len(got.Codecs) != 9 || len(got.Encoders) != 2 {
		t.Errorf("%+v", got.Inventory)
	}
}

func TestMacMachine(t *testing.T) {
	m := newTree(t, "darwin", "/Users/ann")
	install := func(name, plist string) string {
		folder := "/Applications/" + name
		m.put(folder+"/aerender", []byte("#!/bin/sh\n"))
		if plist != "" {
			m.put(folder+"/"+name+".app/Contents/Info.plist", []byte(plist))
		}
		return folder
	}
	folder := install("Adobe After Effects 2026", "<plist><dict>\n<key>CFBundleShortVersionString</key>\n\t<string>26.0.2</string></dict></plist>")
	install("Adobe After Effects (Beta)", "<plist><dict><key>CFBundleShortVersionString</key><string>26.3.0</string></dict></plist>")
	told := install("Adobe After Effects 2025", "")
	m.answers[m.at(told+"/aerender")+" -version"] = "aerender version 25.6x101\n"
	m.put(folder+"/Plug-ins/Sapphire/S_Glow.plugin/Contents/Resources/S_Glow.rsrc", fork("PiPL", pipl(binary.BigEndian, effectPiPL("S_Glow")...), pipl(binary.BigEndian, effectPiPL("S_Blur")...)))
	m.put(folder+"/Plug-ins/Sapphire/S_Glow.plugin/Contents/MacOS/S_Glow", []byte("\xcf\xfa\xed\xfe"))
	m.put("/Library/Application Support/Adobe/Common/Plug-ins/7.0/MediaCore/Silent.plugin/Contents/MacOS/Silent", nil)
	m.put("/System/Library/Fonts/Go.ttc", goregular.TTF)
	m.put("/Users/ann/Library/Application Support/Adobe/CoreSync/plugins/livetype/.r/.36425.otf", gobold.TTF)
	m.put("/System/Library/CoreServices/SystemVersion.plist", []byte("<plist><dict><key>ProductVersion</key><string>15.1.1</string></dict></plist>"))
	m.answers["sysctl -n machdep.cpu.brand_string"] = "Apple M4 Max\n"
	m.answers["system_profiler -json -timeout 10 SPDisplaysDataType"] = `{"SPDisplaysDataType":[{"sppci_model":"Apple M4 Max","sppci_bus":"spdisplays_builtin"}]}`

	got := m.take()
	if v := versions(got.Inventory); !slices.Equal(v, []string{"26.0.2", "25.6", "26.3.0b"}) {
		t.Errorf("builds %q", v)
	}
	if !slices.Equal(got.Effects, []string{"S_Blur", "S_Glow"}) || !slices.Equal(got.Plugins, []string{"Silent"}) {
		t.Errorf("effects %q, mute %q", got.Effects, got.Plugins)
	}
	if names := postScript(got.Fonts); !slices.Equal(names, []string{"Go-Bold", "GoRegular"}) {
		t.Errorf("fonts %q", names)
	}
	if got.OSVersion != "macOS 15.1.1" || got.CPU != "Apple M4 Max" || got.GPU != "Apple M4 Max" || got.GPUMemory != 64<<30 {
		t.Errorf("%+v", got.Inventory)
	}
}

func TestLinuxMachine(t *testing.T) {
	m := newTree(t, "linux", "/home/ann")
	m.put("/etc/os-release", []byte("NAME=x\nPRETTY_NAME=\"Rocky Linux 9.4 (Blue Onyx)\"\n"))
	m.put("/proc/cpuinfo", []byte("processor\t: 0\nmodel name\t: AMD  EPYC 7763\n"))
	m.put("/sys/class/drm/card0/device/vendor", []byte("0x8086\n"))
	m.put("/sys/class/drm/card0/device/device", []byte("0x9a49\n"))
	m.put("/sys/class/drm/card1/device/vendor", []byte("0x1002\n"))
	m.put("/sys/class/drm/card1/device/device", []byte("0x744c\n"))
	m.put("/sys/class/drm/card1/device/mem_info_vram_total", []byte("25753026560\n"))
	m.put("/usr/share/misc/pci.ids", []byte("# list\n1002  AMD\n\t744b  Other\n\t744c  Navi 31\n\t\t0000 0000  Board\n8086  Intel\n"))
	m.put("/home/ann/.local/share/fonts/a/bold.ttf", gobold.TTF)
	got := m.take()
	if got.OSVersion != "Rocky Linux 9.4 (Blue Onyx)" || got.CPU != "AMD EPYC 7763" || got.GPU != "AMD Navi 31" || got.GPUMemory != 25753026560 {
		t.Errorf("%+v", got.Inventory)
	}
	if names := postScript(got.Fonts); !slices.Equal(names, []string{"Go-Bold"}) {
		t.Errorf("fonts %q", names)
	}
	m.answers["nvidia-smi --query-gpu=name,memory.total --format=csv,noheader,nounits"] = "NVIDIA RTX A4000, 16376\nNVIDIA RTX A6000, 49140\n"
	if got := m.take(); got.GPU != "NVIDIA RTX A6000" || got.GPUMemory != 49140<<20 {
		t.Errorf("%+v", got.Inventory)
	}
}

func TestFontsAreReadOnceAndAgainWhenTheyChange(t *testing.T) {
	m := newTree(t, "linux", "/home/ann")
	file := m.put("/usr/share/fonts/a.ttf", goregular.TTF)
	gone := m.put("/usr/share/fonts/b.ttf", gobold.TTF)
	taker := m.taker()
	first := taker.Take(t.Context(), maxPatience)
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	// Of the same size and time, so it is not read again.
	if err := os.WriteFile(file, make([]byte, info.Size()), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	again := New(taker.cfg) // as the next start of the agent
	if got := again.Take(t.Context(), maxPatience); got.Hash() != first.Hash() {
		t.Errorf("what was remembered is %+v", got.Fonts)
	}
	if err := os.WriteFile(file, goitalic.TTF, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if names := postScript(again.Take(t.Context(), maxPatience).Fonts); !slices.Equal(names, []string{"Go-Italic"}) {
		t.Errorf("after a change %q", names)
	}
	if _, known := again.seen.files[gone]; known {
		t.Error("a font that is gone is remembered")
	}
	if err := os.WriteFile(filepath.Join(taker.cfg.DataDir, "seen.json"), []byte("{half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if names := postScript(New(taker.cfg).Take(t.Context(), maxPatience).Fonts); !slices.Equal(names, []string{"Go-Italic"}) {
		t.Errorf("after the memory was damaged %q", names)
	}
}

func TestALookWithoutTimeGoesOnNextTime(t *testing.T) {
	m := newTree(t, "linux", "/home/ann")
	m.put("/usr/share/fonts/a.ttf", goregular.TTF)
	taker := m.taker()
	if got := taker.Take(t.Context(), 0); got.Whole || len(got.Fonts) != 0 {
		t.Errorf("without time %+v", got)
	}
	if got := taker.Take(t.Context(), maxPatience); !got.Whole || len(got.Fonts) != 1 {
		t.Errorf("with time %+v", got)
	}
}

func TestAnInventoryFitsAMessageWhateverIsInstalled(t *testing.T) {
	for _, n := range []int{5_000, 20_000, 60_000} {
		var inv farm.Inventory
		for i := range n {
			inv.Fonts = append(inv.Fonts, farm.FontUse{PostScript: fmt.Sprintf("%s-%06d", strings.Repeat("é", 30), i), Family: strings.Repeat("f", 100), Style: strings.Repeat("s", 60)})
			inv.Effects = append(inv.Effects, fmt.Sprintf("effect <%d> %s", i, strings.Repeat("e", 80)))
			inv.Plugins = append(inv.Plugins, fmt.Sprintf("plug-in %d", i))
			inv.Engines = append(inv.Engines, farm.EngineInfo{Path: strings.Repeat("p", 200)})
		}
		got := bounded(inv)
		text, err := json.Marshal(wire.Message{Inventory: &got})
		if err != nil || len(text) > wire.MaxMessage {
			t.Errorf("%d of each: %d bytes, %v", n, len(text), err)
		}
		if out := 4*n - len(got.Fonts) - len(got.Effects) - len(got.Plugins) - len(got.Engines); out != got.LeftOut {
			t.Errorf("%d of each: %d are left out, %d said", n, out, got.LeftOut)
		}
		if len(got.Fonts) < min(n, 20_000) {
			t.Errorf("only %d of %d fonts", len(got.Fonts), n)
		}
		if whole := got.Fonts[0].Family != ""; whole != (n == 5_000) {
			t.Errorf("%d fonts: families are told: %t", n, whole)
		}
	}
}

func TestFreeSpaceChangesInSteps(t *testing.T) {
	m := newTree(t, "linux", "/home/ann")
	free := int64(700 << 30)
	m.Space = func(string) (int64, int64, error) { return free, 1000 << 30, nil }
	taker := m.taker()
	first := taker.Take(t.Context(), maxPatience)
	for _, gib := range []int64{690, 640, 639, 600, 500, 800} {
		free = gib << 30
		if got := taker.Take(t.Context(), maxPatience); got.Hash() != first.Hash() {
			t.Errorf("with %d GiB free the inventory is another one, which tells %d", gib, got.DiskFree>>30)
		}
	}
	free = 90 << 30
	if got := taker.Take(t.Context(), maxPatience); got.DiskFree != 80<<30 {
		t.Errorf("with 90 GiB free the inventory tells %d", got.DiskFree>>30)
	}
}
