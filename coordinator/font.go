package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/farm/wire"
	"overcrank/fontfile"
	"overcrank/raftstore"
)

const (
	// MaxFont is how large a font file may be, in bytes.
	MaxFont     = 40 << 20
	maxFonts    = 5000 // of one team
	maxFontName = 255  // bytes
)

// FontFile is a font that has been received and read, and is not in a library yet.
type FontFile struct {
	ref   farm.FileRef
	faces []farm.FontUse
}

// fontExtensions are those of the files that hold fonts.
var fontExtensions = []string{".ttf", ".otf", ".ttc", ".otc"}

// checkFontName refuses what cannot be the name of a font's file.
func checkFontName(name string) error {
	if len(name) > maxFontName || !names.IsElement(name) {
		return farm.Invalid("the font has no file name, by which jobs would name it",
			farm.FieldError{Field: "font", Message: "has to be a file with a plain file name"})
	}
	if !slices.Contains(fontExtensions, strings.ToLower(path.Ext(name))) {
		return farm.Invalid("'"+name+"' is not named as a font is",
			farm.FieldError{Field: "font", Message: "has to be a file whose name ends in " + strings.Join(fontExtensions, ", ")})
	}
	return nil
}

// ReceiveFont takes in a font file, which AddFont then puts into the library; one that never comes there is dropped after a
// while. CodeInvalid says why a file is no font.
func (c *Coordinator) ReceiveFont(ctx context.Context, fileName string, body io.Reader) (FontFile, error) {
	if err := checkFontName(fileName); err != nil {
		return FontFile{}, err
	}
	obj, err := c.files.PutBlob(ctx, body, files.Limits{Size: -1, Max: MaxFont})
	if err != nil {
		return FontFile{}, receiveError("font", err)
	}
	faces, err := c.readFont(ctx, obj)
	var no *fontfile.Refusal
	if errors.As(err, &no) {
		return FontFile{}, farm.Invalid(fmt.Sprintf("'%s' cannot be taken as a font: %s", fileName, no.Reason),
			farm.FieldError{Field: "font", Message: no.Reason})
	}
	return FontFile{ref: farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: fileName}, faces: faces}, err
}

// readFont looks through one font at a time: each may take several times its size.
func (c *Coordinator) readFont(ctx context.Context, obj files.Object) ([]farm.FontUse, error) {
	path, done, err := c.files.Path(ctx, obj.Key)
	if err != nil {
		return nil, fmt.Errorf("reading a font: %w", err)
	}
	defer done()
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a font: %w", err)
	}
	defer f.Close()
	c.fontReading.Lock()
	defer c.fontReading.Unlock()
	return fontfile.Read(f, obj.Size)
}

// AddFont puts a received font into the library of the caller's team. familyName is "" for the font's own. The same file
// under the same name again is the font that is there; another file under a name that is taken is CodeConflict.
func (c *Coordinator) AddFont(ctx context.Context, p farm.Principal, file FontFile, familyName string) (farm.Font, error) {
	if err := p.May(farm.ActAddFonts); err != nil {
		return farm.Font{}, err
	}
	if err := c.StillIn(ctx, p); err != nil {
		return farm.Font{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Font{}, err
	} else if before {
		return c.Font(ctx, p, ids[0])
	}
	known, there, err := c.fontNamed(p.Team, file.ref.Name)
	if err != nil {
		return farm.Font{}, err
	}
	if there && known.File.SHA256 == file.ref.SHA256 && (familyName == "" || familyName == known.FamilyName) {
		return known, nil
	}
	id, err := c.state.NewID()
	if err != nil {
		return farm.Font{}, err
	}
	font := farm.Font{
		ID: id, Team: p.Team, FamilyName: cmp.Or(familyName, file.faces[0].Family), FileName: file.ref.Name, Faces: file.faces,
		File: file.ref, CreatedAt: c.cfg.Now(),
	}
	if _, err := c.state.Apply(ctx, raftstore.PutFont{Font: font}); err != nil {
		return farm.Font{}, err
	}
	return font, nil
}

// fontNamed finds the font of a file name, and refuses to go on for a library that is full.
func (c *Coordinator) fontNamed(team, fileName string) (font farm.Font, there bool, err error) {
	err = c.store.View(func(tx *raftstore.Tx) error {
		font, err = tx.FontNamed(team, fileName)
		there = err == nil
		if there || farm.CodeOf(err) != farm.CodeNotFound {
			return err
		}
		list, err := tx.Fonts(team)
		if err == nil && len(list) >= maxFonts {
			err = farm.Errorf(farm.CodeConflict, "the library has %d fonts, which is as many as it may have; delete those that are no longer used", len(list))
		}
		return err
	})
	return font, there, err
}

// Fonts lists the library of the caller's team, oldest first.
func (c *Coordinator) Fonts(_ context.Context, p farm.Principal) ([]farm.Font, error) {
	var list []farm.Font
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Fonts(p.Team)
		return err
	})
	return list, err
}

