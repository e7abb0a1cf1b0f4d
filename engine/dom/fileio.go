package dom

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dop251/goja"

	"overcrank/aep"
	"overcrank/engine/sandbox"
)

func (s *session) defineFile(c *class) {
	get(c, "length", func(f *fileState) any {
		if info, ok := s.stat(f); ok {
			return info.Size()
		}
		return 0
	})
	get(c, "eof", func(f *fileState) any { return f.eof || f.handle == nil })
	attr(c, "encoding", func(f *fileState) any {
		if f.binary {
			return "BINARY"
		}
		return "UTF-8"
	}, func(f *fileState, v goja.Value) { f.binary = strings.EqualFold(v.String(), "BINARY") })
	for _, name := range []string{"lineFeed", "type", "creator"} {
		attr(c, name, func(f *fileState) any { return map[string]string{"lineFeed": "Unix"}[name] },
			func(*fileState, goja.Value) {})
	}
	method(c, "open", func(f *fileState, a args) any { return s.openFile(f, a.str(0)) })
	method(c, "close", func(f *fileState, _ args) any {
		if f.handle == nil {
			return false
		}
		err := f.handle.Close()
		f.handle, f.reader = nil, nil
		s.open = slices.DeleteFunc(s.open, func(o *fileState) bool { return o == f })
		return s.outcome(f, err)
	})
	method(c, "read", func(f *fileState, a args) any { return s.read(f, int64(a.num(0, maxFileRead))) })
	method(c, "readln", func(f *fileState, _ args) any { return s.readLine(f) })
	method(c, "write", func(f *fileState, a args) any { return s.write(f, a, "") })
	method(c, "writeln", func(f *fileState, a args) any { return s.write(f, a, "\n") })
	method(c, "copy", func(f *fileState, a args) any { return s.copy(f, s.pathOf(a.at(0))) })
	method(c, "resolve", func(f *fileState, _ args) any { return nil })
	method(c, "execute", func(f *fileState, _ args) any {
		s.throw("File.execute is not allowed: scripts of a job start no programs")
		return nil
	})
	method(c, "changePath", func(f *fileState, a args) any { f.path = unescaped(a.str(0)); return true })
	for _, name := range []string{"openDialog", "saveDialog"} {
		_ = c.ctor.Set(name, s.function(name, func(a args) any { s.log.write("File.%s: answered with nothing", name); return nil }))
	}
}

func (s *session) openFile(f *fileState, mode string) bool {
	rel := s.inside(f, "open")
	flags := map[string]int{"": os.O_RDONLY, "r": os.O_RDONLY, "w": os.O_RDWR | os.O_CREATE | os.O_TRUNC,
		"e": os.O_RDWR | os.O_CREATE, "a": os.O_RDWR | os.O_CREATE | os.O_APPEND}
	flag, ok := flags[strings.ToLower(mode)]
	if !ok {
		s.throw("File.open: unknown mode %q", short(mode))
	}
	if f.handle != nil {
		return s.outcome(f, errors.New("the file is open already"))
	}
	if len(s.open) >= maxOpenFiles {
		s.throw("File.open: more than %d files are open", maxOpenFiles)
	}
	if info, err := s.root.Stat(rel); err == nil && !info.Mode().IsRegular() {
		return s.outcome(f, errors.New("not a file"))
	}
	h, err := s.root.OpenFile(rel, flag, 0o644)
	if err != nil {
		return s.outcome(f, err)
	}
	f.handle, f.reader, f.eof = h, bufio.NewReader(h), false
	s.open = append(s.open, f)
	return s.outcome(f, nil)
}

func (s *session) read(f *fileState, n int64) string {
	if f.reader == nil {
		s.outcome(f, errors.New("the file is not open"))
		return ""
	}
	b, err := io.ReadAll(io.LimitReader(f.reader, min(max(n, 0), maxFileRead)))
	s.outcome(f, err)
	_, err = f.reader.Peek(1)
	f.eof = err != nil
	if f.binary {
		return fromBytes(b)
	}
	return strings.TrimPrefix(string(b), "\ufeff")
}

