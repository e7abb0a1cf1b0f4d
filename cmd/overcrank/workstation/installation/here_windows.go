package installation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"

	"overcrank/cmd/overcrank/folders"
	"overcrank/interval"
	"overcrank/launcher"
)

// station is this machine.
type station struct{}

// Here is this machine.
func Here() Machine { return station{} }

// Access rights of folders, in SDDL, as the package sets them: the system and administrators have full access, and users none at all or may read and start.
const (
	rightsPrivate = "O:SYG:SYD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
	rightsRead    = rightsPrivate + "(A;OICI;0x1200a9;;;BU)"
)

// What the service is called, and what Windows says of it.
const (
	displayName = "Overcrank Agent"
	description = "Renders for the farm while nobody needs this machine."
)

// startTime is how long the service may take to start, and to stop.
const startTime = time.Minute

func programFiles() string {
	folder, err := windows.KnownFolderPath(windows.FOLDERID_ProgramFiles, windows.KF_FLAG_DEFAULT)
	if err != nil {
		folder = `C:\Program Files`
	}
	return filepath.Join(folder, "Overcrank")
}

func (station) Allowed() error {
	if !windows.GetCurrentProcessToken().IsElevated() {
		return fmt.Errorf("%w: run the command in a console that was opened with 'Run as administrator'", ErrAdministrator)
	}
	return nil
}

// Packaged looks for what the package alone writes into the registry.
func (station) Packaged(context.Context) (string, error) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `Software\Overcrank\Agent`, registry.QUERY_VALUE)
	if errors.Is(err, registry.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("looking for an installed package: %w", err)
	}
	defer func() { _ = key.Close() }() // nothing was written
	if _, _, err := key.GetStringValue("Version"); err != nil {
		return "", nil //nolint:nilerr // the key of something else
	}
	return "install the newer package to upgrade it, or remove it first: Settings > Apps > Overcrank Agent > Uninstall", nil
}

func (station) Launcher() string { return filepath.Join(programFiles(), "overcrank.exe") }

func (m station) Installed() bool {
	_, err := os.Stat(m.Launcher())
	return err == nil
}

func (m station) Place(ctx context.Context, p Programs) (bool, error) {
	data := filepath.Dir(folders.Agent())
	for _, folder := range []struct{ path, rights string }{
		{programFiles(), rightsRead}, {data, rightsRead}, {folders.Logs(), rightsRead}, {folders.Launcher(), rightsRead}, {folders.Agent(), rightsPrivate},
	} {
		if err := makeFolder(folder.path, folder.rights); err != nil {
			return false, err
		}
	}
	version := filepath.Join(programFiles(), "versions", p.Version)
	if err := os.MkdirAll(version, 0o755); err != nil {
		return false, fmt.Errorf("making the folder of the version: %w", err)
	}
	changed, err := m.replace(ctx, p.Agent, filepath.Join(version, launcher.Program()))
	if err != nil {
		return changed, fmt.Errorf("placing the agent: %w", err)
	}
	if p.Launcher != "" {
		replaced, err := m.replace(ctx, p.Launcher, m.Launcher())
		changed = changed || replaced
		if err != nil {
			return changed, fmt.Errorf("placing the launcher: %w", err)
		}
	}
	_ = others(filepath.Dir(version), p.Version) // one that runs until the service is started anew goes with the next installation
	return changed, m.register()
}

// replace puts a program in its place. One that runs cannot be replaced: the service is stopped then.
func (m station) replace(ctx context.Context, from, to string) (bool, error) {
	changed, err := putProgram(from, to)
	if err == nil {
		return changed, nil
	}
	if err := m.Stop(ctx); err != nil {
		return false, err
	}
	return putProgram(from, to)
}

