// Compiler truth for TypeScript and JavaScript: what the TypeScript checker resolves each identifier to.
//
// usage: node typescript_truth.cjs TYPESCRIPT_LIB_DIR ROOT OUT.jsonl [--subdirs a,b] [--packages DIR]
//
// ROOT is a git checkout; no node_modules is needed. One program holds every tracked source file.
// Module names are resolved with the `paths`/`baseUrl` of the tsconfig nearest to the importing
// file, then against the workspace's own package.json names, then (optional) against the
// node_modules folder inside DIR, whose declarations count as outside the repository.
'use strict';
const fs = require('fs');
const {
  ts, out, K, program, checker, trackedSet, SOURCE, isWanted, relative, inRepository,
} = require('./typescript_program.cjs');

// ---------------------------------------------------------------------------------------------
// Positions: lines end at \n only, columns are UTF-8 bytes

const lineStarts = new Map();
function startsOf(sourceFile) {
  let starts = lineStarts.get(sourceFile);
  if (!starts) {
    const { text } = sourceFile;
    starts = [0];
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    lineStarts.set(sourceFile, starts);
  }
  return starts;
}

function position(node) {
  const sourceFile = node.getSourceFile();
  if (node === sourceFile) return [1, 0];
  const offset = node.getStart(sourceFile);
  const starts = startsOf(sourceFile);
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= offset) low = middle;
    else high = middle - 1;
  }
  return [low + 1, Buffer.byteLength(sourceFile.text.slice(starts[low], offset))];
}

// ---------------------------------------------------------------------------------------------
// Declarations

const isFunctionValue = (node) => !!node && (node.kind === K.ArrowFunction || node.kind === K.FunctionExpression);
const isClassValue = (node) => !!node && node.kind === K.ClassExpression;

function isModuleExports(node) {
  return node.kind === K.PropertyAccessExpression && node.name.text === 'exports'
    && node.expression.kind === K.Identifier && node.expression.text === 'module';
}

// For `module.exports = value`: the value, through `a = b = value`.
function exportedValue(declaration) {
  const assignment = declaration.kind === K.BinaryExpression ? declaration : declaration.parent;
  if (!assignment || assignment.kind !== K.BinaryExpression || !isModuleExports(assignment.left)) return undefined;
  let value = assignment.right;
  while (value.kind === K.BinaryExpression && value.operatorToken.kind === K.EqualsToken) value = value.right;
  return value;
}

// For `var name = module.exports = value`: the declaration of the variable.
function exportedVariable(declaration) {
  if (!exportedValue(declaration)) return undefined;
  let node = declaration.kind === K.BinaryExpression ? declaration : declaration.parent;
  while (node.parent && node.parent.kind === K.BinaryExpression && node.parent.right === node) node = node.parent;
  return node.parent && node.parent.kind === K.VariableDeclaration ? node.parent : undefined;
}

function nameNode(declaration) {
  const variable = exportedVariable(declaration);
  if (variable) return variable.name;
  const value = exportedValue(declaration);
  if (value && value.kind === K.ObjectLiteralExpression) return declaration.getSourceFile();
  if (value && (isFunctionValue(value) || isClassValue(value)) && value.name) return value.name;
  const name = ts.getNameOfDeclaration(declaration);
  if (name) return name;
  if (declaration.kind === K.Constructor) {
    return declaration.getChildren().find((child) => child.kind === K.ConstructorKeyword) || declaration;
  }
  if (isFunctionValue(declaration) && declaration.parent && declaration.parent.name) return declaration.parent.name;
  return declaration;
}

const KINDS = {
  FunctionDeclaration: 'function', MethodDeclaration: 'method', MethodSignature: 'method_sig',
  ClassDeclaration: 'class', ClassExpression: 'class', InterfaceDeclaration: 'interface',
  TypeAliasDeclaration: 'type', EnumDeclaration: 'enum', EnumMember: 'enum_member',
  BindingElement: 'binding', PropertySignature: 'prop_sig', ShorthandPropertyAssignment: 'obj_prop',
  GetAccessor: 'accessor', SetAccessor: 'accessor', TypeParameter: 'type_param',
  ModuleDeclaration: 'namespace', SourceFile: 'module', Constructor: 'constructor',
  FunctionExpression: 'function_expr', ArrowFunction: 'function_expr', ImportSpecifier: 'import',
  ImportClause: 'import', NamespaceImport: 'import', ExportSpecifier: 'export', ExportAssignment: 'export',
  ObjectLiteralExpression: 'object', JsxAttribute: 'jsx_attribute', NamedTupleMember: 'prop_sig',
  TypeLiteral: 'type', MappedType: 'type', JSDocTypedefTag: 'type', JSDocCallbackTag: 'type',
  JSDocPropertyTag: 'prop_sig', JSDocTemplateTag: 'type_param', JSDocParameterTag: 'param',
};
const KIND_OF_SYNTAX = new Map(Object.entries(KINDS).map(([syntax, kind]) => [K[syntax], kind]));
const MEMBER_KINDS = new Set(['method', 'method_sig', 'method_prop', 'property', 'prop_sig', 'obj_prop', 'obj_fn',
  'accessor', 'enum_member', 'module', 'namespace', 'jsx_attribute']);