// Font finds a font of the caller's team.
func (c *Coordinator) Font(_ context.Context, p farm.Principal, id string) (farm.Font, error) {
	var font farm.Font
	err := c.store.View(func(tx *raftstore.Tx) (err error) {
		font, err = tx.Font(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && font.Team != p.Team {
		return farm.Font{}, farm.Errorf(farm.CodeNotFound, "there is no font %q", id)
	}
	return font, err
}

// DeleteFont removes a font; CodeConflict while jobs that have not ended use it.
func (c *Coordinator) DeleteFont(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActDeleteFonts); err != nil {
		return err
	}
	if _, err := c.Font(ctx, p, id); err != nil {
		return err
	}
	_, err := c.state.Apply(ctx, raftstore.DeleteFont{Team: p.Team, ID: id})
	return err
}

// settleFonts matches a job with its team's library: the fonts that it names, those that its assets ask for, and those that
// the template's text uses. t is nil, or has no fonts yet, while the project has not been read; the job is matched again then.
func (c *Coordinator) settleFonts(job *farm.Job, t *farm.Template) error {
	uses := job.FontUses()
	if t != nil {
		uses = append(uses, t.Fonts...)
	}
	if len(uses) == 0 && len(job.Fonts) == 0 {
		return nil
	}
	return c.store.View(func(tx *raftstore.Tx) (err error) {
		job.UsesFonts, job.MissingFonts, err = tx.MatchFonts(job.Team, job.Fonts, uses)
		return err
	})
}

// leaseFonts gives the fonts to install for a job as the library is now. A font that the job names and that is not there
// ends it; one that text uses is substituted.
func leaseFonts(tx *raftstore.Tx, job farm.Job, t *farm.Template) ([]farm.FileRef, error) {
	for _, name := range job.Fonts {
		if _, err := tx.FontNamed(job.Team, name); farm.CodeOf(err) == farm.CodeNotFound {
			return nil, farm.Errorf(farm.CodeInvalid, "Font '%s' not available", name)
		} else if err != nil {
			return nil, err
		}
	}
	uses := job.FontUses()
	if t != nil {
		uses = append(uses, t.Fonts...)
	}
	ids, _, err := tx.MatchFonts(job.Team, job.Fonts, uses)
	if err != nil {
		return nil, err
	}
	fonts := make([]farm.FileRef, 0, len(ids))
	for _, id := range ids {
		font, err := tx.Font(id)
		if err != nil {
			return nil, err
		}
		fonts = append(fonts, font.File)
	}
	return fonts, nil
}

// leaseExtras adds to a lease of an agent what the team's library and secrets have for it.
func (c *Coordinator) leaseExtras(tx *raftstore.Tx, lease *wire.Lease, job farm.Job, t *farm.Template, agent string) (err error) {
	if lease.Fonts, err = leaseFonts(tx, job, t); err != nil {
		return err
	}
	lease.Secrets, err = c.leaseSecrets(tx, job, agent)
	return err
}
