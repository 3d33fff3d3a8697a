// A TypeScript program of a whole checkout, without installed packages.
'use strict';
const fs = require('fs');
const path = require('path');
const { execFileSync } = require('child_process');

const SOURCE = /\.([cm]?ts|tsx|[cm]?js|jsx)$/;
const EXTENSIONS = ['.ts', '.tsx', '.mts', '.cts', '.d.ts', '.js', '.jsx', '.mjs', '.cjs'];
const BUILD_FOLDERS = /(^|\/)(dist|lib|build|out|es|esm|cjs|types)(?=\/)/;

function parseArguments(argv) {
  const [library, root, out, ...rest] = argv;
  if (!out) throw new Error('usage: TYPESCRIPT_LIB_DIR ROOT OUT.jsonl [--subdirs a,b] [--packages DIR]');
  const flag = (name) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : '');
  return {
    ts: require(path.resolve(library)),
    root: fs.realpathSync(root),
    out,
    subdirs: flag('--subdirs').split(',').filter(Boolean),
    packages: flag('--packages') && path.resolve(flag('--packages')),
  };
}

const { ts, root, out, subdirs, packages } = parseArguments(process.argv.slice(2));
const K = ts.SyntaxKind;
const relative = (file) => path.relative(root, file).split(path.sep).join('/');
const inRepository = (file) => {
  const inside = relative(file);
  return !inside.startsWith('..') && !path.isAbsolute(inside) && !inside.includes('node_modules/');
};

// ---------------------------------------------------------------------------------------------
// Files and module resolution

function trackedFiles() {
  const listed = execFileSync('git', ['-C', root, 'ls-files', '-z'], { maxBuffer: 1 << 28 }).toString();
  const files = listed.split('\0').filter((file) => file && !file.includes('node_modules/'));
  return files.filter((file) => fs.existsSync(path.join(root, file)));
}

const tracked = trackedFiles();
const trackedSet = new Set(tracked);
const isWanted = (file) => !subdirs.length || subdirs.some((dir) => file === dir || file.startsWith(`${dir}/`));

// The repository's JSX runtime, if its root tsconfig names one.
function jsxOptions() {
  const { jsxImportSource, jsxFactory } = readJson(path.join(root, 'tsconfig.json')).compilerOptions || {};
  if (jsxFactory) return { jsx: ts.JsxEmit.React, jsxFactory };
  return { jsx: ts.JsxEmit.ReactJSX, ...(jsxImportSource ? { jsxImportSource } : {}) };
}

function baseOptions() {
  return {
    allowJs: true, checkJs: false, noEmit: true, skipLibCheck: true, strict: true,
    target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.Preserve,
    moduleResolution: ts.ModuleResolutionKind.Bundler, ...jsxOptions(),
    esModuleInterop: true, allowSyntheticDefaultImports: true, resolveJsonModule: true,
    experimentalDecorators: true, allowImportingTsExtensions: true, allowArbitraryExtensions: true,
    maxNodeModuleJsDepth: 0, types: [], noResolve: false,
  };
}

function readJson(file) {
  try {
    return ts.parseConfigFileTextToJson(file, fs.readFileSync(file, 'utf8')).config || {};
  } catch {
    return {};
  }
}

// The options of one tsconfig (with `extends`) that bear on module resolution.
function resolutionOptions(file, seen = new Set()) {
  seen.add(file);
  const host = { ...ts.sys, readDirectory: () => [] };
  const config = readJson(file);
  const parsed = ts.parseJsonConfigFileContent(config, host, path.dirname(file), undefined, file);
  const { paths, baseUrl, pathsBasePath, rootDirs, customConditions } = parsed.options;
  const own = { paths, baseUrl, pathsBasePath, rootDirs, customConditions };
  if (paths) return own;
  for (const reference of config.references || []) {
    const target = path.resolve(path.dirname(file), reference.path || '.');
    const other = target.endsWith('.json') ? target : path.join(target, 'tsconfig.json');
    const nearby = path.dirname(other) === path.dirname(file);
    if (!nearby || seen.has(other) || !fs.existsSync(other)) continue;
    const theirs = resolutionOptions(other, seen);
    if (theirs.paths) return { ...own, ...theirs };
  }
  return own;
}