// makeFolder makes a folder with these access rights, which it also gets when it is there: it may be somebody else's. A link is refused, since everybody may
// make one in C:\ProgramData, to a folder that only administrators can change. The folder above has to have its rights already.
func makeFolder(path, rights string) error {
	descriptor, err := windows.SecurityDescriptorFromString(rights)
	if err != nil {
		return fmt.Errorf("reading access rights: %w", err)
	}
	makeIt := launcher.MakeFolder // with rights of its own from the start
	if rights == rightsPrivate {
		makeIt = launcher.MakePrivateFolder
	}
	if err := makeIt(path); err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	folder, err := openFolder(path)
	if err != nil {
		return fmt.Errorf("opening %s: %w", path, err)
	}
	if err := errors.Join(setRights(folder, descriptor), windows.CloseHandle(folder)); err != nil {
		return fmt.Errorf("setting the access rights of %s: %w", path, err)
	}
	return nil
}

var (
	// errLink means that there is a link in the place of a folder.
	errLink = errors.New("it is a link to another folder, or no folder: remove it, and install again")
	// errForeign means that a folder is another account's.
	errForeign = errors.New("it belongs to")
)

// openFolder opens a folder itself, to set its rights: what another account puts in its place afterwards does not get them.
func openFolder(path string) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	const access = windows.READ_CONTROL | windows.WRITE_DAC | windows.WRITE_OWNER | windows.FILE_READ_ATTRIBUTES
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	const flags = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT // to open folders, and links themselves
	folder, err := windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, flags, 0)
	if err != nil {
		return 0, err
	}
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(folder, &info)
	if err == nil && (info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 || info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY == 0) {
		err = errLink
	}
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(folder))
	}
	return folder, nil
}

