package library

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"strings"

	"overcrank/coordinator/files"
	"overcrank/coordinator/state"
	"overcrank/farm"
	"overcrank/farm/names"
	"overcrank/fontfile"
	"overcrank/raftstore"
)

// StandIn has a font of the library of the caller's team stand in for one that it lacks: a copy of it under that one's name is added, which whatever
// draws text finds as if it were the font. face is the PostScript name of one of the font's faces, "" for the only one. missing is what text or jobs
// call the font that is lacked: a PostScript name, or the name of a file. CodeConflict when the library has a font of that name, or when the font's
// licence forbids a copy.
func (f *Fonts) StandIn(ctx context.Context, p farm.Principal, id, face, missing string) (farm.Font, error) {
	if err := p.May(farm.ActAddFonts); err != nil {
		return farm.Font{}, err
	}
	if ids, before, err := state.Made(ctx); err != nil {
		return farm.Font{}, err
	} else if before {
		return f.Get(ctx, p, ids[0])
	}
	source, err := f.Get(ctx, p, id)
	if err != nil {
		return farm.Font{}, err
	}
	number, err := faceOf(source, face)
	if err != nil {
		return farm.Font{}, err
	}
	lacked, err := readLacked(missing)
	if err != nil {
		return farm.Font{}, err
	}
	if err := f.checkLacked(p.Team, lacked, source); err != nil {
		return farm.Font{}, err
	}
	content, err := f.renamed(ctx, source, number, lacked.postScript)
	if err != nil {
		return farm.Font{}, err
	}
	original := source.Faces[number].PostScript
	file, err := f.Receive(ctx, lacked.copyOf(original, content), bytes.NewReader(content))
	if err != nil {
		return farm.Font{}, err
	}
	file.copyOf = cmp.Or(source.CopyOf, original)
	return f.Add(ctx, p, file, "")
}

// FaceNamed finds a face of a library's fonts by its PostScript name. Of several with one name it is the newest, but a copy that stands in for another
// font only where there is nothing else.
func FaceNamed(list []farm.Font, postScript string) (id, face string, found bool) {
	key := farm.FontKey(postScript)
	copied := false
	for _, font := range list {
		for _, f := range font.Faces {
			if key != "" && farm.FontKey(f.PostScript) == key && (!found || copied || font.CopyOf == "") {
				id, face, found, copied = font.ID, f.PostScript, true, font.CopyOf != ""
			}
		}
	}
	return id, face, found
}

// faceOf is the number of a font's face of a PostScript name, within its file.
func faceOf(font farm.Font, face string) (int, error) {
	if face == "" && len(font.Faces) == 1 {
		return 0, nil
	}
	for i, f := range font.Faces {
		if face != "" && farm.FontKey(f.PostScript) == farm.FontKey(face) {
			return i, nil
		}
	}
	var has []string
	for _, f := range font.Faces {
		has = append(has, f.PostScript)
	}
	return 0, farm.Errorf(farm.CodeInvalid, "which font of '%s' is to stand in is not said", font.FileName).With(farm.Field("face", "has to be one of these: %s", strings.Join(has, ", ")))
}

// lackedFont is a font that a library lacks.
type lackedFont struct {
	postScript string
	file       string // that jobs name; "" where text names the font
}

// readLacked reads what text or jobs call a font.
func readLacked(name string) (lackedFont, error) {
	const none = "nothing can stand in for a font without a name that fonts may have"
	name = strings.TrimSpace(name)
	l, stem := lackedFont{}, name
	if ext := path.Ext(name); slices.Contains(fontExtensions, strings.ToLower(ext)) {
		if err := checkFontName(name); err != nil {
			return l, err
		}
		l.file, stem = name, strings.TrimSuffix(name, ext)
	}
	l.postScript = strings.Map(func(r rune) rune {
		if fontfile.InPostScriptName(r) {
			return r
		}
		return -1
	}, stem)
	switch {
	case name == "":
		return l, farm.Invalid(none, farm.Field("name", "is missing: the PostScript name of the font that the library lacks"))
	case farm.FontKey(l.postScript) == "" || farm.FontKey(l.postScript) != farm.FontKey(stem):
		return l, farm.Invalid(none, farm.Field("name", "may only have the letters A to Z, digits and hyphens, as PostScript names do; upload the font itself"))
	case len(l.postScript) > fontfile.MaxPostScriptName:
		return l, farm.Invalid(none, farm.Field("name", "has %d characters, and PostScript names have at most %d; upload the font itself", len(l.postScript), fontfile.MaxPostScriptName))
	}
	return l, nil
}

// copyOf is the name of the file with the copy of a font that stands in. A file that jobs name has that name: by it they find it.
func (l lackedFont) copyOf(postScript string, content []byte) string {
	if l.file != "" {
		return l.file
	}
	ext := ".ttf"
	if fontfile.IsOpenType(content) {
		ext = ".otf"
	}
	return names.Element(postScript+" for "+l.postScript, l.postScript) + ext
}

// checkLacked refuses a font that the library has. What jobs call by a file's name may be there in another file, which then is the one to choose.
func (f *Fonts) checkLacked(team string, l lackedFont, source farm.Font) error {
	return f.state.View(func(tx *raftstore.Tx) error {
		if l.file != "" {
			_, err := tx.FontNamed(team, l.file)
			if err == nil {
				return hasFont(l.file, l.file)
			}
			if farm.CodeOf(err) != farm.CodeNotFound {
				return err
			}
		}
		ids, _, err := tx.MatchFonts(team, nil, []farm.FontUse{{PostScript: l.postScript}})
		if err != nil || len(ids) == 0 || l.file != "" && ids[0] == source.ID {
			return err
		}
		font, err := tx.Font(ids[0])
		if err != nil {
			return err
		}
		return hasFont(l.postScript, font.FileName)
	})
}

func hasFont(name, fileName string) *farm.Error {
	return farm.Errorf(farm.CodeConflict, "the library has the font '%s' already, in the file '%s'; resubmit the jobs that lacked it, or delete that file first", name, fileName)
}

// Lacks tells whether the library of the caller's team lacks what text or jobs call a font.
func (f *Fonts) Lacks(_ context.Context, p farm.Principal, name string) (lacks bool, err error) {
	err = f.state.View(func(tx *raftstore.Tx) error {
		if slices.Contains(fontExtensions, strings.ToLower(path.Ext(name))) {
			_, err := tx.FontNamed(p.Team, name)
			if lacks = farm.CodeOf(err) == farm.CodeNotFound; lacks {
				err = nil
			}
			return err
		}
		_, missing, err := tx.MatchFonts(p.Team, nil, []farm.FontUse{{PostScript: name}})
		lacks = len(missing) > 0
		return err
	})
	return lacks, err
}

// renamed is a face of a font under another name.
func (f *Fonts) renamed(ctx context.Context, font farm.Font, number int, postScript string) (content []byte, err error) {
	key, err := files.BlobKey(font.File.SHA256)
	if err != nil {
		return nil, err
	}
	err = f.withFile(ctx, key, func(file *os.File) error {
		content, err = fontfile.Rename(file, font.File.Size, number, postScript)
		return err
	})
	var no *fontfile.Refusal
	switch {
	case errors.Is(err, fontfile.ErrRestricted):
		return nil, farm.Errorf(farm.CodeConflict, "'%s' says that its licence forbids embedding (fsType 2), so no copy of it is made; choose another font", font.FileName)
	case errors.As(err, &no):
		return nil, farm.Errorf(farm.CodeInvalid, "'%s' cannot be copied: %s", font.FileName, farm.AsIs(no.Reason))
	}
	return content, err
}
