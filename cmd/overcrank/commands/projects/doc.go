// Package projects has the commands that work on a project file on this machine, with the embedded engine and without a farm.
package projects
