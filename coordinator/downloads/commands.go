package downloads

import "strings"

// Command is how the package is installed silently with one tool.
type Command struct {
	Tool  string // such as "Intune"
	Where string // where the text goes, for people; "" for the command line
	Text  string // one line, or a playbook of Ansible
}

// Commands are the silent commands for the package's system, that of the command line first. On Linux and macOS none has the token in the arguments or the
// environment of a program, which other accounts and sudo's log see: printf is part of the shell.
func (i Invited) Commands() []Command {
	switch i.Package.Format {
	case "msi":
		return i.commandsWindows()
	case "pkg":
		return i.commandsMac()
	case "rpm":
		return i.commandsLinux("dnf install -y ")
	}
	return i.commandsLinux("apt-get install -y ")
}

func (i Invited) commandsWindows() []Command {
	name, answers := i.PlainName(), "SERVER="+i.address()+" JOIN="+i.Token
	run := func(folder string) string { return `msiexec /i "` + folder + name + `" /qn /norestart ` + answers }
	// Every account may add files to C:\Windows\Temp, and keeps its rights on a file that is overwritten.
	const folder = `C:\Program Files\`
	return []Command{
		{"SSH, PowerShell", "as an administrator", run("")},
		{"Intune", "Win32 app, install command", run("")},
		{"Group Policy", `computer startup script, in a share that only the machines may read: every account of the domain reads SYSVOL; SERVER\SHARE is where the package lies`,
			i.unlessInstalled() + run(`\\SERVER\SHARE\`)},
		{"SCCM", "application, installation program", run("")},
		{"Ansible", "playbook", `- hosts: HOSTS
  tasks:
    - ansible.windows.win_copy: {src: ` + name + `, dest: '` + folder + name + `'}
    - ansible.windows.win_package: {path: '` + folder + name + `', arguments: '/norestart ` + answers + `'}
      no_log: true`},
	}
}

// unlessInstalled has the command behind it run on machines that do not have this very version of the package, so that a start script upgrades too. The package
// leaves its version in the registry, where it also is when the farm has updated the agent since; reg ends a line with the value.
func (i Invited) unlessInstalled() string {
	return `reg query HKLM\Software\Overcrank\Agent /v Version 2>nul | findstr /e /l /c:" ` + odd.ReplaceAllString(i.Package.Version, "_") + `" >nul || `
}

func (i Invited) commandsMac() []Command {
	const folder = "/Library/Application Support/Overcrank"
	// Beside the package, the invitation would often be in Downloads, where macOS lets nobody's programs read.
	const file = folder + "/" + InvitationName
	place := "mkdir -p '" + folder + "' && (umask 077; " + i.print() + " > '" + file + "')"
	install := "installer -pkg " + i.PlainName() + " -target /"
	return []Command{
		{"SSH, Terminal", "", i.print() + ` | sudo sh -c 'mkdir -p "` + folder + `" && umask 077 && cat > "` + file + `"' && sudo ` + install},
		{"Jamf", "script before the package, with the priority Before", place},
		{"Munki", "preinstall_script of the package", place},
		{"Intune", "pre-install script of the macOS app (PKG)", place},
		{"Ansible", "playbook", i.playbook("/var/root/", "installer -target / -pkg ")},
	}
}

func (i Invited) commandsLinux(install string) []Command {
	name := i.PlainName()
	run := "sudo " + install + "./" + name + "; rm -f " + InvitationName
	return []Command{
		{"Command line", "", "(umask 077; " + i.print() + " > " + InvitationName + ") && " + run},
		{"SSH", "", "scp " + name + " HOST: && " + i.print() + " | ssh HOST '(umask 077; cat > " + InvitationName + ") && " + run + "'"},
		{"Ansible", "playbook", i.playbook("/root/", install)},
	}
}

// print is the command of a shell that prints the invitation.
func (i Invited) print() string { return "printf '%s' '" + i.text() + "'" }

// text is the invitation in one line without the end of the line. It has no apostrophe, as Check makes sure.
func (i Invited) text() string { return strings.TrimSpace(string(i.File())) }

// playbook installs the package with the invitation beside it, in a folder of root's. The path of the package completes the command.
func (i Invited) playbook(folder, install string) string {
	name := i.PlainName()
	return `- hosts: HOSTS
  become: true
  tasks:
    - ansible.builtin.copy: {src: ` + name + `, dest: ` + folder + name + `}
    - block:
        - ansible.builtin.copy: {content: '` + i.text() + `', dest: ` + folder + InvitationName + `, mode: "0600"}
          no_log: true
        - ansible.builtin.command: ` + install + folder + name + `
      always:
        - ansible.builtin.file: {path: ` + folder + InvitationName + `, state: absent}`
}
