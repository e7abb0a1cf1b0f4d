package library

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
	"sync"

	"overcrank/coordinator/cache"
	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/fontfile"
	"overcrank/raftstore"
	"overcrank/raftstore/command"
)

const (
	// MaxFont is how large a font file may be, in bytes.
	MaxFont     = 40 << 20
	maxFonts    = 5000 // of one team
	maxFontName = 255  // bytes
)

// Fonts are the fonts of all teams. Its methods may be called at the same time.
type Fonts struct {
	state   *state.State
	files   files.Store
	members Members
	reading sync.Mutex // held while a font file is read

	drawer    []string            // draws specimens in a process of its own, see specimen.Draw
	drawing   chan struct{}       // has room for one
	specimens cache.Cache[[]byte] // by hash and face; empty for a font of which nothing can be drawn
}

// NewFonts gives the fonts of a state, whose files are in a store. Drawer is the program that draws them, see specimen.Draw.
func NewFonts(s *state.State, store files.Store, members Members, drawer []string) *Fonts {
	return &Fonts{state: s, files: store, members: members, drawer: drawer, drawing: make(chan struct{}, 1)}
}

// FontFile is a font that was received and read, and is not in a library yet.
type FontFile struct {
	ref    farm.FileRef
	faces  []farm.FontUse
	copyOf string // see farm.Font
}

// fontExtensions are those of the files that hold fonts.
var fontExtensions = []string{".ttf", ".otf", ".ttc", ".otc"}

// checkFontName refuses what cannot be the name of a font's file.
func checkFontName(name string) error {
	if len(name) > maxFontName || !names.IsElement(name) {
		return farm.Invalid("the font has no file name, by which jobs would name it",
			farm.Field("font", "has to be a file with a plain file name"))
	}
	if !slices.Contains(fontExtensions, strings.ToLower(path.Ext(name))) {
		return farm.Errorf(farm.CodeInvalid, "'%s' is not named as a font is", name).
			With(farm.Field("font", "has to be a file whose name ends in %s", strings.Join(fontExtensions, ", ")))
	}
	return nil
}

// Receive stores a font file, which Add then puts into a library. A file that is never added is deleted after a while. CodeInvalid
// says why a file is no font.
func (f *Fonts) Receive(ctx context.Context, fileName string, body io.Reader) (FontFile, error) {
	if err := checkFontName(fileName); err != nil {
		return FontFile{}, err
	}
	obj, err := f.files.PutBlob(ctx, body, files.Limits{Size: -1, Max: MaxFont})
	if err != nil {
		return FontFile{}, files.ReceiveError("font", err)
	}
	faces, err := f.read(ctx, obj)
	var no *fontfile.Refusal
	if errors.As(err, &no) {
		return FontFile{}, farm.Errorf(farm.CodeInvalid, "'%s' cannot be taken as a font: %s", fileName, farm.AsIs(no.Reason)).
			With(farm.Field("font", "%s", farm.AsIs(no.Reason)))
	}
	return FontFile{ref: farm.FileRef{SHA256: obj.SHA256, Size: obj.Size, Name: fileName}, faces: faces}, err
}

// read reads the faces of a font.
func (f *Fonts) read(ctx context.Context, obj files.Object) (faces []farm.FontUse, err error) {
	err = f.withFile(ctx, obj.Key, func(file *os.File) error {
		faces, err = fontfile.Read(file, obj.Size)
		return err
	})
	return faces, err
}

// withFile has one font read at a time: each may take several times its size in memory.
func (f *Fonts) withFile(ctx context.Context, key string, read func(*os.File) error) error {
	path, done, err := f.files.Path(ctx, key)
	if err != nil {
		return fmt.Errorf("reading a font: %w", err)
	}
	defer done()
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("reading a font: %w", err)
	}
	defer file.Close()
	f.reading.Lock()
	defer f.reading.Unlock()
	return read(file)
}