function isParameterProperty(node) {
  return node.kind === K.Parameter && ts.isParameterPropertyDeclaration(node, node.parent);
}

const ASSIGNMENT_KINDS = new Set([
  K.BinaryExpression, K.PropertyAccessExpression, K.ElementAccessExpression, K.CallExpression,
]);

function declarationKind(node) {
  if (node.kind === K.Parameter) return isParameterProperty(node) ? 'param_prop' : 'param';
  if (node.kind === K.VariableDeclaration) return isFunctionValue(node.initializer) ? 'function_var' : 'variable';
  if (node.kind === K.PropertyDeclaration) return isFunctionValue(node.initializer) ? 'method_prop' : 'property';
  if (node.kind === K.PropertyAssignment) return isFunctionValue(node.initializer) ? 'obj_fn' : 'obj_prop';
  if (exportedVariable(node)) return 'variable';
  const value = exportedValue(node);
  if (value && value.kind === K.ObjectLiteralExpression) return 'module';
  if (value) return isFunctionValue(value) ? 'function' : isClassValue(value) ? 'class' : 'export';
  if (ASSIGNMENT_KINDS.has(node.kind)) {
    const assigned = node.kind === K.BinaryExpression ? node.right : node.parent && node.parent.right;
    return isFunctionValue(assigned) ? 'method_prop' : 'property';
  }
  return KIND_OF_SYNTAX.get(node.kind) || K[node.kind];
}

