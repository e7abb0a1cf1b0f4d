package workstation

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"overcrank/agent"
	"overcrank/agent/aerender"
	"overcrank/agent/doctor"
	"overcrank/agent/presence"
	"overcrank/cmd/overcrank/configfile"
	"overcrank/cmd/overcrank/exit"
	"overcrank/cmd/overcrank/process"
	"overcrank/cmd/overcrank/titlecard"
	"overcrank/farm"
	"overcrank/launcher"
)

// Agent are the commands that run the agent of this machine, and those that ask it. All of them have the agent's settings, so that they
// mean the same agent.
type Agent struct {
	Settings

	Run    runCommand    `cmd:"" default:"1" help:"Run the agent of this workstation; what 'overcrank agent' does."`
	Doctor doctorCommand `cmd:"" help:"Check this machine: list what it has, render two frames with each engine, and say how to fix problems."`
	Status statusCommand `cmd:"" help:"Show what the agent of this machine is doing, and why it does not work."`
	Pause  pauseCommand  `cmd:"" help:"Pause this machine; its tasks are given back to the farm."`
	Resume resumeCommand `cmd:"" help:"Let this machine work for the farm again."`
	Config configCommand `cmd:"" help:"Print the agent's settings and where each comes from."`

	Diag      diagCommand      `cmd:"" lenient:"" help:"Collect logs, settings and the doctor's findings in one file for support, without secrets."`
	Configure configureCommand `cmd:"" lenient:"" help:"Set up this machine for its farm, as packages do when they are installed."`

	Install   installCommand   `cmd:"" lenient:"" help:"Install the agent as a service of this machine, without a package."`
	Uninstall uninstallCommand `cmd:"" lenient:"" help:"Remove what 'install' has put on this machine."`

	Panel panelCommand `cmd:"" lenient:"" help:"Put the panel that submits the open project into After Effects, or take it out."`

	Leaving retireCommand  `cmd:"" name:"retire" hidden:"" lenient:"" help:"Remove this machine from its farm, as when the agent is uninstalled."`
	Tray    trayCommand    `cmd:"" hidden:"" help:"Show the agent's icon on the desktop of whoever is signed in."`
	Session sessionCommand `cmd:"" hidden:"" help:"Run After Effects for the agent's service in the session of whoever is signed in."`
}

