/* Tests experiments/asking/served.h: a program that stays gets every question whole and in order, by path or by text;
 * one that dies, hangs, prints garbage or too much, or closes its pipes costs its own answers and no others. The
 * programs are small ones in Perl. */
#include "experiments/asking/served.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "tests/guarded.h"

enum { QUESTIONS = 100, LARGE = 300000 };

static iso_env env;
static iso_pool *pool;

/* Reads the number of bytes and the bytes, and calls answer() with them. */
#define READS                                                                                                          \
    "$| = 1; while (defined($n = <STDIN>)) { $b = ''; read STDIN, $b, $n or exit 9; last if length $b != $n; $i++; "
#define ENDS " }"

/* How the answers to all questions ended. */
typedef struct ends {
    unsigned right, wrong, died, killed, late, large, missing;
} ends;

static iso_served_question question(unsigned number, size_t size) {
    char *text = ISO_NEW(pool, char, size + 32);
    size_t n = (size_t)sprintf(text, "%zu\n", size);
    memset(text + n, 'a' + (int)(number % 26), size);
    return (iso_served_question){text, n + size};
}

static bool is_right(const iso_job *job, unsigned number, size_t size) {
    char want[64];
    snprintf(want, sizeof want, "%zu %c\n", size, 'a' + (int)(number % 26));
    return job->code == 0 && strcmp(job->out, want) == 0;
}

static size_t size_of(unsigned number, bool large) { return large && number % 7 == 0 ? LARGE : 1 + number * 3; }

static ends ask(const char *program, const char *script, unsigned n, bool large, unsigned at_once) {
    const char *const argv[] = {program, "-e", script, NULL};
    iso_job like = {.argv = argv, .timeout = 3000000000, .resident = UINT64_MAX};
    iso_served *s = iso_served_new(pool, &like, at_once);
    iso_served_question *list = ISO_NEW(pool, iso_served_question, n);
    iso_job *jobs = ISO_ZNEW(pool, iso_job, n);
    ends e = {0};
    for (unsigned i = 0; i < n; i++) {
        list[i] = question(i, size_of(i, large));
    }
    iso_served_ask(s, pool, list, n, 0, 200000000, jobs);
    for (unsigned i = 0; i < n; i++) {
        bool exited = jobs[i].end == ISO_JOB_EXITED, right = exited && is_right(&jobs[i], i, size_of(i, large));
        e.right += right;
        e.wrong += exited && jobs[i].code == 0 && !right;
        e.died += exited && jobs[i].code != 0;
        e.killed += jobs[i].end == ISO_JOB_SIGNALLED;
        e.late += jobs[i].end == ISO_JOB_TIMED_OUT;
        e.large += jobs[i].end == ISO_JOB_TOO_LARGE;
        e.missing += jobs[i].end == ISO_JOB_NOT_STARTED;
    }
    iso_served_end(s);
    return e;
}

static const char *perl;

#define ANSWERS "print length $b, ' ', substr($b, 0, 1), \"\\n\";"

static void test_right(void) {
    ends e = ask(perl, READS ANSWERS ENDS, QUESTIONS, false, 1);
    cmp_ok(e.right, "==", QUESTIONS, "each of many small questions has its own answer");
    e = ask(perl, READS ANSWERS ENDS, QUESTIONS, true, 1);
    cmp_ok(e.right, "==", QUESTIONS, "also among questions that are larger than a pipe");
    e = ask(perl, READS ANSWERS ENDS, QUESTIONS, true, 3);
    cmp_ok(e.right, "==", QUESTIONS, "and by three programs");
    e = ask(perl, READS "print STDERR 'x' x 100000;" ANSWERS ENDS, 20, true, 1);
    cmp_ok(e.right, "==", 20, "a program that complains at length before it answers does not get stuck");
    e = ask(perl,
            "sub waits { vec($v = '', 0, 1) = 1; return !select $v, undef, undef, 0 } " READS "$| = 0; " ANSWERS
            "$| = 1 if waits();" ENDS,
            20, false, 1);
    cmp_ok(e.right, "==", 20, "a program may keep its answers back while it has more questions");
}

static void test_deaths(void) {
    ends e = ask(perl, READS "kill 'SEGV', $$ if $i == 10;" ANSWERS ENDS, QUESTIONS, false, 1);
    ok(e.killed == 10 && e.right == QUESTIONS - 10, "a program that dies at each tenth question loses these alone (%u)",
       e.killed);
    e = ask(perl, READS "exit 3 if length($b) == 31;" ANSWERS ENDS, QUESTIONS, true, 2);
    ok(e.died == 1 && e.right == QUESTIONS - 1, "one that dies at a question loses this alone (%u)", e.died);
    e = ask(perl, "exit 5", 10, true, 2);
    cmp_ok(e.died, "==", 10, "one that ends at once answers nothing");
    e = ask(perl, "close STDOUT; sleep 9", 2, false, 1);
    cmp_ok(e.killed + e.late, "==", 2, "one that closes its output is ended");
    e = ask("/there is no such program", "", 5, false, 2);
    cmp_ok(e.missing, "==", 5, "one that cannot be started is told so of each question");
}

static void test_waits(void) {
    ends e = ask(perl, READS "sleep 60 if $i == 20;" ANSWERS ENDS, 60, false, 1);
    ok(e.late == 3 && e.right == 57, "one that hangs at each twentieth question loses these alone (%u)", e.late);
    e = ask(perl, READS ANSWERS "if ($i == 5) { close STDIN; sleep 60 }" ENDS, 6, true, 1);
    ok(e.right == 5 && e.late == 1, "one that closes its input is late, and nothing waits for it (%u)", e.right);
}

static void test_noise(void) {
    ends e = ask(perl, READS "print 'x' x 200000, \"\\n\" if $i == 3; " ANSWERS ENDS, 3, false, 1);
    ok(e.right == 2 && e.wrong == 1, "an answer that is too long is cut (%u, %u)", e.right, e.wrong);
    e = ask(perl, READS "print 'x' x 200000, \"\\n\" if $i == 2; " ANSWERS ENDS, 5, false, 1);
    ok(e.right == 3 && e.wrong == 2, "the rest of a cut answer is not the next one (%u, %u)", e.right, e.wrong);
    e = ask(perl, "$| = 1; print 'x' x 4096 while 1", 4, false, 1);
    cmp_ok(e.wrong, "==", 4, "output without end, and without lines, answers nothing");
    e = ask(perl, "$| = 1; print \"y\\n\" while 1", 50, true, 1);
    cmp_ok(e.wrong, "==", 50, "nor do lines without end");
    e = ask(perl, "print \"banner\\n\";" READS ANSWERS ENDS, 20, false, 1);
    ok(e.right + e.wrong == 20, "one that prints before it is asked answers each question once (%u right)", e.right);
    e = ask(perl, READS "print \"\\0\\xff\\0\" x 20, \"\\n\"" ENDS, 10, false, 1);
    cmp_ok(e.wrong, "==", 10, "bytes of any kind are no answer");
}

static void test(void *arg) {
    pool = arg;
    perl = iso_find_program(pool, "perl");
    test_right();
    test_deaths();
    test_waits();
    test_noise();
}

int main(void) { return run_guarded(&env, test); }