function isLocal(declaration, kind, member) {
  if (kind === 'type_param' || kind === 'param') return true;
  if (kind === 'param_prop') return !member;
  if (MEMBER_KINDS.has(kind)) return false;
  for (let node = declaration.parent; node && node.kind !== K.SourceFile; node = node.parent) {
    if (ts.isFunctionLike(node) || node.kind === K.ClassStaticBlockDeclaration) return true;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------
// Uses

const DECLARING = new Set([K.ClassDeclaration, K.ClassExpression, K.InterfaceDeclaration, K.TypeAliasDeclaration,
  K.EnumDeclaration, K.EnumMember, K.Parameter, K.VariableDeclaration, K.PropertyDeclaration, K.PropertySignature,
  K.PropertyAssignment, K.MethodDeclaration, K.MethodSignature, K.TypeParameter, K.ModuleDeclaration,
  K.NamespaceExport, K.BindingElement, K.NamedTupleMember, K.MetaProperty, K.ImportAttribute, K.JsxNamespacedName,
  K.NamespaceExportDeclaration]);

function isDeclaredName(node) {
  const parent = node.parent;
  if ([K.LabeledStatement, K.BreakStatement, K.ContinueStatement].includes(parent.kind)) return true;
  if (parent.kind === K.ImportSpecifier || parent.kind === K.ExportSpecifier) {
    return parent.name === node && !!parent.propertyName;
  }
  return parent.name === node && (ts.isFunctionLike(parent) || DECLARING.has(parent.kind));
}

function isMember(node) {
  const parent = node.parent;
  return (parent.kind === K.PropertyAccessExpression && parent.name === node)
    || (parent.kind === K.QualifiedName && parent.right === node);
}

const WRAPPERS = new Set([K.NonNullExpression, K.ParenthesizedExpression]);

function roleByPlace(expression, holder) {
  switch (holder && holder.kind) {
    case K.CallExpression: return holder.expression === expression ? 'call' : undefined;
    case K.NewExpression: return holder.expression === expression ? 'new' : undefined;
    case K.TaggedTemplateExpression: return holder.tag === expression ? 'call' : undefined;
    case K.JsxOpeningElement: case K.JsxSelfClosingElement: return holder.tagName === expression ? 'jsx' : undefined;
    case K.JsxClosingElement: return 'jsxclose';
    case K.Decorator: return 'decorator';
    case K.ExpressionWithTypeArguments: return 'heritage';
    default: return undefined;
  }
}

function roleByParent(parent, node) {
  switch (parent.kind) {
    case K.JsxAttribute: return parent.name === node ? 'jsxattr' : 'ref';
    case K.ImportSpecifier: case K.ImportClause: case K.NamespaceImport: case K.ImportEqualsDeclaration:
      return 'import';
    case K.ExportSpecifier: case K.ExportAssignment: return 'export';
    case K.TypeReference: case K.TypeQuery: case K.QualifiedName: case K.ImportType: return 'type';
    case K.ShorthandPropertyAssignment: return parent.name === node ? 'shorthand' : 'ref';
    default: return 'ref';
  }
}

function roleOf(node) {
  const parent = node.parent;
  let expression = isMember(node) && parent.kind === K.PropertyAccessExpression ? parent : node;
  while (expression.parent && WRAPPERS.has(expression.parent.kind)) expression = expression.parent;
  return roleByPlace(expression, expression.parent) || roleByParent(parent, node);
}

function symbolOf(node, role) {
  const parent = node.parent;
  if (role === 'shorthand') return checker.getShorthandAssignmentValueSymbol(parent);
  if (role === 'jsxattr') {
    const type = checker.getContextualType(parent.parent);
    return type && checker.getPropertyOfType(type, node.text);
  }
  if (parent.kind === K.ImportSpecifier) return checker.getSymbolAtLocation(parent.name);
  if (parent.kind === K.ExportSpecifier) return checker.getExportSpecifierLocalTargetSymbol(parent);
  return checker.getSymbolAtLocation(node);
}

// The checker treats `var name = module.exports = value` as an alias; it is a variable of its own.
function isExportedVariable(symbol) {
  const declaration = symbol.declarations && symbol.declarations[0];
  return !!declaration && declaration.kind === K.VariableDeclaration && !requireArgument(declaration.initializer);
}

// `exports.name = library.name` is the declaration of that name here, whatever the library calls it.
function isExportedProperty(symbol) {
  const declaration = symbol.declarations && symbol.declarations[0];
  const kinds = [K.BinaryExpression, K.PropertyAccessExpression];
  return !!declaration && kinds.includes(declaration.kind) && inRepository(declaration.getSourceFile().fileName);
}

function unalias(symbol) {
  if (!symbol || !(symbol.flags & ts.SymbolFlags.Alias) || isExportedVariable(symbol)) return symbol;
  const target = checker.getAliasedSymbol(symbol);
  const isKnown = ((target && target.declarations) || []).some((each) => inRepository(each.getSourceFile().fileName));
  return !isKnown && isExportedProperty(symbol) ? symbol : target;
}

function requiredModule(node) {
  if (!node || node.kind !== K.CallExpression || node.expression.getText() !== 'require') return undefined;
  const module = node.arguments.length === 1 && checker.getSymbolAtLocation(node.arguments[0]);
  const whole = module && module.exports && module.exports.get('export=');
  return unalias(whole) || module || undefined;
}

function symbolOfValue(value) {
  return value.kind === K.Identifier ? checker.getSymbolAtLocation(value) : requiredModule(value);
}

// The symbol meant by a CommonJS re-export: `module.exports = other`, `= require('./file')`,
// `= { name }`, `= { name: other }`, `= { name: require('./file') }`.
function reexported(symbol) {
  const [declaration, ...more] = (symbol && symbol.declarations) || [];
  if (!declaration || more.length || !declaration.parent) return undefined;
  if (declaration.parent.kind !== K.ObjectLiteralExpression) {
    const whole = exportedValue(declaration);
    return whole && symbolOfValue(whole);
  }
  if (exportedValue(declaration.parent) !== declaration.parent) return undefined;
  if (declaration.kind === K.ShorthandPropertyAssignment) return checker.getShorthandAssignmentValueSymbol(declaration);
  return declaration.kind === K.PropertyAssignment ? symbolOfValue(declaration.initializer) : undefined;
}

function finalSymbol(symbol) {
  let current = unalias(symbol);
  for (let step = 0; step < 10; step += 1) {
    const next = unalias(reexported(current));
    if (!next || next === current || !(next.declarations || []).length) break;
    current = next;
  }
  return current;
}

// Whether an alias that could not be followed is imported from a package that is not of this repository.
function isPackageImport(symbol) {
  for (const declaration of (symbol && symbol.declarations) || []) {
    for (let node = declaration; node; node = node.parent) {
      const specifier = node.moduleSpecifier
        || (node.kind === K.ImportEqualsDeclaration && node.moduleReference.expression)
        || (node.kind === K.VariableDeclaration && requireArgument(node.initializer));
      if (specifier && specifier.text !== undefined) {
        return !/^(\.{0,2}(\/|$)|#|~|@\/)/.test(specifier.text) && !workspace.has(packageName(specifier.text));
      }
    }
  }
  return false;
}

function requireArgument(node) {
  let call = node;
  while (call && call.kind === K.PropertyAccessExpression) call = call.expression;
  const isRequire = call && call.kind === K.CallExpression && call.expression.getText() === 'require';
  return isRequire ? call.arguments[0] : undefined;
}

// `declare module 'name'`: types for a module that lies elsewhere.
function isAmbientModule(declaration) {
  return declaration.kind === K.ModuleDeclaration && declaration.name.kind === K.StringLiteral;
}

function isBuiltIn(symbol) {
  return symbol.name === 'globalThis' || checker.isUndefinedSymbol(symbol) || checker.isArgumentsSymbol(symbol);
}

function outcome(node, role, member) {
  const symbol = symbolOf(node, role);
  const final = finalSymbol(symbol);
  const targets = new Map();
  let outside = false;
  let local = false;
  // `Name.member = value` also declares Name as a namespace at that identifier; that is a use of Name.
  const declarations = ((final && final.declarations) || []).filter((each) => each.kind !== K.Identifier);
  for (const declaration of declarations) {
    const file = declaration.getSourceFile().fileName;
    if (!inRepository(file) || isAmbientModule(declaration)) {
      outside = true;
      continue;
    }
    const name = nameNode(declaration);
    if (name === node) return undefined;
    const kind = declarationKind(declaration);
    local = local || isLocal(declaration, kind, member);
    const target = [relative(file), ...position(name)];
    targets.set(target.join(':'), [target, kind]);
  }
  if (targets.size) {
    const found = [...targets.values()];
    const result = { t: found.map(([target]) => target), dk: found.map(([, kind]) => kind) };
    return local ? { ...result, loc: 1 } : result;
  }
  const intrinsic = role.startsWith('jsx') && role !== 'jsxattr' && /^[a-z]/.test(node.text) && !member;
  const builtIn = symbol && !member && isBuiltIn(symbol);
  return outside || intrinsic || builtIn || isPackageImport(symbol) ? { ext: 1 } : { un: 1 };
}

function safeOutcome(node, role, member) {
  try {
    return outcome(node, role, member);
  } catch (error) {
    return { un: 1, err: String(error).slice(0, 80) };
  }
}

// ---------------------------------------------------------------------------------------------
// Output

const counts = { files: 0, uses: 0, in_repo: 0, ext: 0, un: 0, errors: 0 };

function recordOf(node, file) {
  const asConst = node.text === 'const' && node.parent.kind === K.TypeReference;
  if (!node.text || asConst || isDeclaredName(node)) return undefined;
  const role = roleOf(node);
  const member = isMember(node);
  const result = safeOutcome(node, role, member);
  if (!result) return undefined;
  counts.uses += 1;
  counts[result.t ? 'in_repo' : result.ext ? 'ext' : 'un'] += 1;
  if (result.err) counts.errors += 1;
  const [line, column] = position(node);
  return { f: file, l: line, c: column, n: node.text, k: role, ...(member ? { m: 1 } : {}), ...result };
}

function recordsOf(sourceFile) {
  const file = relative(sourceFile.fileName);
  const lines = [];
  const visit = (node) => {
    if ((node.kind === K.Identifier || node.kind === K.PrivateIdentifier) && node.getText(sourceFile)) {
      const record = recordOf(node, file);
      if (record) lines.push(JSON.stringify(record));
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return lines;
}

function main() {
  const started = process.uptime();
  const stream = fs.openSync(out, 'w');
  for (const sourceFile of program.getSourceFiles()) {
    const file = relative(sourceFile.fileName);
    if (!trackedSet.has(file) || !SOURCE.test(file) || !isWanted(file)) continue;
    counts.files += 1;
    const lines = recordsOf(sourceFile);
    if (lines.length) fs.writeSync(stream, `${lines.join('\n')}\n`);
  }
  fs.closeSync(stream);
  const seconds = { program: Math.round(started), total: Math.round(process.uptime()) };
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  console.log(JSON.stringify({ ...counts, seconds, megabytes }));
}

main();
