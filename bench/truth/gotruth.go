// Command gotruth writes the definition go/types gives each identifier use of a Go repository.
//
// Usage: go run gotruth.go gotruth_uses.go ROOT OUT.jsonl
//
// In-repo packages are found by the module paths of the go.mod files, the standard library is
// checked from source, and third-party packages are replaced by empty ones. Files are chosen by
// the build constraints of the host platform. One JSON object is written per use.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

// use is one identifier use, in the benchmark's format.
type use struct {
	File       string   `json:"f"`
	Line       int      `json:"l"`
	Column     int      `json:"c"`
	Name       string   `json:"n"`
	Role       string   `json:"k"`
	Member     int      `json:"m,omitempty"`
	Package    int      `json:"pkg,omitempty"` // the qualifier is a package
	Targets    []target `json:"t"`
	Kinds      []string `json:"dk"`
	Local      int      `json:"loc,omitempty"`
	External   int      `json:"ext,omitempty"`
	Unresolved int      `json:"un,omitempty"`
}

// target is a declared name: path, line, byte column.
type target [3]any

// unit is one directory of Go files, split as the go tool splits them.
type unit struct {
	importPath string
	sources    []*ast.File
	tests      []*ast.File
	external   []*ast.File // package x_test
}

// truth holds what is shared by all packages of one repository.
type truth struct {
	root     string
	fset     *token.FileSet
	modules  map[string]string // directory -> module path
	units    map[string]*unit  // import path -> unit
	packages map[string]*types.Package
	loading  map[string]bool
	standard types.ImporterFrom
	spans    map[string][]span // file -> function extents
	out      *json.Encoder
	counts   [4]int
}

// span is the extent of a function, with the declared name that lies in it but is not local.
type span struct{ start, end, name token.Pos }

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go run gotruth.go ROOT OUT.jsonl")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gotruth:", err)
		os.Exit(1)
	}
}

func run(root, outPath string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	outFile, err := os.Create(outPath)
	if err != nil {
		return err
	}
	defer outFile.Close()
	buffered := bufio.NewWriter(outFile)
	build.Default.CgoEnabled = false
	fset := token.NewFileSet()
	t := &truth{
		root: root, fset: fset, modules: map[string]string{}, units: map[string]*unit{},
		packages: map[string]*types.Package{}, loading: map[string]bool{},
		standard: importer.ForCompiler(fset, "source", nil).(types.ImporterFrom),
		spans:    map[string][]span{}, out: json.NewEncoder(buffered),
	}
	t.out.SetEscapeHTML(false)
	if err := t.scan(); err != nil {
		return err
	}
	paths := make([]string, 0, len(t.units))
	for p := range t.units {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	for _, p := range paths {
		if err := t.checkUnit(t.units[p]); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "packages %d, uses %d, in-repo %d, ext %d, unresolved %d\n",
		len(paths), t.counts[0], t.counts[1], t.counts[2], t.counts[3])
	return buffered.Flush()
}

var modulePattern = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)"?`)

// scan finds the modules, then parses the files of every package directory.
func (t *truth) scan() error {
	var dirs []string
	err := filepath.WalkDir(t.root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		name := d.Name()
		if p != t.root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			name == "vendor" || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if data, err := os.ReadFile(filepath.Join(p, "go.mod")); err == nil {
			if match := modulePattern.FindSubmatch(data); match != nil {
				t.modules[p] = string(match[1])
			}
		}
		dirs = append(dirs, p)
		return nil
	})
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		if err := t.parseDir(dir); err != nil {
			return err
		}
	}
	return nil
}

// importPath gives a directory's import path by the nearest go.mod above it.
func (t *truth) importPath(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if module, ok := t.modules[at]; ok {
			rel, _ := filepath.Rel(at, dir)
			return path.Join(module, filepath.ToSlash(rel))
		}
		if at == t.root || at == filepath.Dir(at) {
			rel, _ := filepath.Rel(t.root, dir)
			return path.Join("local", filepath.ToSlash(rel))
		}
	}
}

