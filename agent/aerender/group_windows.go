package aerender

import (
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is an engine with all its children: a job object, which Windows ends as a whole, also when the agent is killed.
type group struct {
	job windows.Handle
	pid int
}

func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW}
}

func newGroup(cmd *exec.Cmd) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("making a job object for the engine: %w", err)
	}
	if err := setLimits(job, 0, 0); err != nil {
		return nil, errors.Join(fmt.Errorf("setting the limits of the engine's job object: %w", err), windows.CloseHandle(job))
	}
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the engine's process: %w", err), windows.CloseHandle(job))
	}
	err = windows.AssignProcessToJobObject(job, process)
	if err := errors.Join(err, windows.CloseHandle(process)); err != nil {
		return nil, errors.Join(fmt.Errorf("putting the engine into its job object: %w", err), windows.CloseHandle(job))
	}
	return &group{job: job, pid: cmd.Process.Pid}, nil
}

// setLimits has Windows end the processes of a job object with its last handle, besides further limits.
func setLimits(job windows.Handle, further, priority uint32) error {
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{}
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | further
	info.BasicLimitInformation.PriorityClass = priority
	_, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

// lower leaves the group what other programs do not want. The limit holds for the group's later children too.
func (g *group) lower() {
	// One that has ended has no priority any more, and nobody needs to know.
	_ = setLimits(g.job, windows.JOB_OBJECT_LIMIT_PRIORITY_CLASS, windows.IDLE_PRIORITY_CLASS)
}

// ask sends the group the console's break, which a program may take as its chance to end.
func (g *group) ask() {
	// An engine without a console cannot be asked; it is killed after the grace.
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.pid))
}

// kill ends every process of the job object.
func (g *group) kill() {
	// They may have ended already, which is what was wanted.
	_ = windows.TerminateJobObject(g.job, 1)
}

func (g *group) close() {
	// Closing the last handle also kills what is left; there is nothing to be done about a handle that will not close.
	_ = windows.CloseHandle(g.job)
}

func exitCode(err error) int {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return -1
	}
	return exit.ExitCode()
}
