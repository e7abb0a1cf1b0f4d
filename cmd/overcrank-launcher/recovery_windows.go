package main

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/windows/svc/mgr"

	"overcrank/launcher"
)

// recovery has Windows restart the service when it fails. Set here because the MSI table for it is unreliable.
var recovery = []mgr.RecoveryAction{
	{Type: mgr.ServiceRestart, Delay: 5 * time.Second}, {Type: mgr.ServiceRestart, Delay: 30 * time.Second}, {Type: mgr.ServiceRestart, Delay: time.Minute},
}

// forgetFailures is how long the service must run without a failure before the shortest pause applies again.
const forgetFailures = 24 * time.Hour

// startAgainAfterFailures has Windows start the service again when it fails.
func startAgainAfterFailures() error {
	services, err := mgr.Connect()
	if err != nil {
		return fmt.Errorf("asking Windows for its services: %w", err)
	}
	defer func() { _ = services.Disconnect() }() // nothing is lost
	service, err := services.OpenService(launcher.ServiceName)
	if err != nil {
		return fmt.Errorf("opening the service %s: %w", launcher.ServiceName, err)
	}
	err = errors.Join(service.SetRecoveryActions(recovery, uint32(forgetFailures/time.Second)), service.SetRecoveryActionsOnNonCrashFailures(true))
	if err != nil {
		err = fmt.Errorf("having Windows start the service again after failures: %w", err)
	}
	return errors.Join(err, service.Close())
}
