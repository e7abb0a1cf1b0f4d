package workstation

import (
	"archive/zip"
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent/control"
	"overcrank/agent/doctor"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/folders"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/terminal"
	"overcrank/durable"
)

type diagCommand struct {
	launcherFolder
	Logs   string `hidden:"" default:"${logs_folder}"`
	Output string `short:"o" help:"File to write; overcrank-diag-TIME.zip in this folder when left out." placeholder:"FILE" type:"path"`
	Trials bool   `help:"Render two frames with each engine, as the doctor does: it takes minutes, and starts After Effects."`
	JSON   bool   `name:"json" help:"Print JSON."`
}

func (diagCommand) Help() string {
	return `Writes a zip file of logs, settings, the state of the agent and the launcher, and the doctor's findings. Tokens, keys and passwords
are left out; names of files, jobs and machines are included. Run it as administrator or root, who may read everything.

    overcrank agent diag
    overcrank agent diag -o /tmp/suite4.zip`
}

// collection is the zip file being written. Secrets are taken out of everything that goes in.
type collection struct {
	zip     *zip.Writer
	conceal *concealer
	names   []string
	missing []string // what could not be collected, and why
}

// collected is diag's answer as JSON.
type collected struct {
	File    string   `json:"file"`
	Names   []string `json:"contains"`
	Missing []string `json:"missing"`
}

// logBytes is how many bytes of a log are collected, from its end.
const logBytes = 20 << 20

// Run collects.
func (d diagCommand) Run(ctx context.Context, a *Agent, out *terminal.Output, kctx *kong.Context, files *configfile.Resolver, program process.Program, logger *slog.Logger) error {
	path := cmp.Or(d.Output, "overcrank-diag-"+time.Now().Format("20060102-150405")+".zip")
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	done := collected{File: path}
	bar := out.Bar("diag")
	err = durable.Write(path, 0o600, func(w io.Writer) error {
		c := &collection{zip: zip.NewWriter(w), conceal: newConcealer(a.Settings)}
		bar.Set(0, "status")
		c.value("versions.json", map[string]string{
			"program": program.Name, "version": program.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			"time": time.Now().Format(time.RFC3339), "dataFolder": a.DataDir, "launcherFolder": d.LauncherState, "logFolder": d.Logs,
		})
		status, err := control.Ask(ctx, a.DataDir)
		c.valueOr("status.json", status, err)
		c.value("launcher.json", d.look())
		bar.Set(5, "settings")
		c.settings(a.Settings, kctx, files)
		bar.Set(10, "logs")
		c.logs(ctx, d.Logs)
		bar.Set(40, "doctor")
		c.doctor(ctx, d.Trials, a, program, logger, func(done float64, what string) { bar.Set(40+60*done, what) })
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		if len(c.missing) > 0 {
			c.text("missing.txt", strings.NewReader(strings.Join(c.missing, "\n")+"\n"))
		}
		done.Names, done.Missing = c.names, append([]string{}, c.missing...)
		return c.zip.Close()
	})
	bar.End()
	if err != nil {
		return fmt.Errorf("writing the diagnosis: %w", err)
	}
	if d.JSON {
		return out.Indented(done)
	}
	for _, line := range done.Missing {
		out.Remark("left out: %s", terminal.Plain(line))
	}
	_, err = fmt.Fprintln(out, path)
	return err
}

// text adds a text, concealed line by line.
func (c *collection) text(name string, from io.Reader) {
	w, err := c.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Now()})
	if err == nil {
		c.names = append(c.names, name)
		err = c.conceal.copy(w, from)
	}
	if err != nil {
		c.lacks(name, err)
	}
}

func (c *collection) lacks(name string, err error) {
	c.missing = append(c.missing, name+": "+c.conceal.String(err.Error()))
}

func (c *collection) value(name string, v any) { c.valueOr(name, v, nil) }

// valueOr adds a value as JSON, or notes err, the error of finding it out.
func (c *collection) valueOr(name string, v any, err error) {
	var text []byte
	if err == nil {
		text, err = json.MarshalIndent(v, "", "  ")
	}
	if err != nil {
		c.lacks(name, err)
		return
	}
	c.text(name, strings.NewReader(string(text)+"\n"))
}

// settings adds the settings in force, and the settings file with its comments.
func (c *collection) settings(s Settings, kctx *kong.Context, files *configfile.Resolver) {
	c.value("settings.json", files.Settings(kctx, configfile.Settable(agentFlags(kctx))))
	if err := files.Mistake(); err != nil {
		c.lacks("settings", err)
	}
	c.file("agent.yaml", cmp.Or(s.ConfigFile, folders.Config("agent")))
}

// file adds the end of a file, if the file exists.
func (c *collection) file(name, path string) {
	file, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return
	}
	if err != nil {
		c.lacks(name, err)
		return
	}
	defer func() { _ = file.Close() }() // only read
	if info, err := file.Stat(); err == nil && info.Size() > logBytes {
		if _, err := file.Seek(-logBytes, io.SeekEnd); err != nil {
			c.lacks(name, err)
			return
		}
	}
	c.text(name, io.LimitReader(file, logBytes))
}

// logs adds the log files of the folder, or the service's part of the journal where there is no folder.
func (c *collection) logs(ctx context.Context, folder string) {
	if folder != "" {
		paths, err := filepath.Glob(filepath.Join(folder, "*.log"))
		if err != nil || len(paths) == 0 {
			c.lacks("logs", cmp.Or(err, fmt.Errorf("%s has none", folder)))
		}
		for _, path := range paths {
			c.file("logs/"+filepath.Base(path), path)
		}
		return
	}
	journal, err := exec.LookPath("journalctl")
	if err != nil {
		c.lacks("logs", err)
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, journal, "--unit", "overcrank-agent", "--no-pager", "--output", "short-iso", "--lines", "100000")
	lines, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.lacks("logs", err)
		return
	}
	c.text("logs/journal.log", bufio.NewReader(lines))
	if err := cmd.Wait(); err != nil {
		c.lacks("logs/journal.log", fmt.Errorf("journalctl: %w", err))
	}
}

// doctor adds what the doctor finds.
func (c *collection) doctor(ctx context.Context, trials bool, a *Agent, program process.Program, logger *slog.Logger, tell func(float64, string)) {
	config := a.config(program.Version, logger)
	if err := config.UseFFmpeg(); err != nil {
		logger.Warn("looking for the farm's ffmpeg", "error", err)
	}
	examiner := doctor.New(config)
	examiner.NoTrials, examiner.Tell = !trials, tell
	found, err := examiner.Examine(ctx)
	c.valueOr("doctor.json", found, err)
}
