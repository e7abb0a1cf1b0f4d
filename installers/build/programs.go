package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// compile builds a program of cmd for a target, the same bytes for the same sources wherever they lie.
func (r release) compile(ctx context.Context, t target, program string) error {
	to := r.program(t, program)
	fmt.Fprintf(os.Stderr, "compiling %s for %s/%s\n", program, t.system, t.arch)
	flags := "-s -w -buildid= -X main.version=" + r.version.String() + " -X overcrank/release.compiledRoots=" + strings.Join(r.keys.roots, ",")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", flags}
	if program != coordinators {
		args = append(args, "-tags", leaner)
	}
	if t.system == "darwin" {
		for _, packages := range compact {
			args = append(args, "-gcflags="+packages+"=-l")
		}
	}
	cmd := exec.CommandContext(ctx, "go", append(args, "-o", to, "./cmd/"+program)...)
	cmd.Dir = r.root
	cmd.Env = append(os.Environ(), t.environment()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling %s for %s/%s: %w\n%s", program, t.system, t.arch, err, out)
	}
	return nil
}

// coordinators is the program that is the whole farm. The others are those of workstations.
const coordinators = "overcrank"

// leaner leaves HTTP/2 out of net/http, which makes a package for macOS almost half a megabyte smaller. Coordinators answer in HTTP/1.1, and a
// machine that fetches large files one by one gains nothing of more.
const leaner = "nethttpomithttp2"

// compact are packages that are compiled without inlining for macOS: its package, with programs for two processors, would be one and a half megabytes
// larger otherwise, and too large. They talk to networks, parse settings, start programs and print, which takes as long as before. What draws, evaluates
// expressions, hashes and encrypts is not among them, and neither is encoding/binary, through which pictures are read.
var compact = []string{
	"net/...", "mime/...", "text/...", "html/...", "go/...", "crypto/tls", "crypto/x509",
	"encoding/asn1", "encoding/csv", "encoding/json", "encoding/xml", "vendor/golang.org/x/net/...", "vendor/golang.org/x/text/...",
	"golang.org/x/net/...", "golang.org/x/text/...", "github.com/minio/minio-go/...", "github.com/miekg/dns", "github.com/hashicorp/...",
	"github.com/alecthomas/kong", "github.com/google/...", "github.com/schollz/...", "github.com/tinylib/...", "github.com/philhofer/fwd", "github.com/rivo/uniseg", "golang.org/x/sys/...", "go.yaml.in/yaml/v3", "gopkg.in/ini.v1",
	"overcrank/agent/...", "overcrank/cmd/...", "overcrank/farm/...", "overcrank/launcher/...", "overcrank/durable", "overcrank/gossip", "overcrank/inbound", "overcrank/outbound/...", "overcrank/release/...",
	"overcrank/aep/...", "overcrank/fontfile", "overcrank/panel", "github.com/gorilla/websocket", "github.com/go-text/typesetting/font/opentype/tables", "github.com/go-text/typesetting/fontscan",
	"overcrank/engine/dom", "overcrank/engine/scene", "overcrank/engine/footage/vector/svg", "overcrank/engine/footage/vector/pdf", "overcrank/engine/text/cff", "overcrank/engine/text/program", "overcrank/engine/preflight", "overcrank/engine/aerender", "overcrank/ffmpeg/...",
	"github.com/dop251/goja/parser", "github.com/dlclark/regexp2/v2/syntax", "regexp/...", "log/...", "os/...", "flag", "expvar", "archive/...", "encoding/gob",
	"github.com/godbus/...", "github.com/clipperhouse/...", "github.com/mattn/...", "fyne.io/...",
}

// environment tells the Go toolchain to work for the target.
func (t target) environment() []string {
	return []string{"GOOS=" + t.system, "GOARCH=" + t.arch, "CGO_ENABLED=0"}
}
