#!/bin/sh
# Runs after the files of {{.Package}} are in place. dpkg calls it with "configure" and the version before, rpm with how many versions there are now.
set -e

case "$1" in
configure) [ -z "$2" ] || upgrade=yes ;;
1) ;;
2) upgrade=yes ;;
*) exit 0 ;; # dpkg goes back to the version before
esac

if ! getent passwd overcrank >/dev/null; then
	useradd --system --user-group --home-dir /var/lib/overcrank --no-create-home --shell /usr/sbin/nologin --comment Overcrank overcrank
fi
[ -d /var/lib/overcrank ] || install -d -m 755 -o overcrank -g overcrank /var/lib/overcrank
{{range .Data}}[ -d {{.}} ] || install -d -m 700 -o overcrank -g overcrank {{.}}
{{end}}
{{.Prepare}}
# Without systemd, as in the making of a disk image, the service is there when the machine starts.
running() { [ -d /run/systemd/system ]; }
# Debian's way of asking whether services may be started now.
control=systemctl
if command -v deb-systemd-invoke >/dev/null; then
	control=deb-systemd-invoke
fi
if running; then
	systemctl daemon-reload
fi
# before-remove.sh leaves this folder when the package is removed, but not purged.
was_enabled=/var/lib/overcrank/{{.Service}}.enabled
if [ -e $was_enabled ]{{if .AtOnce}} || [ -z "$upgrade" ]{{end}}; then
	rm -rf $was_enabled
	if command -v systemctl >/dev/null; then
		systemctl enable --quiet {{.Service}}
	fi
	if running; then
		$control start {{.Service}}.service || true
	fi
elif [ -e /run/{{.Service}}.upgrade ]; then
	rm -f /run/{{.Service}}.upgrade
	$control start {{.Service}}.service || true
elif [ -n "$upgrade" ] && running; then
	systemctl try-restart {{.Service}} || true
fi
{{.Say}}