// Settings are the settings of an agent. Flags take precedence over environment variables, and these over the file.
type Settings struct {
	ConfigFile   string   `name:"config" help:"File of settings, a line 'flag: value' for each; when left out, the one that 'overcrank agent config' names, if it is there." placeholder:"FILE" env:"OVERCRANK_AGENT_CONFIG"`
	DataDir      string   `help:"Folder for the agent's credential, cache and work." default:"${agent_folder}" type:"path" env:"OVERCRANK_AGENT_DATA_DIR,OVERCRANK_AGENT_DIR"`
	Coordinator  []string `help:"Base addresses of coordinators, one at least: the farm tells of the others." env:"OVERCRANK_AGENT_COORDINATOR,OVERCRANK_COORDINATOR"`
	JoinToken    string   `help:"Secret to enrol with, needed once." env:"OVERCRANK_AGENT_JOIN_TOKEN,OVERCRANK_JOIN_TOKEN" secret:""`
	Name         string   `help:"Name of this machine on the farm; its host name when left out." env:"OVERCRANK_AGENT_NAME,OVERCRANK_NAME"`
	Slots        int      `help:"Tasks run at once." default:"1" env:"OVERCRANK_AGENT_SLOTS,OVERCRANK_SLOTS"`
	AfterEffects int      `name:"after-effects" help:"How many of these tasks may use an After Effects at once." default:"1" env:"OVERCRANK_AGENT_AFTER_EFFECTS"`
	Sessions     string   `help:"Where After Effects runs. on: in the session of whoever is signed in. off: as a child of the agent. auto: like on where the agent is a Windows service or runs as root on macOS, otherwise like off." enum:"auto,on,off" default:"auto" env:"OVERCRANK_AGENT_SESSIONS"`
	CacheSize    int64    `help:"Bytes of disk for fetched files." default:"21474836480" env:"OVERCRANK_AGENT_CACHE_SIZE,OVERCRANK_CACHE_SIZE"`
	FramesSize   int64    `name:"shared-frames" help:"Bytes of disk for frames that the embedded engine has drawn, and that jobs of this machine share where they show the same; 0 for none." default:"2147483648" env:"OVERCRANK_AGENT_SHARED_FRAMES"`
	GossipListen string   `help:"Address for gossip, host:port; empty for none." default:"0.0.0.0:7946" env:"OVERCRANK_AGENT_GOSSIP_LISTEN,OVERCRANK_GOSSIP_LISTEN" empty:""`
	Tags         []string `help:"Words that jobs can require of a machine." env:"OVERCRANK_AGENT_TAGS,OVERCRANK_TAGS"`
	Root         []string `help:"Folders that file: addresses of jobs may point into; none when left out." type:"path" env:"OVERCRANK_AGENT_ROOT,OVERCRANK_ROOT"`

	IdleAfter    time.Duration `help:"Work only when nobody has touched keyboard, mouse or tablet of this machine for so long; 0 to work beside people." default:"10m" env:"OVERCRANK_AGENT_IDLE_AFTER"`
	LockedIsIdle bool          `help:"A locked screen counts as idle at once." default:"true" negatable:"" env:"OVERCRANK_AGENT_LOCKED_IS_IDLE"`
	MaxOtherLoad int           `help:"Work only while other programs take no more than this percentage of all processors; 0 for any." default:"0" placeholder:"PERCENT" env:"OVERCRANK_AGENT_MAX_OTHER_LOAD"`
	Hours        []weeklyHours `help:"Work only in these windows of the week, on this machine's clock; at all times when left out." sep:";" placeholder:"DAYS FROM-TO" example:"mon-fri 19:00-08:00;sat,sun 00:00-24:00" env:"OVERCRANK_AGENT_HOURS"`
	Programs     []string      `help:"Programs that mean, while one of them runs, that somebody uses this machine; * at the end stands for any letters. An open After Effects always does, where the machine renders with After Effects." example:"Adobe Premiere Pro*,Cinema 4D,maya*" env:"OVERCRANK_AGENT_PROGRAMS"`
	OnBattery    bool          `help:"Work on the battery too." default:"true" negatable:"" env:"OVERCRANK_AGENT_ON_BATTERY"`
	OnReturn     string        `help:"What becomes of work when somebody is back: now gives it back within 5 seconds, frame at the end of the frame, lower finishes it with what other programs leave of the processors. Frames that are done are kept." enum:"now,frame,lower" default:"now" env:"OVERCRANK_AGENT_ON_RETURN"`
	FrameTime    time.Duration `help:"How long the frame may take under --on-return=frame." default:"1m" env:"OVERCRANK_AGENT_FRAME_TIME"`
	HandOver     time.Duration `help:"How long frames that are done may take to reach the farm while somebody is back and waits for the machine." default:"2s" env:"OVERCRANK_AGENT_HAND_OVER"`
	Priority     string        `help:"Priority of the agent and its engines among this machine's programs." enum:"normal,below-normal" default:"below-normal" env:"OVERCRANK_AGENT_PRIORITY"`

	FFmpeg string `name:"ffmpeg" help:"Folder of ffmpeg and ffprobe. Default: ffmpeg on the PATH; if missing or incomplete, the farm's build (not with --updates=managed)." type:"path" placeholder:"DIR" env:"OVERCRANK_FFMPEG"`

	Updates      string `help:"Who updates the agent. farm: it takes releases from the farm. managed: the machine's administrators install new versions." enum:"farm,managed" default:"farm" env:"OVERCRANK_AGENT_UPDATES"`
	ReleaseRoots string `help:"File with the public root keys to check releases with. Without it, the keys built into this program." type:"path" placeholder:"FILE" env:"OVERCRANK_AGENT_RELEASE_ROOTS"`

	LaunchTime     time.Duration `help:"How long an engine may take until its first line." default:"3m" env:"OVERCRANK_AGENT_LAUNCH_TIME"`
	OpenTime       time.Duration `help:"How long an engine may take to open a project." default:"10m" env:"OVERCRANK_AGENT_OPEN_TIME"`
	FirstFrameTime time.Duration `help:"How long the first frame of a task may take." default:"30m" env:"OVERCRANK_AGENT_FIRST_FRAME_TIME"`
	StallTime      time.Duration `help:"How long an engine may be silent between frames; ten times the slowest frame so far where that is longer." default:"5m" env:"OVERCRANK_AGENT_STALL_TIME"`
	TaskTime       time.Duration `help:"How long an engine may take for one task; 0 for any time." default:"0" env:"OVERCRANK_AGENT_TASK_TIME"`

	UntilStdinEnds bool `help:"End when standard input ends." hidden:""`
}

// weeklyHours is farm.Hours as the value of a flag.
type weeklyHours struct{ farm.Hours }

// UnmarshalText parses a window of the week.
func (w *weeklyHours) UnmarshalText(text []byte) (err error) {
	w.Hours, err = farm.ParseHours(string(text))
	return err
}

// BeforeResolve loads the file of settings. The parser of the command line calls it.
func (Settings) BeforeResolve(ctx *kong.Context, command *kong.Path, files *configfile.Resolver) error {
	return files.Load(ctx, command)
}