func (s *session) readLine(f *fileState) string {
	if f.reader == nil {
		s.outcome(f, errors.New("the file is not open"))
		return ""
	}
	var line []byte
	for len(line) < maxFileRead {
		part, err := f.reader.ReadSlice('\n')
		line = append(line, part...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			s.outcome(f, err)
		}
		break
	}
	_, err := f.reader.Peek(1)
	f.eof = err != nil
	return strings.TrimRight(string(line), "\r\n")
}

func (s *session) write(f *fileState, a args, end string) bool {
	if f.handle == nil {
		return s.outcome(f, errors.New("the file is not open"))
	}
	var b strings.Builder
	for i := range a.list {
		b.WriteString(a.at(i).String())
	}
	b.WriteString(end)
	text := b.String()
	if f.binary {
		text = toBytes(text)
	}
	n, err := f.handle.WriteString(s.allowed(text))
	s.written += int64(n)
	return s.outcome(f, err)
}

// fromBytes is what a file with the encoding BINARY is read as: a character for each byte.
func fromBytes(b []byte) string {
	var text strings.Builder
	for _, c := range b {
		text.WriteRune(rune(c))
	}
	return text.String()
}

// toBytes is the reverse of fromBytes. Of other characters the lowest byte is written.
func toBytes(text string) string {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

func (s *session) copy(from, to *fileState) bool {
	in, out := s.inside(from, "copy"), s.inside(to, "copy")
	r, err := s.root.Open(in)
	if err != nil {
		return s.outcome(from, err)
	}
	defer r.Close()
	w, err := s.root.Create(out)
	if err != nil {
		return s.outcome(from, err)
	}
	n, err := io.Copy(w, io.LimitReader(r, s.opt.Written-s.written+1))
	s.written += n
	done := s.outcome(from, errors.Join(err, w.Close()))
	s.allowed("")
	return done
}

// allowed returns text if the script may still write that much; otherwise it throws, so that no script fills the disk.
func (s *session) allowed(text string) string {
	if s.written+int64(len(text)) > s.opt.Written {
		s.throw("the script writes more than %d MiB into files", s.opt.Written>>20)
	}
	return text
}

// readWhole reads a file of the job's folder that is not larger than maxFileRead.
func (s *session) readWhole(rel string) ([]byte, error) {
	f, err := s.root.Open(rel)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxFileRead {
		return nil, fmt.Errorf("%q is not a file of at most %d MiB", filepath.Base(rel), maxFileRead>>20)
	}
	return io.ReadAll(io.LimitReader(f, maxFileRead))
}

// evalFile runs another script of the job's folder.
func (s *session) evalFile(v goja.Value) goja.Value {
	f := s.pathOf(v)
	rel := s.inside(f, "$.evalFile")
	text, err := s.readWhole(rel)
	if err != nil {
		s.throw("$.evalFile: no such file %q in the job's folder", short(f.path))
	}
	src, err := readSource(filepath.Base(rel), string(text), s.opt.Folder)
	if err != nil {
		s.throw("$.evalFile %q: %v", short(f.path), err)
	}
	prg, err := sandbox.Compile(src.name, src.text)
	if err != nil {
		f := sandbox.FaultOf(err)
		s.throw("$.evalFile %q, line %d: %s", short(f.File), f.Line, f.Message)
	}
	out, err := s.rt.RunProgram(prg)
	if err != nil {
		sandbox.Rethrow(err)
	}
	return out
}

// readData reads data footage for expressions.
func (s *session) readData(it *aep.Item) ([]byte, error) {
	if it == nil || it.Footage == nil || it.Footage.File.Resolved == "" {
		return nil, errors.New("the data file is missing")
	}
	if s.root == nil {
		return nil, errOutside
	}
	rel, ok := within(s.opt.Folder, it.Footage.File.Resolved)
	if !ok {
		return nil, errOutside
	}
	return s.readWhole(rel)
}
