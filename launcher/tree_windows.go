package launcher

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// agentLock is not needed on Windows: an agent ends with the launcher that started it, however that ends.
const agentLock = "agent.lock"

// tree is an agent and all processes it started: a job object, which Windows ends with the launcher.
type tree struct{ job windows.Handle }

// startTree starts a command in a job object of its own.
func startTree(cmd *exec.Cmd, _ string) (*tree, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("making a job object for the agent: %w", err)
	}
	t := &tree{job: job}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	// Processes that the agent starts in another session have to leave the job: Windows allows a job only one session.
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | windows.JOB_OBJECT_LIMIT_BREAKAWAY_OK
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("setting the limits of the agent's job object: %w", err), windows.CloseHandle(job))
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
	if err := cmd.Start(); err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	if err := t.take(cmd.Process.Pid); err != nil {
		return nil, errors.Join(err, cmd.Process.Kill(), windows.CloseHandle(job))
	}
	return t, nil
}

// take puts the agent into the job object, before it has started anything.
func (t *tree) take(pid int) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(pid))
	if err != nil {
		return fmt.Errorf("opening the agent's process: %w", err)
	}
	if err := errors.Join(windows.AssignProcessToJobObject(t.job, process), windows.CloseHandle(process)); err != nil {
		return fmt.Errorf("putting the agent into its job object: %w", err)
	}
	return nil
}

// kill ends what is left of the tree.
func (t *tree) kill() { _ = windows.TerminateJobObject(t.job, 1) } // it fails if all have ended, which is what kill is for

func (t *tree) close() { _ = windows.CloseHandle(t.job) } // which ends what is left, too

// awaitFormerAgent has nothing to wait for: Windows has ended the agent of a launcher that was killed.
func (k *supervisor) awaitFormerAgent(context.Context) error { return nil }
