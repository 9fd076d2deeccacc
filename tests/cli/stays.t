#!/bin/sh
# examples/Stays.java: a checker in Java stays for many questions. Each question gets classes of its own, and a checker that
# ends its process ends only its question.
. "$(dirname "$0")/tap.sh"
command -v javac >/dev/null && command -v java >/dev/null || skip_all "there is no java"
cd "$tmp" || exit 1
cp "$root/examples/Stays.java" .
mkdir toy
cat >toy/Toy.java <<'J'
public class Toy {
    static int asked; // one more in every question of one process, unless the class is new

    public static void main(String[] words) throws Exception {
        String text = java.nio.file.Files.readString(java.nio.file.Path.of(words[1]));
        System.out.println("reading\n" + (++asked == 1 ? "first" : "again"));
        System.out.println(text.contains("null") ? "REJECT" : "ACCEPT");
        System.exit(3);
    }
}
J
javac -d toy toy/Toy.java || skip_all "javac does not work"
echo '{"null": 1}' >bad
echo '{}' >good
printf 'bad\ngood\nmissing\nbad\n' >questions
t 0 "four questions in one process" sh -c 'java -Djava.security.manager=allow -cp toy Stays.java Toy -x {} <questions 2>/dev/null'
same 4 "$(wc -l <"$tmp/out" | tr -d ' ')" "have a line each"
same 'reading first REJECT
reading first ACCEPT' "$(head -n 2 "$tmp/out")" "with all that was printed, by classes of their own"
same 1 "$(sed -n 3p "$tmp/out" | grep -c 'died: java.nio.file.NoSuchFileException')" "an exception is an answer"
same 'reading first REJECT' "$(sed -n 4p "$tmp/out")" "and not the end"
t 0 "with shared classes" sh -c 'java -Djava.security.manager=allow -cp toy Stays.java Toy --shared Toy -x {} <questions 2>/dev/null'
same 'reading again REJECT' "$(tail -n 1 "$tmp/out")" "their state stays"
cat >toy.adapters <<END
[toy]
program = java
serve = -Djava.security.manager=allow -cp $tmp/toy $tmp/Stays.java Toy -x {}
told = path
formats = jsonl
levels = ra
satisfied = ACCEPT
violated = REJECT
statuses = 0
END
t 1 "a referee asks it" "$isolab" referee --checkers brute,ext:toy --adapters toy.adapters -l ra --random --count 20 --seed 3 --reports 1 --out found
out_like 'ext:toy'
finish
