// Package version says which version a tree of the sources is, in the forms that the formats of packages want.
package version

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Version is what a package is called by. Versions count upwards along one line of commits: by their tag first, by the commits since then after that.
type Version struct {
	Major, Minor, Patch int
	// Commits counts the commits since the tag MAJOR.MINOR.PATCH; 0 for the tagged commit itself.
	Commits int
	// Commit is the abbreviated hash of the commit; "" for the tagged commit itself.
	Commit string
	// Dirty tells that files were changed since the commit.
	Dirty bool
	// Time is when the commit was made, in UTC: the time of each file in a package.
	Time time.Time
}

// ErrNotAVersion is the error for text that is no version.
var ErrNotAVersion = errors.New("not a version such as 0.1.0, v0.1.0 or 0.1.0-123-g1a2b3c4")

// Places of the numbers that Windows Installer compares: 255.255.65535 is the largest that it takes.
const (
	commitsPerPatch = 1000
	largestMajor    = 255
	largestMinor    = 255
	largestBuild    = 65535
)

// untagged is what the versions count from in a clone without tags, which many clones are. A release after a thousand commits grows its minor number:
// the commits since the tag before it reach into those of the next patch.
const untagged = "0.1.0"

var form = regexp.MustCompile(`^v?([0-9]{1,5})\.([0-9]{1,5})\.([0-9]{1,5})(?:-([0-9]{1,7})-g([0-9a-f]{4,40}))?(-dirty)?$`)

// Parse reads a version as `git describe` and String write it; a leading v is dropped.
func Parse(text string) (Version, error) {
	m := form.FindStringSubmatch(text)
	if m == nil {
		return Version{}, fmt.Errorf("%q is %w", text, ErrNotAVersion)
	}
	number := func(i int) int { n, _ := strconv.Atoi(m[i]); return n } // digits, as the form has seen; "" is 0
	v := Version{Major: number(1), Minor: number(2), Patch: number(3), Commits: number(4), Commit: m[5], Dirty: m[6] != ""}
	if v.Major > largestMajor || v.Minor > largestMinor || v.Patch*commitsPerPatch+v.Commits > largestBuild {
		return Version{}, fmt.Errorf("%q is too large for Windows Installer, which takes 255.255.65535 at most: %w", text, ErrNotAVersion)
	}
	return v, nil
}

// Of asks git for the version of the sources in a folder. OVERCRANK_VERSION in the environment names another one, for sources without their history;
// SOURCE_DATE_EPOCH (seconds since 1970) another time, as reproducible-builds.org has it.
func Of(ctx context.Context, folder string) (Version, error) {
	v, err := described(ctx, folder)
	if err != nil {
		return Version{}, err
	}
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return Version{}, fmt.Errorf("reading SOURCE_DATE_EPOCH: %w", err)
		}
		v.Time = time.Unix(seconds, 0).UTC()
		return v, nil
	}
	text, err := git(ctx, folder, "log", "-1", "--format=%ct")
	if err != nil {
		return Version{}, fmt.Errorf("asking for the time of the commit (SOURCE_DATE_EPOCH names one): %w", err)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Version{}, fmt.Errorf("reading the time of the commit: %w", err)
	}
	v.Time = time.Unix(seconds, 0).UTC()
	return v, nil
}

func described(ctx context.Context, folder string) (Version, error) {
	if named := os.Getenv("OVERCRANK_VERSION"); named != "" {
		return Parse(named)
	}
	if text, err := git(ctx, folder, "describe", "--tags", "--dirty", "--match", "v[0-9]*"); err == nil {
		return Parse(text)
	}
	count, err := git(ctx, folder, "rev-list", "--count", "HEAD")
	if err != nil {
		return Version{}, fmt.Errorf("asking git for the version (OVERCRANK_VERSION names one): %w", err)
	}
	hash, err := git(ctx, folder, "describe", "--always", "--dirty", "--match", "v[0-9]*")
	if err != nil {
		return Version{}, fmt.Errorf("asking git for the commit: %w", err)
	}
	return Parse(untagged + "-" + count + "-g" + hash)
}

func git(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", folder}, args...)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(said.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// String is the version as the programs say it: 0.1.0, or 0.1.0-123-g1a2b3c4 for the 123rd commit after that.
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Commit != "" {
		text += fmt.Sprintf("-%d-g%s", v.Commits, v.Commit)
	}
	if v.Dirty {
		text += "-dirty"
	}
	return text
}

// Linux is the version for dpkg and rpm, neither of which takes a hyphen in it: 0.1.0+123.g1a2b3c4, which comes after 0.1.0 and before 0.1.1 for both.
func (v Version) Linux() string {
	text := fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch)
	if v.Commit != "" {
		text += fmt.Sprintf("+%d.g%s", v.Commits, v.Commit)
	}
	if v.Dirty {
		text += "+dirty"
	}
	return text
}

// Numeric is the version in three numbers, for Windows Installer and Apple's Installer, which take nothing else: the third is the patch times a thousand and
// the commits since then.
func (v Version) Numeric() string {
	return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch*commitsPerPatch+v.Commits)
}

// Number is the version as one number that grows with it: the release's number, by which agents refuse to go back.
func (v Version) Number() uint64 {
	const places = largestBuild + 1
	return (uint64(v.Major)*(largestMinor+1)+uint64(v.Minor))*places + uint64(v.Patch*commitsPerPatch+v.Commits)
}