const contexts = new Map();
// The resolution context (options and cache) of a folder: that of the nearest tsconfig or jsconfig.
function contextOf(folder) {
  if (contexts.has(folder)) return contexts.get(folder);
  const inside = relative(folder);
  const config = ['tsconfig.json', 'jsconfig.json'].find((name) => trackedSet.has(inside ? `${inside}/${name}` : name));
  let context;
  if (config || !inside || inside.startsWith('..')) {
    const options = { ...baseOptions(), ...(config ? resolutionOptions(path.join(folder, config)) : {}) };
    context = { options, cache: ts.createModuleResolutionCache(root, (name) => name, options) };
  } else {
    context = contextOf(path.dirname(folder));
  }
  contexts.set(folder, context);
  return context;
}

// The packages of the repository by name; a root often has the name of one of its packages.
function readPackages() {
  const found = new Map();
  const manifests = tracked.filter((file) => path.posix.basename(file) === 'package.json');
  manifests.sort((a, b) => a.split('/').length - b.split('/').length);
  for (const manifest of manifests) {
    const content = readJson(path.join(root, manifest));
    const folder = path.posix.dirname(manifest);
    const homonyms = found.get(content.name) || [];
    if (typeof content.name === 'string') found.set(content.name, [...homonyms, { folder, content }]);
  }
  return found;
}

const workspace = readPackages();

// All file names in a package.json `exports` value, whatever the condition.
function exportTargets(value) {
  if (typeof value === 'string') return [value];
  if (value && typeof value === 'object') return Object.values(value).flatMap(exportTargets);
  return [];
}

