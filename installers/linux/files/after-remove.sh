#!/bin/sh
# Runs after the files of {{.Package}} are gone. dpkg calls it with "remove", "purge" or "upgrade", rpm with how many versions are left.
set -e

if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
fi
if [ "$1" = purge ]; then
	rm -rf{{range .Data}} {{.}}{{end}}{{range .Files}} {{.}}{{end}} /var/lib/overcrank/{{.Service}}.enabled
	# What the other package or an administrator has there stays; so does the account, since files elsewhere may be its own.
	rmdir /var/lib/overcrank /etc/overcrank 2>/dev/null || true
fi
