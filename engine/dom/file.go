package dom

import (
	"bufio"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"

	"github.com/dop251/goja"

	"overcrank/engine/sandbox"
)

const (
	maxOpenFiles = 64
	maxFileRead  = 64 << 20 // bytes that one read returns at most
)

// errOutside marks a path outside the job's folder.
var errOutside = errors.New("outside the job's folder")

// fileState is a File or Folder object. Its path is as the script gave it, unescaped.
type fileState struct {
	path   string
	folder bool
	handle *os.File
	reader *bufio.Reader
	err    string
	eof    bool
	binary bool // its encoding is BINARY: a character is a byte
}

func (s *session) closeFiles() {
	for _, f := range s.open {
		if f.handle != nil {
			_ = f.handle.Close()
		}
	}
}

// local is the path of f relative to the job's folder; errOutside when it is not in it.
func (s *session) local(f *fileState) (string, error) {
	if s.root == nil {
		return "", errOutside
	}
	rel, ok := within(s.opt.Folder, f.path)
	if !ok {
		return "", errOutside
	}
	return rel, nil
}

// inside is local for reading and writing; it throws errors.
func (s *session) inside(f *fileState, what string) string {
	rel, err := s.local(f)
	if err != nil {
		s.throw("%s %q: outside the job's folder", what, short(f.path))
	}
	return rel
}

func (s *session) stat(f *fileState) (fs.FileInfo, bool) {
	rel, err := s.local(f)
	if err != nil {
		return nil, false
	}
	info, err := s.root.Stat(rel)
	return info, err == nil
}

func (s *session) absolute(f *fileState) string {
	if rel, err := s.local(f); err == nil {
		if abs, err := filepath.Abs(filepath.Join(s.opt.Folder, rel)); err == nil {
			return abs
		}
	}
	return f.path
}

// pathOf reads a path or a File object.
func (s *session) pathOf(v goja.Value) *fileState {
	if f, ok := optional[*fileState](s, v); ok {
		return f
	}
	return &fileState{path: unescaped(v.String())}
}