function targetsOfSubpath(exports, subpath) {
  if (!exports) return [];
  const isMap = typeof exports === 'object' && Object.keys(exports).some((key) => /^[.#]/.test(key));
  if (!isMap) return subpath === '.' ? exportTargets(exports) : [];
  if (subpath in exports) return exportTargets(exports[subpath]);
  for (const key of Object.keys(exports).filter((name) => name.includes('*'))) {
    const [before, after] = key.split('*');
    if (subpath.startsWith(before) && subpath.endsWith(after) && subpath.length >= key.length - 1) {
      const middle = subpath.slice(before.length, subpath.length - after.length);
      return exportTargets(exports[key]).map((target) => target.replaceAll('*', middle));
    }
  }
  return [];
}

// A tracked source file for a published file name: as it is, with the build folder as src, or without it.
function sourceOf(folder, published) {
  const clean = path.posix.normalize(published).replace(/^\.\//, '');
  const stem = clean.replace(/(\.d)?\.([cm]?[jt]sx?)$/, '');
  const variants = [stem, stem.replace(BUILD_FOLDERS, '$1src'), stem.replace(BUILD_FOLDERS, ''), `src/${stem}`]
    .flatMap((name) => [name, name.replace(/\/(esm|cjs|es)(?=\/)/, '')]);
  const candidates = [clean];
  for (const variant of variants) {
    for (const extension of EXTENSIONS) candidates.push(`${variant}${extension}`, `${variant}/index${extension}`);
  }
  const full = candidates.map((name) => path.posix.join(folder, name));
  return full.find((name) => trackedSet.has(name) && (SOURCE.test(name) || name.endsWith('.json')));
}

function resolveInPackage({ folder, content }, subpath) {
  const published = targetsOfSubpath(content.exports, subpath);
  if (subpath === '.') {
    published.push(...[content.source, content.types, content.typings, content.module, content.main, './index']
      .filter((name) => typeof name === 'string'));
  } else {
    published.push(subpath);
  }
  for (const name of published) {
    const source = sourceOf(folder, name);
    if (source) return source;
  }
  return undefined;
}

function packageName(specifier) {
  return specifier.split('/').slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

function resolveInWorkspace(name, containingFile) {
  if (name.startsWith('#')) {
    let folder = path.posix.dirname(relative(containingFile));
    while (folder !== '.' && !trackedSet.has(`${folder}/package.json`)) folder = path.posix.dirname(folder);
    const content = readJson(path.join(root, folder, 'package.json'));
    return targetsOfSubpath(content.imports, name).map((target) => sourceOf(folder, target)).find(Boolean);
  }
  const rest = name.split('/').slice(packageName(name).split('/').length).join('/');
  const homonyms = workspace.get(packageName(name)) || [];
  return homonyms.map((each) => resolveInPackage(each, rest ? `./${rest}` : '.')).find(Boolean);
}

function resolvedModule(file) {
  const extension = EXTENSIONS.find((ending) => file.endsWith(ending)) || path.extname(file);
  const known = file.endsWith('.d.ts') ? '.d.ts' : extension;
  return { resolvedFileName: file, extension: known, isExternalLibraryImport: false };
}

// A JavaScript file that requires x.js means x.js, although the checker would read x.d.ts beside it.
function preferSource(containingFile, resolved) {
  if (!resolved || !/\.[cm]?jsx?$/.test(containingFile)) return resolved;
  const stem = relative(resolved.resolvedFileName).replace(/\.d\.[cm]?ts$/, '');
  const source = ['.js', '.cjs', '.mjs', '.jsx'].map((ending) => stem + ending).find((name) => trackedSet.has(name));
  const isDeclaration = stem !== relative(resolved.resolvedFileName);
  return isDeclaration && source ? resolvedModule(path.join(root, source)) : resolved;
}

function resolveModule(name, containingFile, mode) {
  const { options, cache } = contextOf(path.dirname(containingFile));
  const direct = ts.resolveModuleName(name, containingFile, options, ts.sys, cache, undefined, mode).resolvedModule;
  if (direct) return preferSource(containingFile, direct);
  if (/^\.{0,2}\//.test(name) || name === '.' || name === '..') return undefined;
  const source = resolveInWorkspace(name, containingFile);
  if (source) return resolvedModule(path.join(root, source));
  if (!packages) return undefined;
  const outside = path.join(packages, 'importer.ts');
  return ts.resolveModuleName(name, outside, baseOptions(), ts.sys, undefined, undefined, mode).resolvedModule;
}

// JavaScript files are modules even without import/export, so that their top-level names stay their own.
function sourceFileOptions(fileName, given) {
  if (typeof given !== 'object' || !/\.[cm]?jsx?$/.test(fileName)) return given;
  const usual = given.setExternalModuleIndicator;
  const setExternalModuleIndicator = (file) => {
    if (usual) usual(file);
    if (!file.externalModuleIndicator) file.externalModuleIndicator = true;
  };
  return { ...given, setExternalModuleIndicator };
}

// Declarations of Node's and the test runner's globals, if DIR has them.
function ambientFiles() {
  if (!packages) return [];
  const { dependencies, devDependencies } = readJson(path.join(root, 'package.json'));
  const declared = { ...dependencies, ...devDependencies };
  const wanted = ['@types/node/index.d.ts'];
  if (declared.vitest) wanted.push('vitest/globals.d.ts');
  else if (declared.mocha) wanted.push('@types/mocha/index.d.ts');
  return wanted.map((name) => path.join(packages, 'node_modules', name)).filter((name) => fs.existsSync(name));
}

function createProgram() {
  const names = tracked.filter((file) => SOURCE.test(file) && !/\.min\.[cm]?js$/.test(file) && isWanted(file));
  const options = baseOptions();
  const host = ts.createCompilerHost(options, true);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (name, given, ...rest) => read(name, sourceFileOptions(name, given), ...rest);
  host.resolveModuleNameLiterals = (literals, containingFile, _redirect, _options, sourceFile) =>
    literals.map((literal) => {
      const mode = ts.getModeForUsageLocation(sourceFile, literal, options);
      return { resolvedModule: resolveModule(literal.text, containingFile, mode) };
    });
  const rootNames = [...names.map((name) => path.join(root, name)), ...ambientFiles()];
  return ts.createProgram({ rootNames, options, host });
}

const program = createProgram();
const checker = program.getTypeChecker();

module.exports = {
  ts, root, out, K, program, checker, trackedSet, SOURCE, isWanted, relative, inRepository,
};
