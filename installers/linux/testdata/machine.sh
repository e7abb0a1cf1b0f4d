#!/bin/sh
# Becomes a machine with systemd as its first process, which has this machine's files and keeps what it changes to itself.
#   unshare --mount --pid --fork --net --uts --ipc --cgroup machine.sh FOLDER PACKAGES
# FOLDER is empty; PACKAGES is at /mnt in the machine.
set -eu
folder=$1 packages=$2
root=$folder/root

mount --make-rprivate /
ip link set lo up
mount -t tmpfs tmpfs "$folder"
mkdir "$folder/changes" "$folder/work" "$root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/changes,workdir=$folder/work" "$root"

mount -t proc proc "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
mount -t tmpfs -o mode=755 tmpfs "$root/run"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
	: >"$root/dev/$device"
	mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s /proc/self/fd "$root/dev/fd"
ln -s pts/ptmx "$root/dev/ptmx"
mount --bind "$packages" "$root/mnt"

# An empty machine but for its log: nothing of this one's is started.
units=$root/run/systemd/system
mkdir -p "$units"
printf '[Unit]\nRequires=systemd-journald.service\nAfter=systemd-journald.service\n' >"$units/empty.target"
for unit in sysinit.target basic.target; do
	printf '[Unit]\nDefaultDependencies=no\n' >"$units/$unit"
done
rm -rf "$root/var/lib/overcrank" "$root/etc/overcrank"
# Where this machine is a container, it forbids packages to start their services.
rm -f "$root/usr/sbin/policy-rc.d"
cd /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$root" /lib/systemd/systemd --system --unit=empty.target --show-status=no --log-target=null
