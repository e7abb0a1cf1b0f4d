#!/bin/sh
# Takes the Overcrank agent off this Mac. With --purge its settings, identity, cache and logs go too. Without --purge, settings and cache stay.
set -u
PATH=/usr/bin:/bin:/usr/sbin:/sbin
export PATH

if [ "$(id -u)" -ne 0 ]; then
	echo "Taking the Overcrank agent off this Mac takes an administrator's password."
	exec sudo "$0" "$@"
fi
purge=no
case "${1:-}" in
--purge) purge=yes ;;
"") ;;
*)
	echo "usage: uninstall.command [--purge]" >&2
	exit 2
	;;
esac
volume=
folder="$volume/Library/Application Support/Overcrank"
link="$volume/usr/local/bin/overcrank"

@DESKTOPS@

for user in $(desktops); do
	launchctl bootout "gui/$user/studio.overcrank.session" 2>/dev/null
done
launchctl bootout system/studio.overcrank.agent 2>/dev/null
# The machine leaves its farm. When the farm cannot be reached, the agent says so and the uninstallation goes on.
[ ! -x "$folder/bin/overcrank" ] || "$folder/bin/overcrank" agent retire </dev/null
[ ! -x "$folder/bin/overcrank" ] || "$folder/bin/overcrank" agent panel remove
rm -f "$volume/Library/LaunchAgents/studio.overcrank.session.plist" "$volume/Library/LaunchDaemons/studio.overcrank.agent.plist"
rm -f "$volume/private/etc/newsyslog.d/studio.overcrank.agent.conf"
[ "$(readlink "$link")" != "$folder/bin/overcrank" ] || rm -f "$link"
pkgutil --forget studio.overcrank.agent >/dev/null 2>&1
pkgutil --forget studio.overcrank.panel >/dev/null 2>&1
# The data folder that the settings name, without the quotation marks that YAML allows.
data=$(sed -n 's/^data-dir:[[:space:]]*//p' "$folder/agent.yaml" 2>/dev/null | sed "s/^'\(.*\)'\$/\1/;s/^\"\(.*\)\"\$/\1/;s/''/'/g")
if [ "$purge" = yes ]; then
	# Another folder goes only if it is an agent's; beside it lies the one in which people's After Effects works.
	case "$data" in
	/?*) [ ! -f "$data/credential.json" ] && [ ! -f "$data/lock" ] || rm -rf "${data%/}" "${data%/}-work" ;;
	esac
	rm -rf "$volume/Library/Logs/Overcrank" "$folder"
else
	rm -rf "$folder/bin" "$folder/launcher" "$folder/panel" "$folder/licences.txt" "$folder/uninstall.command"
	rmdir "$folder" 2>/dev/null || echo "Settings and cache stay in $folder, logs in $volume/Library/Logs/Overcrank."
fi
echo "The Overcrank agent is no longer installed."
