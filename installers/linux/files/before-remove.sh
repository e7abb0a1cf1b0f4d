#!/bin/sh
# Runs before the files of {{.Package}} go. dpkg calls it with "remove" or "upgrade", rpm with how many versions will be left.
set -e

running() { [ -d /run/systemd/system ]; }

case "$1" in
remove | deconfigure | 0)
	if command -v systemctl >/dev/null; then
		if [ "$1" != 0 ] && systemctl is-enabled --quiet {{.Service}}; then
			# The folder is the service's, which must not have root write somewhere else: nothing follows a link here.
			rm -rf /var/lib/overcrank/{{.Service}}.enabled
			mkdir -m 700 /var/lib/overcrank/{{.Service}}.enabled || true
		fi
		if running; then
			systemctl stop {{.Service}}
		fi
		systemctl disable --quiet {{.Service}}
	fi
{{- if eq .Service "overcrank-agent"}}
	# An uninstalled machine leaves its farm. The credential is the service's, so it is read and deleted with its rights.
	if [ "$1" != deconfigure ] && [ -e /var/lib/overcrank/agent/credential.json ]; then
		runuser -u overcrank -- /usr/bin/overcrank-agent retire </dev/null || true
	fi
{{- end}}
	;;
upgrade)
	# Work is given back while the program is still there; after-install.sh starts the service again.
	if running && systemctl is-active --quiet {{.Service}}; then
		systemctl stop {{.Service}}
		: >/run/{{.Service}}.upgrade
	fi
	;;
esac
