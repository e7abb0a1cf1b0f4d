# Who has a desktop: the person at the screen and those who were switched away from.
desktops() {
	{
		stat -f %u /dev/console
		ps -axo uid=,comm= | awk '$2 ~ /\/Dock$/ { print $1 }'
	} 2>/dev/null | awk '$1 > 500 && !seen[$1]++ { print $1 }'
}