// Add puts a received font into the library of the caller's team. familyName is "" for the font's own. The same file under the same
// name again gives the font that is there; another file under a name that is taken is CodeConflict.
func (f *Fonts) Add(ctx context.Context, p farm.Principal, file FontFile, familyName string) (farm.Font, error) {
	if err := p.May(farm.ActAddFonts); err != nil {
		return farm.Font{}, err
	}
	if err := f.members.StillIn(ctx, p); err != nil {
		return farm.Font{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Font{}, err
	} else if before {
		return f.Get(ctx, p, ids[0])
	}
	known, there, err := f.named(p.Team, file.ref.Name)
	if err != nil {
		return farm.Font{}, err
	}
	if there && known.File.SHA256 == file.ref.SHA256 && (familyName == "" || familyName == known.FamilyName) {
		return known, nil
	}
	id, err := f.state.NewID()
	if err != nil {
		return farm.Font{}, err
	}
	font := farm.Font{
		ID: id, Team: p.Team, FamilyName: cmp.Or(familyName, file.faces[0].Family), FileName: file.ref.Name, Faces: file.faces,
		File: file.ref, CreatedAt: f.state.Now(), CopyOf: file.copyOf,
	}
	if _, err := f.state.Apply(ctx, command.PutFont{Font: font}); err != nil {
		return farm.Font{}, err
	}
	return font, nil
}

// named finds the font with a file name. A library that is full and has none is CodeConflict.
func (f *Fonts) named(team, fileName string) (font farm.Font, there bool, err error) {
	err = f.state.View(func(tx *raftstore.Tx) error {
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

// List gives the fonts of the caller's team, oldest first.
func (f *Fonts) List(_ context.Context, p farm.Principal) ([]farm.Font, error) {
	var list []farm.Font
	err := f.state.View(func(tx *raftstore.Tx) (err error) {
		list, err = tx.Fonts(p.Team)
		return err
	})
	return list, err
}

// Get gives a font of the caller's team; CodeNotFound when the team has none with this id.
func (f *Fonts) Get(_ context.Context, p farm.Principal, id string) (farm.Font, error) {
	var font farm.Font
	err := f.state.View(func(tx *raftstore.Tx) (err error) {
		font, err = tx.Font(id)
		return err
	})
	if farm.CodeOf(err) == farm.CodeNotFound || err == nil && font.Team != p.Team {
		return farm.Font{}, farm.Errorf(farm.CodeNotFound, "there is no font %q", id)
	}
	return font, err
}

// Delete deletes a font; CodeConflict while jobs that have not ended use it.
func (f *Fonts) Delete(ctx context.Context, p farm.Principal, id string) error {
	if err := p.May(farm.ActDeleteFonts); err != nil {
		return err
	}
	if _, err := f.Get(ctx, p, id); err != nil {
		return err
	}
	_, err := f.state.Apply(ctx, command.DeleteFont{Team: p.Team, ID: id})
	return err
}

// Match notes in a job which fonts of its team's library it uses and which are missing: of those that it names, those that its assets
// ask for, and those that the template's text uses. t is nil, or has no fonts yet, while the project has not been read; the job is
// matched again then.
func (f *Fonts) Match(job *farm.Job, t *farm.Template) error {
	uses := fontUses(job, t)
	if len(uses) == 0 && len(job.Fonts) == 0 {
		return nil
	}
	return f.state.View(func(tx *raftstore.Tx) (err error) {
		job.UsesFonts, job.MissingFonts, err = tx.MatchFonts(job.Team, job.Fonts, uses)
		return err
	})
}

// Lacking are those of some fonts, by their PostScript names, that the library of the caller's team does not have.
func (f *Fonts) Lacking(_ context.Context, p farm.Principal, names []string) (missing []string, err error) {
	uses := make([]farm.FontUse, len(names))
	for i, name := range names {
		uses[i].PostScript = name
	}
	err = f.state.View(func(tx *raftstore.Tx) error {
		_, missing, err = tx.MatchFonts(p.Team, nil, uses)
		return err
	})
	return missing, err
}

// fontUses are the fonts that a job's assets and its template's text use.
func fontUses(job *farm.Job, t *farm.Template) []farm.FontUse {
	uses := job.FontUses()
	if t != nil {
		uses = append(uses, t.Fonts...)
	}
	return uses
}

// FontsFor gives the fonts to install for a job, from the library as it is now. A font that the job names and that is not there ends
// the job; one that text uses is substituted by the engine.
func FontsFor(tx *raftstore.Tx, job farm.Job, t *farm.Template) ([]farm.FileRef, error) {
	for _, name := range job.Fonts {
		if _, err := tx.FontNamed(job.Team, name); farm.CodeOf(err) == farm.CodeNotFound {
			return nil, farm.Errorf(farm.CodeInvalid, "Font '%s' not available", name).OfCause(farm.CauseFont, name)
		} else if err != nil {
			return nil, err
		}
	}
	ids, _, err := tx.MatchFonts(job.Team, job.Fonts, fontUses(&job, t))
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
