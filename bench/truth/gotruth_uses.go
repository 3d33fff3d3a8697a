package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"strings"
)

func newInfo() *types.Info {
	return &types.Info{
		Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{},
	}
}

func (t *truth) emit(files []*ast.File, info *types.Info) error {
	for _, file := range files {
		roles, members := context(file, info)
		var failed error
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok || failed != nil {
				return failed == nil
			}
			failed = t.emitIdent(id, info, roles[id], members[id])
			return true
		})
		if failed != nil {
			return failed
		}
	}
	return nil
}

// emitIdent writes one identifier, unless it declares, is blank, or names a package or a label.
func (t *truth) emitIdent(id *ast.Ident, info *types.Info, role string, qualifier ast.Expr) error {
	object := info.Uses[id]
	_, declares := info.Defs[id]
	if object == nil && (declares || role == "skip") || id.Name == "_" || id.Name == "" {
		return nil
	}
	if object != nil && object.Pos() == id.Pos() { // a receiver's type parameter declares itself
		return nil
	}
	switch object.(type) {
	case *types.PkgName, *types.Label:
		return nil
	case *types.TypeName:
		if role != "heritage" {
			role = "type"
		}
	}
	if role == "" {
		role = "ref"
	}
	at := t.fset.PositionFor(id.Pos(), false)
	u := use{File: t.relative(at.Filename), Line: at.Line, Column: at.Column - 1, Name: id.Name,
		Role: role, Targets: []target{}, Kinds: []string{}}
	foreign := false // a member of a third-party package, which is an empty one here
	if qualifier != nil {
		u.Member = 1
		if q, ok := qualifier.(*ast.Ident); ok {
			if name, ok := info.Uses[q].(*types.PkgName); ok {
				u.Package = 1
				foreign = t.units[name.Imported().Path()] == nil
			}
		}
	}
	t.resolve(&u, object, foreign)
	t.counts[0]++
	return t.out.Encode(u)
}

// resolve fills in where the object is declared.
func (t *truth) resolve(u *use, object types.Object, foreign bool) {
	switch o := object.(type) {
	case nil:
		if foreign {
			u.External = 1
			t.counts[2]++
			return
		}
		u.Unresolved = 1
		t.counts[3]++
		return
	case *types.Func:
		object = o.Origin()
	case *types.Var:
		object = o.Origin()
	}
	at := t.fset.PositionFor(object.Pos(), false)
	rel := t.relative(at.Filename)
	if !object.Pos().IsValid() || rel == "" {
		u.External = 1
		t.counts[2]++
		return
	}
	t.counts[1]++
	u.Targets = append(u.Targets, target{rel, at.Line, at.Column - 1})
	u.Kinds = append(u.Kinds, kindOf(object))
	if t.isLocal(object, at.Filename) {
		u.Local = 1
	}
}

// relative gives a path below the root, or "" when the file is elsewhere.
func (t *truth) relative(name string) string {
	rel, err := filepath.Rel(t.root, name)
	if name == "" || err != nil || strings.HasPrefix(rel, "..") {
		return ""
	}
	return filepath.ToSlash(rel)
}

func (t *truth) isLocal(object types.Object, file string) bool {
	if name, ok := object.(*types.TypeName); ok {
		if _, ok := name.Type().(*types.TypeParam); ok {
			return true
		}
	}
	for _, s := range t.spans[file] {
		if s.start <= object.Pos() && object.Pos() < s.end && s.name != object.Pos() {
			return true
		}
	}
	return false
}

func kindOf(object types.Object) string {
	switch o := object.(type) {
	case *types.Func:
		if o.Type().(*types.Signature).Recv() != nil {
			return "method"
		}
		return "func"
	case *types.Var:
		if o.IsField() {
			return "field"
		}
		return "var"
	case *types.Const:
		return "const"
	case *types.TypeName:
		if _, ok := o.Type().(*types.TypeParam); ok {
			return "type_parameter"
		}
		switch o.Type().Underlying().(type) {
		case *types.Struct:
			return "struct"
		case *types.Interface:
			return "interface"
		}
		return "type"
	}
	return "other"
}

// context gives the role of the identifiers whose place decides it, and the qualifier of members.
func context(file *ast.File, info *types.Info) (map[*ast.Ident]string, map[*ast.Ident]ast.Expr) {
	roles := map[*ast.Ident]string{file.Name: "skip"}
	members := map[*ast.Ident]ast.Expr{}
	set := func(e ast.Expr, role string) {
		if id := nameOf(e); id != nil {
			roles[id] = role
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			members[n.Sel] = n.X
		case *ast.CallExpr:
			set(n.Fun, "call")
		case *ast.AssignStmt:
			for _, left := range n.Lhs {
				switch plain := ast.Unparen(left).(type) {
				case *ast.Ident, *ast.SelectorExpr:
					set(plain, "write")
				}
			}
		case *ast.StructType:
			setEmbedded(n.Fields, set)
		case *ast.InterfaceType:
			setEmbedded(n.Methods, set)
		case *ast.ImportSpec:
			if n.Name != nil {
				roles[n.Name] = "skip"
			}
		case *ast.LabeledStmt:
			roles[n.Label] = "skip"
		case *ast.BranchStmt:
			if n.Label != nil {
				roles[n.Label] = "skip"
			}
		}
		return true
	})
	return roles, members
}

func setEmbedded(fields *ast.FieldList, set func(ast.Expr, string)) {
	for _, field := range fields.List {
		if len(field.Names) == 0 {
			set(field.Type, "heritage")
		}
	}
}

// nameOf strips parentheses, pointers and type arguments down to the last name.
func nameOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return e.Sel
	case *ast.ParenExpr:
		return nameOf(e.X)
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.IndexExpr:
		return nameOf(e.X)
	case *ast.IndexListExpr:
		return nameOf(e.X)
	}
	return nil
}