func (t *truth) parseDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	byName := map[string]*unit{}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			continue
		}
		if match, err := build.Default.MatchFile(dir, name); err != nil || !match {
			continue
		}
		file, _ := parser.ParseFile(t.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if file == nil {
			continue
		}
		t.recordSpans(filepath.Join(dir, name), file)
		t.place(byName, dir, name, file)
	}
	return nil
}

// place puts a parsed file in the unit of its package.
func (t *truth) place(byName map[string]*unit, dir, name string, file *ast.File) {
	isTest := strings.HasSuffix(name, "_test.go")
	packageName := file.Name.Name
	isExternal := isTest && strings.HasSuffix(packageName, "_test")
	packageName = strings.TrimSuffix(packageName, "_test")
	u := byName[packageName]
	if u == nil {
		u = &unit{importPath: t.importPath(dir)}
		byName[packageName] = u
		key := u.importPath
		if len(byName) > 1 { // a second package name in one directory cannot be imported
			key += "#" + packageName
		}
		t.units[key] = u
	}
	switch {
	case isExternal:
		u.external = append(u.external, file)
	case isTest:
		u.tests = append(u.tests, file)
	default:
		u.sources = append(u.sources, file)
	}
}

func (t *truth) recordSpans(name string, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			t.spans[name] = append(t.spans[name], span{n.Pos(), n.End(), n.Name.Pos()})
		case *ast.FuncLit:
			t.spans[name] = append(t.spans[name], span{n.Pos(), n.End(), token.NoPos})
		}
		return true
	})
}

// Import gives the package of an import path.
func (t *truth) Import(importPath string) (*types.Package, error) {
	if p := t.packages[importPath]; p != nil {
		return p, nil
	}
	if u := t.units[importPath]; u != nil && len(u.sources) > 0 && !t.loading[importPath] {
		t.loading[importPath] = true
		p := t.check(importPath, u.sources, t, nil)
		t.packages[importPath] = p
		return p, nil
	}
	if first, _, _ := strings.Cut(importPath, "/"); !strings.Contains(first, ".") {
		if p, err := t.standard.ImportFrom(importPath, build.Default.GOROOT, 0); err == nil {
			t.packages[importPath] = p
			return p, nil
		}
	}
	return types.NewPackage(importPath, guessName(importPath)), fmt.Errorf("no package %s", importPath)
}

var versionSuffix = regexp.MustCompile(`^v[0-9]+$`)

// guessName guesses the name of a package that is not there from its import path.
func guessName(importPath string) string {
	name := path.Base(importPath)
	if versionSuffix.MatchString(name) && path.Dir(importPath) != "." {
		name = path.Base(path.Dir(importPath))
	}
	name, _, _ = strings.Cut(name, ".v")
	name = strings.TrimSuffix(strings.TrimPrefix(name, "go-"), "-go")
	return strings.ReplaceAll(strings.TrimSuffix(name, ".go"), "-", "")
}

// withTests imports one package as the variant that holds its in-package tests.
type withTests struct {
	*truth
	importPath string
	variant    *types.Package
}

func (w withTests) Import(importPath string) (*types.Package, error) {
	if importPath == w.importPath {
		return w.variant, nil
	}
	return w.truth.Import(importPath)
}

func (t *truth) check(importPath string, files []*ast.File, imp types.Importer, info *types.Info) *types.Package {
	config := types.Config{
		Importer: imp, FakeImportC: true, Error: func(error) {},
		Sizes: types.SizesFor("gc", build.Default.GOARCH),
	}
	p, _ := config.Check(importPath, t.fset, files, info)
	return p
}

// checkUnit checks a package with its tests, then its external tests, and writes their uses.
func (t *truth) checkUnit(u *unit) error {
	var variant *types.Package
	if files := append(append([]*ast.File{}, u.sources...), u.tests...); len(files) > 0 {
		info := newInfo()
		variant = t.check(u.importPath, files, t, info)
		if err := t.emit(files, info); err != nil {
			return err
		}
	}
	if len(u.external) == 0 {
		return nil
	}
	var imp types.Importer = t
	if variant != nil {
		imp = withTests{t, u.importPath, variant}
	}
	info := newInfo()
	t.check(u.importPath+"_test", u.external, imp, info)
	return t.emit(u.external, info)
}
