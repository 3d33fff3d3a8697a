import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.*;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.lang.model.type.*;
import javax.lang.model.util.*;
import javax.tools.*;
/**
 * Compiler truth for Java: the definition javac gives each identifier use.
 *
 * <p>Usage: {@code java JavaTruth.java ROOT OUT.jsonl [CLASSPATH]}. All .java files under ROOT are
 * attributed in one unnamed module; unresolved dependencies are tolerated. One JSON object per use.
 */
public final class JavaTruth {
    private static final Set<String> SKIPPED_DIRS =
            Set.of(".git", "target", "build", "node_modules", ".gradle", ".idea");
    /** One source file: its text, and how character offsets map to lines and byte columns. */
    static final class Source extends SimpleJavaFileObject {
        final String path;
        final String text;
        final boolean utf8;
        private final int[] lineStarts;
        Source(Path root, Path file) throws IOException {
            super(file.toUri(), Kind.SOURCE);
            path = root.relativize(file).toString().replace(File.separatorChar, '/');
            byte[] bytes = Files.readAllBytes(file);
            String decoded = null;
            try {
                decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
            } catch (CharacterCodingException e) {
                // Not UTF-8: one character per byte keeps the columns right.
            }
            utf8 = decoded != null;
            text = utf8 ? decoded : new String(bytes, StandardCharsets.ISO_8859_1);
            lineStarts = IntStream.concat(IntStream.of(0),
                    IntStream.range(0, text.length()).filter(i -> text.charAt(i) == '\n').map(i -> i + 1))
                    .toArray();
        }
        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
        int line(int offset) {
            int found = Arrays.binarySearch(lineStarts, offset);
            return found >= 0 ? found + 1 : -found - 1;
        }
        int column(int offset) {
            String before = text.substring(lineStarts[line(offset) - 1], offset);
            return utf8 ? before.getBytes(StandardCharsets.UTF_8).length : before.length();
        }
        boolean hasWordAt(int offset, String word) {
            return offset >= 0
                    && text.startsWith(word, offset)
                    && (offset == 0 || !Character.isJavaIdentifierPart(text.charAt(offset - 1)))
                    && (offset + word.length() >= text.length()
                            || !Character.isJavaIdentifierPart(text.charAt(offset + word.length())));
        }
        /** The first occurrence of word at or after from, outside comments and literals; -1 if none. */
        int findWord(int from, String word) {
            int i = Math.max(from, 0);
            while (i < text.length()) {
                if (hasWordAt(i, word)) {
                    return i;
                }
                i = skipToken(i);
            }
            return -1;
        }
        private int skipToken(int i) {
            if (text.startsWith("//", i)) {
                return after("\n", i);
            }
            if (text.startsWith("/*", i)) {
                return after("*/", i + 2);
            }
            if (text.startsWith("\"\"\"", i)) {
                return after("\"\"\"", i + 3);
            }
            char c = text.charAt(i);
            if (c == '"' || c == '\'') {
                int j = i + 1;
                while (j < text.length() && text.charAt(j) != c && text.charAt(j) != '\n') {
                    j += text.charAt(j) == '\\' ? 2 : 1;
                }
                return j + 1;
            }
            if (!Character.isJavaIdentifierPart(c)) {
                return i + 1;
            }
            while (i < text.length() && Character.isJavaIdentifierPart(text.charAt(i))) {
                i++;
            }
            return i;
        }
        private int after(String mark, int from) {
            int at = text.indexOf(mark, from);
            return at < 0 ? text.length() : at + mark.length();
        }
    }
    /** A declaration in the repository. */
    record Decl(String path, int line, int column, String kind, boolean local) {
        String json() {
            return "[" + quote(path) + "," + line + "," + column + "]";
        }
    }
    private final Trees trees;
    private final Elements elements;
    private final SourcePositions positions;
    private final Map<URI, Source> sources = new HashMap<>();
    private final Map<Element, Decl> decls = new IdentityHashMap<>();
    private final Writer out;
    private final int[] counts = new int[4];
    JavaTruth(JavacTask task, List<Source> sources, Writer out) {
        sources.forEach(s -> this.sources.put(s.toUri(), s));
        trees = Trees.instance(task);
        elements = task.getElements();
        positions = trees.getSourcePositions();
        this.out = out;
    }
    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            System.err.println("usage: java JavaTruth.java ROOT OUT.jsonl [CLASSPATH]");
            System.exit(2);
        }
        Path root = Path.of(args[0]).toAbsolutePath().normalize();
        List<Source> sources = new ArrayList<>();
        for (Path file : javaFiles(root)) {
            sources.add(new Source(root, file));
        }
        List<String> options = new ArrayList<>(List.of("-proc:none", "-Xlint:none", "-nowarn",
                "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1000000", "-encoding", "UTF-8",
                "-classpath", args.length > 2 ? args[2] : ""));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        int[] errors = new int[1];
        DiagnosticListener<JavaFileObject> listener = d -> {
            if (d.getKind() == Diagnostic.Kind.ERROR) {
                errors[0]++;
            }
        };
        JavacTask task = (JavacTask) compiler.getTask(
                new StringWriter(), null, listener, options, null, sources);
        List<CompilationUnitTree> units = new ArrayList<>();
        task.parse().forEach(units::add);
        try {
            task.analyze();
        } catch (RuntimeException | Error e) {
            System.err.println("javac stopped early: " + e);
        }
        try (Writer out = Files.newBufferedWriter(Path.of(args[1]), StandardCharsets.UTF_8)) {
            JavaTruth truth = new JavaTruth(task, sources, out);
            units.forEach(truth::collectDeclarations);
            units.forEach(truth::emitUses);
            System.err.printf("files %d, javac errors %d, uses %d, in-repo %d, ext %d, unresolved %d%n",
                    sources.size(), errors[0], truth.counts[0], truth.counts[1], truth.counts[2],
                    truth.counts[3]);
        }
    }
    private static List<Path> javaFiles(Path root) throws IOException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(root, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, java.nio.file.attribute.BasicFileAttributes a) {
                boolean skip = !dir.equals(root) && SKIPPED_DIRS.contains(dir.getFileName().toString());
                return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }
            @Override
            public FileVisitResult visitFile(Path file, java.nio.file.attribute.BasicFileAttributes a) {
                String name = file.getFileName().toString();
                if (name.endsWith(".java") && !name.equals("module-info.java")) {
                    files.add(file);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        Collections.sort(files);
        return files;
    }
    // ---- declarations -------------------------------------------------------------------------
    private void collectDeclarations(CompilationUnitTree unit) {
        new DeclarationScanner(unit).scan(unit, null);
    }
    private final class DeclarationScanner extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final Source source;
        DeclarationScanner(CompilationUnitTree unit) {
            this.unit = unit;
            this.source = sources.get(unit.getSourceFile().toUri());
        }
        private void add(Tree tree, String name, int from) {
            Element element = trees.getElement(getCurrentPath());
            int at = from < 0 || name.isEmpty() ? -1 : source.findWord(from, name);
            if (element == null || at < 0 || at > positions.getEndPosition(unit, tree)) {
                return;
            }
            decls.putIfAbsent(element, new Decl(source.path, source.line(at), source.column(at),
                    element.getKind().toString().toLowerCase(Locale.ROOT), isLocal(element)));
        }
        @Override
        public Void visitClass(ClassTree tree, Void p) {
            add(tree, tree.getSimpleName().toString(), afterModifiers(unit, tree, tree.getModifiers()));
            return super.visitClass(tree, p);
        }
        @Override
        public Void visitMethod(MethodTree tree, Void p) {
            Element element = trees.getElement(getCurrentPath());
            String name = tree.getName().toString();
            if (name.equals("<init>") && element != null) {
                name = element.getEnclosingElement().getSimpleName().toString();
            }
            int from = afterModifiers(unit, tree, tree.getModifiers());
            for (TypeParameterTree parameter : tree.getTypeParameters()) {
                from = Math.max(from, end(unit, parameter));
            }
            from = Math.max(from, end(unit, tree.getReturnType()));
            add(tree, name, from);
            return super.visitMethod(tree, p);
        }
        @Override
        public Void visitVariable(VariableTree tree, Void p) {
            int from = afterModifiers(unit, tree, tree.getModifiers());
            int typeEnd = end(unit, tree.getType());
            int start = (int) positions.getStartPosition(unit, tree);
            boolean enumConstant = isEnumConstant(trees.getElement(getCurrentPath()));
            add(tree, tree.getName().toString(),
                    enumConstant || typeEnd < start ? from : Math.max(from, typeEnd));
            return super.visitVariable(tree, p);
        }
        @Override
        public Void visitTypeParameter(TypeParameterTree tree, Void p) {
            int from = (int) positions.getStartPosition(unit, tree);
            for (AnnotationTree annotation : tree.getAnnotations()) {
                from = Math.max(from, end(unit, annotation));
            }
            add(tree, tree.getName().toString(), from);
            return super.visitTypeParameter(tree, p);
        }
    }
    private int end(CompilationUnitTree unit, Tree tree) {
        return tree == null ? -1 : (int) positions.getEndPosition(unit, tree);
    }
    private int afterModifiers(CompilationUnitTree unit, Tree tree, ModifiersTree modifiers) {
        return Math.max((int) positions.getStartPosition(unit, tree), end(unit, modifiers));
    }
    private static boolean isEnumConstant(Element element) {
        return element != null && element.getKind() == ElementKind.ENUM_CONSTANT;
    }
    /** Whether the element is declared inside a function, or is a parameter or a type parameter. */
    private static boolean isLocal(Element element) {
        for (Element e = element; e != null; e = e.getEnclosingElement()) {
            switch (e.getKind()) {
                case PARAMETER, LOCAL_VARIABLE, EXCEPTION_PARAMETER, RESOURCE_VARIABLE,
                        BINDING_VARIABLE, TYPE_PARAMETER -> {
                    return true;
                }
                default -> {
                    NestingKind nesting = e instanceof TypeElement t ? t.getNestingKind() : null;
                    if (nesting == NestingKind.LOCAL || nesting == NestingKind.ANONYMOUS) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
    /** The in-repo declaration of an element; implicit members answer by what stands for them. */
    private Decl declaration(Element element) {
        Decl decl = decls.get(element);
        boolean implicit = element instanceof ExecutableElement
                || element != null && element.getKind() == ElementKind.PARAMETER;
        if (decl != null || !implicit) {
            return decl;
        }
        Element owner = element.getEnclosingElement();
        if (owner instanceof ExecutableElement) { // a parameter of a compact constructor
            owner = owner.getEnclosingElement();
        }
        if (owner.getKind() == ElementKind.RECORD) {
            for (VariableElement field : ElementFilter.fieldsIn(owner.getEnclosedElements())) {
                if (field.getSimpleName().equals(element.getSimpleName())) {
                    return decls.get(field);
                }
            }
        }
        return null;
    }
    // ---- uses ---------------------------------------------------------------------------------
    private void emitUses(CompilationUnitTree unit) {
        new UseScanner(unit).scan(unit, null);
    }
    private final class UseScanner extends TreePathScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final Source source;
        private final Set<Integer> seen = new HashSet<>();
        UseScanner(CompilationUnitTree unit) {
            this.unit = unit;
            this.source = sources.get(unit.getSourceFile().toUri());
        }
        @Override
        public Void visitPackage(PackageTree tree, Void p) {
            return scan(tree.getAnnotations(), p);
        }
        @Override
        public Void visitIdentifier(IdentifierTree tree, Void p) {
            use(tree, tree.getName().toString(), (int) positions.getStartPosition(unit, tree), false);
            return super.visitIdentifier(tree, p);
        }
        @Override
        public Void visitMemberSelect(MemberSelectTree tree, Void p) {
            String name = tree.getIdentifier().toString();
            use(tree, name, end(unit, tree) - name.length(), true);
            return super.visitMemberSelect(tree, p);
        }
        @Override
        public Void visitMemberReference(MemberReferenceTree tree, Void p) {
            String name = tree.getName().toString();
            if (tree.getMode() == MemberReferenceTree.ReferenceMode.INVOKE) {
                use(tree, name, end(unit, tree) - name.length(), true);
            }
            return super.visitMemberReference(tree, p);
        }
        private void use(Tree tree, String name, int at, boolean member) {
            if (Set.of("this", "super", "class", "*").contains(name) || !source.hasWordAt(at, name)) {
                return;
            }
            TreePath path = getCurrentPath();
            Element element = trees.getElement(path);
            if (element != null && element.getKind() == ElementKind.PACKAGE && !isCalled(path)
                    || !seen.add(at)) {
                return;
            }
            String role = role(path, element);
            List<Element> targets = element == null ? staticImportTargets(path) : List.of(element);
            targets = targets.stream().filter(e -> !isError(e)).toList();
            List<Decl> found = targets.stream().map(JavaTruth.this::declaration)
                    .filter(Objects::nonNull).distinct().toList();
            write(path, name, at, member, role, targets, found);
        }
        private void write(TreePath path, String name, int at, boolean member, String role,
                List<Element> targets, List<Decl> found) {
            StringBuilder json = new StringBuilder("{\"f\":").append(quote(source.path))
                    .append(",\"l\":").append(source.line(at)).append(",\"c\":").append(source.column(at))
                    .append(",\"n\":").append(quote(name)).append(",\"k\":").append(quote(role));
            if (member) {
                json.append(",\"m\":1");
            }
            json.append(",\"t\":").append(joined(found.stream().map(Decl::json)))
                    .append(",\"dk\":").append(joined(found.stream().map(d -> quote(d.kind()))));
            if (found.stream().anyMatch(Decl::local)) {
                json.append(",\"loc\":1");
            }
            if (found.isEmpty()) {
                json.append(targets.isEmpty() ? ",\"un\":1" : ",\"ext\":1");
            }
            if (role.equals("new")) {
                Decl constructor = constructor(path);
                if (constructor != null) {
                    json.append(",\"ctor\":").append(constructor.json());
                }
            }
            if (!found.isEmpty() && isUncertainOverload(path, targets.get(0))) {
                json.append(",\"amb\":1");
            }
            counts[0]++;
            counts[!found.isEmpty() ? 1 : targets.isEmpty() ? 3 : 2]++;
            try {
                out.write(json.append("}\n").toString());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        /** The members a static import names (javac gives the select itself no symbol). */
        private List<Element> staticImportTargets(TreePath path) {
            if (!(path.getParentPath().getLeaf() instanceof ImportTree imported) || !imported.isStatic()) {
                return List.of();
            }
            MemberSelectTree select = (MemberSelectTree) path.getLeaf();
            Element owner = trees.getElement(new TreePath(path, select.getExpression()));
            if (!(owner instanceof TypeElement type) || isError(owner)) {
                return List.of();
            }
            return elements.getAllMembers(type).stream()
                    .filter(e -> e.getSimpleName().equals(select.getIdentifier()))
                    .filter(e -> e.getModifiers().contains(Modifier.STATIC))
                    .<Element>map(e -> e).toList();
        }
        private Decl constructor(TreePath path) {
            TreePath at = path;
            while (at != null && !(at.getLeaf() instanceof NewClassTree)) {
                at = at.getParentPath();
            }
            boolean anonymous = at == null || ((NewClassTree) at.getLeaf()).getClassBody() != null;
            return anonymous ? null : decls.get(trees.getElement(at));
        }
        /** A call whose arguments have unresolved types, on a method with same-arity overloads. */
        private boolean isUncertainOverload(TreePath path, Element target) {
            if (!(target instanceof ExecutableElement method) || !isCalled(path)) {
                return false;
            }
            TreePath call = path.getParentPath();
            MethodInvocationTree tree = (MethodInvocationTree) call.getLeaf();
            boolean unknown = tree.getArguments().stream()
                    .map(a -> trees.getTypeMirror(new TreePath(call, a)))
                    .anyMatch(t -> t == null || t.getKind() == TypeKind.ERROR);
            return unknown && method.getEnclosingElement() instanceof TypeElement owner
                    && elements.getAllMembers(owner).stream()
                    .filter(e -> e instanceof ExecutableElement)
                    .filter(e -> e.getSimpleName().equals(method.getSimpleName()))
                    .filter(e -> ((ExecutableElement) e).getParameters().size()
                            == method.getParameters().size() || method.isVarArgs())
                    .count() > 1;
        }
    }
    /** Whether javac's answer is an error symbol (a declared variable of unknown type is none). */
    private boolean isError(Element element) {
        TypeMirror type = element.asType();
        return !decls.containsKey(element) && (type == null || type.getKind() == TypeKind.ERROR);
    }
    private static boolean isCalled(TreePath path) {
        return path.getParentPath().getLeaf() instanceof MethodInvocationTree call
                && call.getMethodSelect() == path.getLeaf();
    }
    private String role(TreePath path, Element element) {
        Tree leaf = path.getLeaf();
        if (isCalled(path)) {
            return "call";
        }
        TreePath up = path.getParentPath();
        if (up.getLeaf() instanceof AnnotatedTypeTree) {
            leaf = up.getLeaf();
            up = up.getParentPath();
        }
        if (up.getLeaf() instanceof ParameterizedTypeTree generic && generic.getType() == leaf) {
            leaf = generic;
            up = up.getParentPath();
        }
        Tree parent = up.getLeaf();
        if (parent instanceof NewClassTree created && created.getIdentifier() == leaf) {
            return "new";
        }
        if (parent instanceof AnnotationTree annotation && annotation.getAnnotationType() == leaf) {
            return "decorator";
        }
        if (parent instanceof ClassTree type
                && (type.getExtendsClause() == leaf || type.getImplementsClause().contains(leaf))) {
            return "heritage";
        }
        if (parent instanceof AssignmentTree assignment && assignment.getVariable() == leaf) {
            return up.getParentPath().getLeaf() instanceof AnnotationTree ? "ref" : "write";
        }
        return isImported(path) ? "import" : typeRole(path, parent, element);
    }
    private static boolean isImported(TreePath path) {
        TreePath at = path;
        while (at.getLeaf() instanceof MemberSelectTree || at.getLeaf() instanceof IdentifierTree) {
            at = at.getParentPath();
        }
        return at.getLeaf() instanceof ImportTree;
    }
    /** "type" for a type in a type position, "ref" for the qualifier of a static member and the rest. */
    private String typeRole(TreePath path, Tree parent, Element element) {
        boolean type = element != null
                && (element.getKind().isClass() || element.getKind().isInterface()
                        || element.getKind() == ElementKind.TYPE_PARAMETER);
        if (type && parent instanceof MemberSelectTree select && select.getExpression() == path.getLeaf()
                && !select.getIdentifier().contentEquals("class")) {
            Element selected = trees.getElement(path.getParentPath());
            boolean qualifiesType = selected != null
                    && (selected.getKind().isClass() || selected.getKind().isInterface());
            return qualifiesType ? "type" : "ref";
        }
        return type ? "type" : "ref";
    }
    // ---- JSON ---------------------------------------------------------------------------------
    private static String joined(Stream<String> parts) {
        return parts.collect(Collectors.joining(",", "[", "]"));
    }
    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < 0x20) {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