// checkOwner refuses a folder of an account that is no administrator: it may have opened the folder, and could then change rights that are set now.
func checkOwner(rights *windows.SECURITY_DESCRIPTOR) error {
	owner, _, err := rights.Owner()
	if err != nil {
		return err
	}
	self, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("finding out the account of this process: %w", err)
	}
	if owner.IsWellKnown(windows.WinLocalSystemSid) || owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.Equals(self.User.Sid) {
		return nil
	}
	name := owner.String()
	if account, domain, _, err := owner.LookupAccount(""); err == nil {
		name = domain + `\` + account
	}
	return fmt.Errorf("%w %s: remove it, and install again", errForeign, name)
}

// setRights sets owner and rights of an open folder.
func setRights(folder windows.Handle, rights *windows.SECURITY_DESCRIPTOR) error {
	now, err := windows.GetSecurityInfo(folder, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return err
	}
	if err := checkOwner(now); err != nil {
		return err
	}
	owner, _, err := rights.Owner()
	if err != nil {
		return err
	}
	list, _, err := rights.DACL()
	if err != nil {
		return err
	}
	set := func(owner *windows.SID) error {
		const what = windows.OWNER_SECURITY_INFORMATION | windows.DACL_SECURITY_INFORMATION | windows.PROTECTED_DACL_SECURITY_INFORMATION
		return windows.SetSecurityInfo(folder, windows.SE_FILE_OBJECT, what, owner, nil, list, nil)
	}
	if err := set(owner); !errors.Is(err, windows.ERROR_INVALID_OWNER) {
		return err
	}
	// An administrator without the privilege to give files away may give them to the group of administrators all the same.
	if owner, err = windows.CreateWellKnownSid(windows.WinBuiltinAdministratorsSid); err != nil {
		return err
	}
	return set(owner)
}

// register makes the service and the source of its events.
func (m station) register() error {
	services, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("asking Windows for its services: %w", err)
	}
	defer func() { _ = services.Disconnect() }() // nothing is lost
	config := mgr.Config{
		ServiceType: windows.SERVICE_WIN32_OWN_PROCESS, StartType: mgr.StartAutomatic, ErrorControl: mgr.ErrorNormal,
		DisplayName: displayName, Description: description, ServiceStartName: "LocalSystem",
	}
	service, err := services.OpenService(launcher.ServiceName)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		service, err = services.CreateService(launcher.ServiceName, m.Launcher(), config, "service")
	}
	if err != nil {
		return fmt.Errorf("making the service %s: %w", launcher.ServiceName, err)
	}
	defer func() { _ = service.Close() }() // nothing is lost
	return registerEvents()
}

// eventSource is the key of the registry for the events of the service, as the package has it.
const eventSource = `SYSTEM\CurrentControlSet\Services\EventLog\Application\` + launcher.ServiceName

// registerEvents makes the source of the service's events: a program of Windows shows any text.
func registerEvents() error {
	key, _, err := registry.CreateKey(registry.LOCAL_MACHINE, eventSource, registry.SET_VALUE)
	if err != nil {
		return fmt.Errorf("making the source of events: %w", err)
	}
	const errorsWarningsInfo = 7
	err = errors.Join(key.SetExpandStringValue("EventMessageFile", `%SystemRoot%\System32\EventCreate.exe`), key.SetDWordValue("TypesSupported", errorsWarningsInfo), key.Close())
	if err != nil {
		return fmt.Errorf("making the source of events: %w", err)
	}
	return nil
}

// withService does something with the service, nothing when there is none.
func withService(do func(*mgr.Service) error) error {
	services, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("asking Windows for its services: %w", err)
	}
	defer func() { _ = services.Disconnect() }() // nothing is lost
	service, err := services.OpenService(launcher.ServiceName)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the service %s: %w", launcher.ServiceName, err)
	}
	return errors.Join(do(service), service.Close())
}

// stop ends the service by its launcher, which waits until the process has ended and its program can be replaced.
func (m station) Stop(ctx context.Context) error {
	if !m.Installed() {
		return nil
	}
	if _, err := runProgram(ctx, m.Launcher(), "service", "--stop"); err != nil {
		return fmt.Errorf("stopping the service: %w", err)
	}
	return nil
}

func (m station) Start(ctx context.Context, again bool) error {
	if again {
		if err := m.Stop(ctx); err != nil {
			return err
		}
	}
	return withService(func(service *mgr.Service) error {
		if err := service.Start(); err != nil && !errors.Is(err, windows.ERROR_SERVICE_ALREADY_RUNNING) {
			return fmt.Errorf("starting the service: %w", err)
		}
		for end := time.Now().Add(startTime); time.Now().Before(end); {
			status, err := service.Query()
			if err != nil {
				return fmt.Errorf("asking whether the service runs: %w", err)
			}
			if status.State == svc.Running {
				return nil
			}
			if err := interval.Wait(ctx, 100*time.Millisecond); err != nil {
				return err
			}
		}
		return fmt.Errorf("the service does not run after %v; its log is in %s", startTime, folders.Logs())
	})
}

func (m station) Remove(ctx context.Context, purge bool, dataDir string) error {
	err := steps(
		func() error { return m.Stop(ctx) },
		func() error { return withService((*mgr.Service).Delete) },
		func() error {
			if err := registry.DeleteKey(registry.LOCAL_MACHINE, eventSource); err != nil && !errors.Is(err, registry.ErrNotExist) {
				return fmt.Errorf("removing the source of events: %w", err)
			}
			return nil
		},
		func() error { return removePrograms(programFiles()) },
		func() error { return remove(folders.Launcher()) },
	)
	if err != nil {
		return err
	}
	root := filepath.Dir(folders.Agent())
	if purge {
		if err := errors.Join(remove(root), removeData(dataDir)); err != nil {
			return err
		}
	}
	removeEmpty(folders.Agent(), folders.Logs(), root)
	return nil
}

// removePrograms deletes the folder of programs. This program may be one of them, and the launcher that was typed: Windows deletes those when it starts
// the next time.
func removePrograms(folder string) error {
	err := os.RemoveAll(folder)
	if err == nil {
		return nil
	}
	var later []string
	walked := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		later = append(later, path)
		return nil
	})
	if walked != nil {
		return errors.Join(err, walked)
	}
	for i := len(later) - 1; i >= 0; i-- { // what is in a folder before the folder
		name, err := windows.UTF16PtrFromString(later[i])
		if err != nil {
			return err
		}
		if err := windows.MoveFileEx(name, nil, windows.MOVEFILE_DELAY_UNTIL_REBOOT); err != nil {
			return fmt.Errorf("removing %s: %w", later[i], err)
		}
	}
	return nil
}
