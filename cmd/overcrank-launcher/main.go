// Command overcrank-launcher is installed on workstations under the name overcrank. As a service it keeps the current version of the agent running (package
// launcher); all other commands it passes to that version.
//
//	overcrank service [--state DIR] [--logs DIR]
//	overcrank agent status
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gopkg.in/natefinch/lumberjack.v2"

	"overcrank/cmd/overcrank/folders"
	"overcrank/launcher"
)

// version is stamped by the linker: -X main.version=…
var version = "dev"

// The exit codes of the launcher itself, the same as those of the commands.
const (
	failed = 1
	usage  = 2
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	programs, err := programs()
	if err != nil {
		return fail(err)
	}
	if len(args) == 0 || args[0] != "service" {
		return forward(programs, args)
	}
	s, code := parse(args[1:])
	if s == nil {
		return code
	}
	s.programs = programs
	do := s.serve
	if s.stop {
		do = stopService
	}
	if err := do(); err != nil {
		return fail(err)
	}
	return 0
}

func fail(err error) int {
	fmt.Fprintln(os.Stderr, "overcrank:", err)
	return failed
}

// programs is the folder of the launcher, with the installed version below it. The launcher may have been started through a link.
func programs() (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	return filepath.Dir(self), nil
}

// forward runs a command of the chosen version.
func forward(programs string, args []string) int {
	if len(args) == 0 {
		args = []string{"--help"}
	}
	chosen, err := launcher.Chosen(folders.Launcher(), programs)
	if err != nil {
		return fail(err)
	}
	code, err := replace(chosen.Program, args)
	if err != nil {
		return fail(fmt.Errorf("starting %s: %w", chosen.Program, err))
	}
	return code
}

// service is the command 'overcrank service'.
type service struct {
	programs string
	state    string // folder
	logs     string // folder, "" for standard error
	stop     bool   // end the service that runs, in place of running one
}

// parse parses the flags of the service. When it returns nil, the program has to end with the exit code.
func parse(args []string) (*service, int) {
	var s service
	flags := flag.NewFlagSet("overcrank service", flag.ContinueOnError)
	flags.StringVar(&s.state, "state", folders.Launcher(), "folder of updates and of the launcher's state")
	flags.StringVar(&s.logs, "logs", folders.Logs(), "folder of log files; empty to print the log")
	flags.BoolVar(&s.stop, "stop", false, "stop the service and wait until it has ended, as the installer for Windows does")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil, 0
	case err != nil:
		return nil, usage
	case flags.NArg() > 0:
		fmt.Fprintf(os.Stderr, "overcrank: 'overcrank service' takes no argument '%s'\n", flags.Arg(0))
		return nil, usage
	}
	var err error
	if s.state, err = filepath.Abs(s.state); err != nil {
		return nil, fail(err)
	}
	return &s, 0
}

// Log files of the agent's output and of the launcher. Each grows to logMegabytes, and logsKept old ones are kept.
const (
	agentLog     = "agent.log"
	launcherLog  = "launcher.log"
	logMegabytes = 10
	logsKept     = 5
)

func rotating(folder, name string) io.Writer {
	return lossy{&lumberjack.Logger{Filename: filepath.Join(folder, name), MaxSize: logMegabytes, MaxBackups: logsKept}}
}

// lossy leaves out what cannot be written, as on a full disk. With an error the agent's output would be closed, and the next line that it prints kill it.
type lossy struct{ w io.Writer }

func (l lossy) Write(p []byte) (int, error) {
	_, _ = l.w.Write(p)
	return len(p), nil
}

// prepareLogs makes the folder of log files. It sets aside one that another account could have changed: a link in it would have the system write somewhere else.
// Where that is not possible, there are no log files, and remark says why.
func (s *service) prepareLogs() (remark string, err error) {
	if s.logs == "" {
		return "", nil
	}
	unsafe := launcher.TrustedTree(s.logs, 1)
	if unsafe != nil {
		aside, err := launcher.SetAside(s.logs, time.Now())
		remark = fmt.Sprintf("the folder of log files is set aside as %s: %v", aside, unsafe)
		if err == nil {
			err = launcher.TrustedTree(s.logs, 1)
		}
		if err != nil {
			remark = fmt.Sprintf("no log files are written: %v", unsafe)
			s.logs = ""
			return remark, nil
		}
	}
	if err := launcher.MakeFolder(s.logs); err != nil {
		return "", fmt.Errorf("making the folder of log files: %w", err)
	}
	return remark, nil
}

// keep runs the agent until ctx ends. further receives the launcher's log besides its file; nil for none.
func (s *service) keep(ctx context.Context, notices <-chan string, further slog.Handler) error {
	output, own := io.Writer(os.Stderr), io.Writer(os.Stderr)
	remark, err := s.prepareLogs()
	if err != nil {
		return err
	}
	if s.logs != "" {
		output, own = rotating(s.logs, agentLog), rotating(s.logs, launcherLog)
	}
	var handler slog.Handler = slog.NewTextHandler(own, nil)
	if further != nil {
		handler = slog.NewMultiHandler(handler, further)
	}
	log := slog.New(handler)
	if remark != "" {
		log.Error(remark)
	}
	log.Info("the launcher was started", "launcher", version, "programs", s.programs, "state", s.state)
	kept := &launcher.Service{
		Folder: s.state, Programs: s.programs, Args: []string{"agent", "run", "--until-stdin-ends"},
		Output: output, Log: log, Notices: notices,
	}
	err = kept.Run(ctx)
	if err != nil {
		log.Error("the launcher ends", "error", err)
	} else {
		log.Info("the launcher ends")
	}
	return err
}
