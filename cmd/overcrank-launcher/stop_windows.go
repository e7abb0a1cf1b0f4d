package main

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/mgr"

	"overcrank/launcher"
)

// stopTime is how long a service gets to end: more than the agent gets to give back its work.
const stopTime = time.Minute

// stopService stops the service and waits until its process has ended. Windows Installer itself waits for half a minute at most, and only until the service
// says that it has stopped, while its program cannot be replaced yet.
func stopService() error {
	services, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("asking Windows for its services: %w", err)
	}
	defer func() { _ = services.Disconnect() }() // nothing was written
	service, err := services.OpenService(launcher.ServiceName)
	if errors.Is(err, windows.ERROR_SERVICE_DOES_NOT_EXIST) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the service %s: %w", launcher.ServiceName, err)
	}
	defer func() { _ = service.Close() }()
	status, err := service.Query()
	if err != nil {
		return fmt.Errorf("asking whether the service runs: %w", err)
	}
	if status.ProcessId == 0 {
		return nil
	}
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, status.ProcessId)
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) { // it has ended meanwhile
		return nil
	}
	if err != nil {
		return fmt.Errorf("opening the service's process: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	_, err = service.Control(svc.Stop)
	if err != nil && !errors.Is(err, windows.ERROR_SERVICE_NOT_ACTIVE) && !errors.Is(err, windows.ERROR_SERVICE_CANNOT_ACCEPT_CTRL) { // it stops already
		return fmt.Errorf("stopping the service: %w", err)
	}
	switch waited, err := windows.WaitForSingleObject(process, uint32(stopTime.Milliseconds())); {
	case err != nil:
		return fmt.Errorf("waiting for the service to end: %w", err)
	case waited != windows.WAIT_OBJECT_0:
		return fmt.Errorf("the service has not ended within %v", stopTime)
	}
	return nil
}
