# What the installation is told: OVERCRANK_ variables, or an invitation in the name of the package or in a file beside it. Nothing else says what the
# package's file is called, so it is looked for in the command lines of dpkg, apt, rpm or dnf, which run this script.
package_file() {
	pid=$$
	while pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status" 2>/dev/null) && [ "${pid:-0}" -gt 1 ]; do
		found=$(tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -E '(^|/)overcrank-agent[^/]*\.(deb|rpm)$' | head -n 1)
		case "$found" in
		"") continue ;;
		/*) ;;
		*) found=$(readlink "/proc/$pid/cwd")/$found ;;
		esac
		if [ -f "$found" ]; then
			printf '%s\n' "$found"
			return
		fi
	done
}

package=$(package_file)
set --
case "${package##*/}" in
*__*) set -- --package "$package" ;;
*) [ ! -f "${package%/*}/overcrank-invitation.json" ] || set -- --package "$package" ;;
esac
[ -z "$OVERCRANK_SERVER" ] || set -- "$@" --server "$OVERCRANK_SERVER"
[ -z "$OVERCRANK_CA_FILE" ] || set -- "$@" --ca-file "$OVERCRANK_CA_FILE"
[ -z "$OVERCRANK_FINGERPRINT" ] || set -- "$@" --fingerprint "$OVERCRANK_FINGERPRINT"
[ -z "$OVERCRANK_TAGS" ] || set -- "$@" --tags "$OVERCRANK_TAGS"
[ -z "$OVERCRANK_UPDATES" ] || set -- "$@" --updates "$OVERCRANK_UPDATES"
if [ $# -gt 0 ] || [ -n "$OVERCRANK_JOIN" ]; then
	[ -n "$upgrade" ] || set -- "$@" --first-install
	# In a variable, since every account can see command lines.
	OVERCRANK_AGENT_JOIN=$OVERCRANK_JOIN /usr/bin/overcrank-agent configure "$@"
fi
