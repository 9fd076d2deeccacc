// Lets a checker in Java stay for many questions (docs/referee.md, "A program that stays"). The checker's own main() is called once
// for each path that comes on standard input; the lines that it prints become one line, which is the answer.
//
//     java -Djava.security.manager=allow -cp CHECKER.jar examples/Stays.java MAIN-CLASS [--shared PREFIX,...] ARGUMENT...
//
// {} among the arguments is the path. A checker keeps what it needs in static fields, and these would stay from one question to the
// next. So each question gets classes of its own, except those whose names begin with one of the shared prefixes (libraries, which then
// are loaded once). Needs Java 17.
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.security.Permission;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

public class Stays {
    static boolean ending; // there are no more questions

    static final class Exit extends SecurityException {
        final int status;

        Exit(int status) { this.status = status; }
    }

    /** A checker that calls System.exit() ends its question, and not this program. */
    @SuppressWarnings("removal")
    static final class NoExit extends SecurityManager {
        @Override
        public void checkExit(int status) {
            if (!ending) {
                throw new Exit(status);
            }
        }

        @Override
        public void checkPermission(Permission permission) {}

        @Override
        public void checkPermission(Permission permission, Object context) {}
    }

    /** Loads the checker's classes again, and leaves shared ones to the parent. */
    static final class Fresh extends URLClassLoader {
        final List<String> shared;

        Fresh(URL[] path, List<String> shared) {
            super(path, Stays.class.getClassLoader());
            this.shared = shared;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                boolean own = shared.stream().noneMatch(name::startsWith) && getResource(name.replace('.', '/') + ".class") != null;
                Class<?> known = findLoadedClass(name);
                return known != null ? known : own ? findClass(name) : super.loadClass(name, resolve);
            }
        }
    }

    static URL[] classPath() throws Exception {
        List<URL> path = new ArrayList<>();
        for (String part : System.getProperty("java.class.path").split(File.pathSeparator)) {
            path.add(new File(part).toURI().toURL());
        }
        return path.toArray(new URL[0]);
    }

    /** Returns what the checker prints about one file, and its exit status, on one line. */
    static String ask(URL[] path, List<String> shared, String main, String[] arguments) {
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = System.out, err = System.err, to = new PrintStream(said, true);
        String end = "";
        System.setOut(to);
        System.setErr(to);
        try (Fresh fresh = new Fresh(path, shared)) {
            Thread.currentThread().setContextClassLoader(fresh);
            fresh.loadClass(main).getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            end = e.getCause() instanceof Exit ? "" : " died: " + e.getCause();
        } catch (Throwable e) {
            end = " died: " + e;
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return (said.toString().strip() + end).replaceAll("\\s*\\R\\s*", " ");
    }

    @SuppressWarnings("removal")
    public static void main(String[] words) throws Exception {
        List<String> arguments = new ArrayList<>(Arrays.asList(words)), shared = new ArrayList<>(List.of("java.", "javax.", "jdk.", "sun."));
        String main = arguments.remove(0);
        if (!arguments.isEmpty() && arguments.get(0).equals("--shared")) {
            shared.addAll(Arrays.asList(arguments.get(1).split(",")));
            arguments = arguments.subList(2, arguments.size());
        }
        URL[] path = classPath();
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in));
        System.setSecurityManager(new NoExit());
        for (String file = questions.readLine(); file != null; file = questions.readLine()) {
            String[] filled = arguments.toArray(new String[0]);
            for (int i = 0; i < filled.length; i++) {
                filled[i] = filled[i].replace("{}", file);
            }
            System.out.println(ask(path, shared, main, filled));
            System.out.flush();
        }
        ending = true;
        Runtime.getRuntime().halt(0); // what the checker wanted to do at its end is not done
    }
}