// unescaped decodes a path as After Effects does: it may be a URL, in which two hexadecimal digits after a percent sign
// stand for a byte. A percent sign before anything else stands for itself.
func unescaped(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if c, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// escaped encodes a path as After Effects returns it: unescaped restores it.
func escaped(path string) string { return (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath() }

func (s *session) fileObject(path string) goja.Value {
	return s.classes.file.object(&fileState{path: path})
}

func (s *session) defineFiles() {
	c := &s.classes
	c.file = s.class("File", nil, nil)
	c.folder = s.class("Folder", nil, nil)
	s.pathClass(c.file, false)
	s.pathClass(c.folder, true)
	for _, k := range []*class{c.file, c.folder} {
		s.definePath(k)
	}
	s.defineFile(c.file)
	s.defineFolder(c.folder)
}

// pathClass makes File and Folder work with and without new.
func (s *session) pathClass(c *class, folder bool) {
	make := func(list []goja.Value) *goja.Object {
		a := args{s: s, name: c.name, list: list}
		f := &fileState{path: ".", folder: folder}
		if a.has(0) {
			f.path = s.pathOf(a.at(0)).path
		}
		return c.object(f)
	}
	ctor := s.rt.ToValue(func(call goja.ConstructorCall) *goja.Object { return make(call.Arguments) }).(*goja.Object)
	plain := s.rt.ToValue(func(call goja.FunctionCall) goja.Value { return make(call.Arguments) })
	_ = s.rt.Set("__construct", ctor)
	_ = s.rt.Set("__call", plain)
	v, err := s.rt.RunScript("<file>", `(function (build, call) {
		return function () { return new.target ? new build(arguments[0]) : call.apply(null, arguments); };
	})(__construct, __call)`)
	_ = s.rt.GlobalObject().Delete("__construct")
	_ = s.rt.GlobalObject().Delete("__call")
	if err != nil {
		panic(err)
	}
	c.ctor = v.(*goja.Object)
	_ = c.ctor.Set("prototype", c.proto)
	_ = c.proto.DefineDataProperty("constructor", c.ctor, goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE)
	_ = s.rt.Set(c.name, c.ctor)
}

func (s *session) definePath(c *class) {
	get(c, "exists", func(f *fileState) any {
		info, ok := s.stat(f)
		return ok && info.IsDir() == f.folder
	})
	get(c, "name", func(f *fileState) any { return url.PathEscape(base(s.absolute(f))) })
	get(c, "displayName", func(f *fileState) any { return base(s.absolute(f)) })
	get(c, "fsName", func(f *fileState) any { return s.absolute(f) })
	for _, name := range []string{"fullName", "absoluteURI", "relativeURI"} {
		get(c, name, func(f *fileState) any { return escaped(s.absolute(f)) })
	}
	get(c, "path", func(f *fileState) any { return escaped(filepath.Dir(s.absolute(f))) })
	get(c, "parent", func(f *fileState) any {
		return s.classes.folder.object(&fileState{path: filepath.Dir(s.absolute(f)), folder: true})
	})
	get(c, "error", func(f *fileState) any { return f.err })
	get(c, "alias", func(f *fileState) any { return false })
	for _, name := range []string{"modified", "created"} {
		get(c, name, func(f *fileState) any {
			info, ok := s.stat(f)
			if !ok {
				return nil
			}
			d, err := s.rt.New(s.rt.Get("Date"), s.rt.ToValue(info.ModTime().UnixMilli()))
			if err != nil {
				return nil
			}
			return d
		})
	}
	method(c, "toString", func(f *fileState, _ args) any { return escaped(s.absolute(f)) })
	method(c, "getRelativeURI", func(f *fileState, a args) any {
		rel, err := s.local(f)
		if err != nil {
			return escaped(s.absolute(f))
		}
		return escaped(rel)
	})
	method(c, "remove", func(f *fileState, _ args) any {
		rel := s.inside(f, "remove")
		if rel == "." {
			s.throw("remove: the job's folder itself stays")
		}
		return s.outcome(f, s.root.Remove(rel))
	})
	method(c, "rename", func(f *fileState, a args) any {
		from := s.inside(f, "rename")
		to := &fileState{path: filepath.Join(filepath.Dir(from), filepath.Base(a.str(0)))}
		if !s.outcome(f, s.root.Rename(from, s.inside(to, "rename"))) {
			return false
		}
		f.path = to.path
		return true
	})
	for _, name := range []string{"decode", "encode"} {
		_ = c.ctor.Set(name, s.function(name, func(a args) any {
			if name == "encode" {
				return url.PathEscape(a.str(0))
			}
			return unescaped(a.str(0))
		}))
	}
	_ = c.ctor.Set("fs", map[bool]string{true: "Windows", false: "Unix"}[filepath.Separator == '\\'])
}

func base(path string) string {
	path = strings.ReplaceAll(path, "\\", "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// outcome stores an error for the error attribute and tells whether there was none.
func (s *session) outcome(f *fileState, err error) bool {
	f.err = ""
	if err != nil {
		f.err = err.Error()
		return false
	}
	return true
}

func (s *session) defineFolder(c *class) {
	method(c, "create", func(f *fileState, _ args) any {
		return s.outcome(f, s.root.MkdirAll(s.inside(f, "create"), 0o755))
	})
	method(c, "getFiles", func(f *fileState, a args) any { return s.list(f, a.at(0)) })
	job := func() any { return c.object(&fileState{path: ".", folder: true}) }
	for _, name := range []string{"current", "temp", "desktop", "myDocuments", "userData", "appData", "startup", "system", "trash", "commonFiles", "appPackage"} {
		_ = c.ctor.DefineAccessorProperty(name, s.function(name, func(args) any { return job() }), nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	_ = c.ctor.Set("selectDialog", s.function("selectDialog", func(args) any { return nil }))
}

// list lists the entries of a folder that match a mask ("*.png") or that a function accepts.
func (s *session) list(f *fileState, filter goja.Value) any {
	rel := s.inside(f, "getFiles")
	entries, err := fs.ReadDir(s.root.FS(), filepath.ToSlash(rel))
	if !s.outcome(f, err) {
		return []goja.Value{}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	pick, isFunc := goja.AssertFunction(filter)
	mask := "*"
	if !isFunc && !goja.IsUndefined(filter) {
		mask = filter.String()
	}
	out := []goja.Value{}
	for _, e := range entries {
		entry := &fileState{path: filepath.Join(rel, e.Name()), folder: e.IsDir()}
		k := s.classes.file
		if entry.folder {
			k = s.classes.folder
		}
		o := k.object(entry)
		if isFunc {
			v, err := pick(goja.Undefined(), o)
			if err != nil {
				sandbox.Rethrow(err)
			}
			if !v.ToBoolean() {
				continue
			}
		} else if ok, err := filepath.Match(strings.ToLower(mask), strings.ToLower(e.Name())); err != nil || !ok {
			continue
		}
		out = append(out, o)
	}
	return out
}
