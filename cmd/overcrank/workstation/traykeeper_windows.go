package workstation

import (
	"context"
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"overcrank/interval"
)

// trayRests is how long the desktop is left alone after the icon's process has ended: the taskbar may not be there yet.
const trayRests = 10 * time.Second

// keepTray keeps the icon on the person's desktop while the runner runs. It is a process of its own: whatever becomes of it, After Effects renders on. The
// function that it returns ends it.
func keepTray(ctx context.Context, dataDir string, logger *slog.Logger) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			if err := showTray(ctx, dataDir); err != nil && ctx.Err() == nil {
				logger.Warn("the icon on the desktop has ended", "error", err)
			}
			_ = interval.Wait(ctx, trayRests)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// showTray runs the icon's process until it ends. It ends by itself with the pipe, also when the runner is killed.
func showTray(ctx context.Context, dataDir string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, self, "agent", "--until-stdin-ends", "--data-dir", dataDir, "tray")
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NO_WINDOW}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	defer pipe.Close()
	return cmd.Run()
}