// Validate refuses values with which an agent would start but not work. The parser of the command line calls it.
func (s Settings) Validate(ctx *kong.Context) error {
	if ctx.Selected() != nil && ctx.Selected().Tag.Has(configfile.LenientTag) {
		return nil
	}
	if s.Slots < 1 || s.CacheSize < 0 {
		return fmt.Errorf("--slots is %d, --cache-size %d: an agent needs one slot at least, and a cache cannot be below 0", s.Slots, s.CacheSize)
	}
	if s.FramesSize < 0 {
		return fmt.Errorf("--shared-frames is %d: it cannot be below 0", s.FramesSize)
	}
	if s.AfterEffects < 1 {
		return fmt.Errorf("--after-effects is %d: one task at least has to be able to use it", s.AfterEffects)
	}
	if min(s.LaunchTime, s.OpenTime, s.FirstFrameTime, s.StallTime) <= 0 || s.TaskTime < 0 {
		return fmt.Errorf("--launch-time is %v, --open-time %v, --first-frame-time %v, --stall-time %v, --task-time %v: all but the last have to be above 0",
			s.LaunchTime, s.OpenTime, s.FirstFrameTime, s.StallTime, s.TaskTime)
	}
	if s.IdleAfter < 0 || min(s.FrameTime, s.HandOver) <= 0 || s.MaxOtherLoad < 0 || s.MaxOtherLoad > 100 {
		return fmt.Errorf("--idle-after is %v, --frame-time %v, --hand-over %v, --max-other-load %d: none may be below 0, the second and the third have to be above, and the last is a percentage", s.IdleAfter, s.FrameTime, s.HandOver, s.MaxOtherLoad)
	}
	return nil
}

// manners are the settings that can change while the agent runs.
func (s Settings) manners() agent.Manners {
	rules := presence.Rules{IdleAfter: s.IdleAfter, LockedIsIdle: s.LockedIsIdle, MaxOtherLoad: s.MaxOtherLoad, Programs: s.Programs, NotOnBattery: !s.OnBattery}
	for _, h := range s.Hours {
		rules.Hours = append(rules.Hours, h.Hours)
	}
	return agent.Manners{Tags: s.Tags, Rules: rules, Return: agent.Return(s.OnReturn), FrameTime: s.FrameTime}
}

// config is the agent's configuration for these settings.
func (s Settings) config(version string, logger *slog.Logger) agent.Config {
	return agent.Config{
		DataDir: s.DataDir, Coordinators: s.Coordinator, JoinToken: s.JoinToken, Name: s.Name, Slots: s.Slots,
		AfterEffects: s.AfterEffects, TaskTime: s.TaskTime,
		Sessions:  s.Sessions == "on" || s.Sessions == "auto" && presence.IsService(),
		HandOver:  s.HandOver,
		Limits:    aerender.Limits{Launch: s.LaunchTime, Open: s.OpenTime, First: s.FirstFrameTime, Stall: s.StallTime},
		CacheSize: s.CacheSize, FramesSize: s.FramesSize, GossipBind: s.GossipListen, Manners: s.manners(), Roots: s.Root, FFmpeg: s.FFmpeg, Version: version, Logger: logger,
	}
}

type runCommand struct{}

func (runCommand) Run(ctx context.Context, a *Agent, program process.Program, logger *slog.Logger) error {
	settings := a.Settings
	if len(settings.Coordinator) == 0 {
		return exit.Usagef("the agent has to know a coordinator: --coordinator, OVERCRANK_AGENT_COORDINATOR, or coordinator: in its configuration")
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGHUP)
	defer signal.Stop(asked)
	if settings.UntilStdinEnds {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		// Reading standard input can't be interrupted; the process ends soon after this function returns.
		go func() {
			heed(os.Stdin, asked)
			cancel()
		}()
	}
	if settings.Priority == "below-normal" {
		if err := presence.StepBack(); err != nil {
			logger.Warn("cannot lower the priority of the agent", "error", err)
		}
	}
	config := settings.config(program.Version, logger)
	config.LookAgain, config.Protocol = asked, program.Protocol
	config.Updates = settings.updates(config)
	config.FirstFrame = firstFrame(config)
	changes, stop := followSettings(ctx, settings, program, logger)
	defer stop()
	config.Changes = changes
	err := agent.Run(ctx, config)
	if errors.Is(err, agent.ErrUpdate) {
		return exit.Code(launcher.ExitUpdate)
	}
	return err
}

// updates says how the agent of these settings is updated.
func (s Settings) updates(config agent.Config) agent.Updates {
	updates := agent.Updates{
		Managed: s.Updates == "managed", Roots: s.ReleaseRoots,
		Trial: func(ctx context.Context) error { return doctor.TryEmbedded(ctx, config) },
	}
	if launch, is := launcher.Launched(); is {
		updates.Launch = &launch
	}
	return updates
}

// firstFrame renders the card by which a machine that was installed shows that it renders.
func firstFrame(config agent.Config) func(context.Context) ([]byte, error) {
	return func(ctx context.Context) ([]byte, error) {
		if err := config.Complete(); err != nil { // for the machine's name
			return nil, err
		}
		return doctor.Picture(ctx, config, titlecard.Machine(config.Name), titlecard.Composition, titlecard.MachineFrame)
	}
}

// heed reads the launcher's notices until its end of the pipe is closed.
func heed(lines io.Reader, lookAgain chan<- os.Signal) {
	scanner := bufio.NewScanner(lines)
	for scanner.Scan() {
		if scanner.Text() == launcher.NoticeReload {
			select {
			case lookAgain <- syscall.SIGHUP: // the file of settings is looked at all the time
			default:
			}
		}
	}
	if scanner.Err() != nil { // a line that is too long ends the scanner, not the agent
		_, _ = io.Copy(io.Discard, lines)
	}
}
