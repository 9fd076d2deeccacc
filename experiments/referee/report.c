/* The report of a disagreement: a folder that can be sent as it is. See referee.h.
 *
 *   report.md       the question, the answers, which is right and why, in words
 *   history.txt     the history as isolab text; original.txt: before it was shrunk
 *   NAME.EXT        the history in the form that the published checker NAME received
 *   commands.sh     asks each checker again
 *   certificate     the proof of the right verdict, if there is one
 *   verdicts.json   the answers and the right verdict, for programs */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/print.h"
#include "base/sha256.h"
#include "certificates/certificate.h"
#include "experiments/referee/referee.h"
#include "explain/story.h"

typedef struct report {
    iso_referee *r;
    iso_pool *pool;
    const iso_finding *f;
    char *text; /* the history as isolab text */
    char folder[3000], name[200];
    char certified[400]; /* the output of isolab-verify; empty: there is no certificate */
    FILE *out;           /* at most one file is open at a time; the guard's caller closes it */
} report;

static const char *said_text(const iso_said *said) {
    return said->judgement.state != ISO_TOOL_OK ? iso_tool_state_text[said->judgement.state]
                                                : iso_verdict_text(said->judgement.verdict);
}

static _Noreturn void cannot(report *w, const char *what) {
    iso_throw(w->r->env, ISOLAB_E_IO, "cannot write %s/%s: %s", w->folder, what, strerror(errno));
}

static FILE *begin(report *w, const char *file) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", w->folder, file);
    w->out = fopen(path, "w");
    if (w->out == NULL) {
        cannot(w, file);
    }
    return w->out;
}

static void end(report *w, const char *file) {
    bool bad = ferror(w->out) != 0;
    bad |= fclose(w->out) != 0;
    w->out = NULL;
    if (bad) {
        cannot(w, file);
    }
}

static const char *path_in(report *w, const char *file) { return iso_format_text(w->pool, "%s/%s", w->folder, file); }

/* Returns a name that is safe in a file name: the user may have named the adapter. */
static void make_plain(char *name) {
    for (char *at = name; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) || strchr("._-", *at) != NULL ? *at : '_';
    }
}

/* Makes a name such as `rc-broken-aborted-read-1f00ba12`: the question, the wrong parties, the anomaly, and a hash of
 * the history, the question and the answers. */
static void make_name(report *w) {
    const iso_finding *f = w->f;
    iso_sha256 sha;
    char hex[65], who[100] = "";
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, w->text, strlen(w->text));
    iso_sha256_add(&sha, &f->asked->no_session_order, 1);
    iso_sha256_add(&sha, f->signs, strlen(f->signs));
    iso_sha256_hex(&sha, hex);
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        if (f->wrong >> i & 1) {
            const char *name = w->r->party[i].name;
            name += strncmp(name, "ext:", 4) == 0 ? 4 : 0;
            snprintf(who + strlen(who), sizeof who - strlen(who), "-%.40s", name);
        }
    }
    make_plain(who);
    iso_anomaly_kind kind = f->class->kind;
    snprintf(w->name, sizeof w->name, "%s%s%s%s%s-%.8s", iso_level_get(f->asked->level)->name,
             f->asked->no_session_order ? "-no-sessions" : "", *who != '\0' ? who : "-unclear",
             kind == ISO_A_KINDS ? "" : "-", kind == ISO_A_KINDS ? "" : iso_anomaly_get(kind)->name, hex);
}

static const char *file_of(report *w, const iso_party *p) {
    char name[300];
    snprintf(name, sizeof name, "%.100s%.*s", p->adapter->name, (int)strcspn(p->format->extensions, " "),
             p->format->extensions);
    make_plain(name);
    return path_in(w, name) + strlen(w->folder) + 1;
}

static bool was_asked(const report *w, unsigned party) {
    return w->f->said[party].judgement.state != ISO_TOOL_UNSUPPORTED;
}

/* Writes the history in the format of every party. */
static void write_histories(report *w) {
    const iso_format *isolab = iso_format_find("isolab");
    iso_save(w->pool, w->f->h, path_in(w, "history.txt"), isolab);
    iso_save(w->pool, w->f->original, path_in(w, "original.txt"), isolab);
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const iso_party *p = &w->r->party[i];
        if (p->adapter != NULL && was_asked(w, i)) {
            iso_save(w->pool, iso_adapter_history(w->pool, p->adapter, w->f->h, p->plain), path_in(w, file_of(w, p)),
                     p->format);
        }
    }
}

static iso_question request_of(const iso_finding *f) {
    return (iso_question){
        .level = f->asked->level, .no_session_order = f->asked->no_session_order, .certificate = true};
}

static const char *verifier(report *w) {
    const char *own = iso_own_program(w->pool), *slash = strrchr(own, '/');
    size_t room = (size_t)(slash - own) + 20;
    char *path = iso_alloc(w->pool, room, 1);
    snprintf(path, room, "%.*s/isolab-verify", (int)(slash - own), own);
    return access(path, X_OK) == 0 ? path : iso_find_program(w->pool, "isolab-verify");
}

/* Writes the certificate, and lets isolab-verify check it. */
static void write_certificate(report *w) {
    const iso_finding *f = w->f;
    iso_question question = request_of(f);
    if (f->judge == NULL || f->truth.verdict == ISOLAB_UNKNOWN ||
        !iso_certificate_save(w->pool, f->h, &question, &f->truth, ISO_NONE, path_in(w, "certificate"))) {
        return;
    }
    const char *program = verifier(w);
    if (program == NULL) {
        snprintf(w->certified, sizeof w->certified, "not verified: isolab-verify is not here");
        return;
    }
    const char *argv[] = {program, "--format", "isolab", path_in(w, "history.txt"), path_in(w, "certificate"), NULL};
    iso_job job = {.argv = argv, .timeout = 60000000000};
    iso_run_jobs(w->pool, &job, 1, 1);
    const char *said = job.out_size > 0 ? job.out : job.err;
    bool good = job.end == ISO_JOB_EXITED && job.code == 0;
    snprintf(w->certified, sizeof w->certified, "%s by isolab-verify%s%.*s", good ? "verified" : "REFUSED",
             good ? "" : ": ", good ? 0 : (int)strcspn(said, "\n"), said);
}

/* Returns the command that asks the party again. */
static iso_markup command_of(report *w, unsigned party) {
    const iso_party *p = &w->r->party[party];
    const iso_referee_question *asked = w->f->asked;
    iso_printer out = {.pool = w->pool, .target = ISO_SHELL};
    if (p->checker != NULL) {
        iso_print(&out, "isolab check -l %s", iso_level_get(asked->level)->name);
        if (asked->no_session_order) {
            iso_print(&out, " --no-session-order");
        }
        iso_print(&out, " -c %s history.txt", p->name);
        return iso_printed_markup(&out);
    }
    const char *file = file_of(w, p);
    bool stays = *p->adapter->serve != '\0', lists = w->f->h->has_lists;
    const char *const *argv =
        stays ? iso_adapter_serve(w->pool, p->adapter, p->program, asked->level, p->format, lists)
              : iso_adapter_command(w->pool, p->adapter, p->program, asked->level, p->format, lists, &file, 1);
    if (stays && iso_adapter_is(p->adapter->told, "text")) { /* the program ends when its input ends */
        iso_print(&out, "{ wc -c <%s; cat %s; } | ", file, file);
    } else if (stays) {
        iso_print(&out, "echo %s | ", file);
    }
    for (size_t i = 0; argv[i] != NULL; i++) {
        iso_print_markup(&out, i > 0 ? ISO_MARKUP(" ") : ISO_MARKUP(""));
        iso_print(&out, "%s", argv[i]);
    }
    return iso_printed_markup(&out);
}

/* Returns whether a command can ask the party again: not for recorded verdicts. */
static bool has_command(const report *w, unsigned party) {
    return was_asked(w, party) && w->r->party[party].table == NULL;
}

static void write_commands(report *w) {
    iso_printer out = {.out = begin(w, "commands.sh"), .target = ISO_SHELL};
    iso_print(&out, "#!/bin/sh\n# Asks every checker again. Exit statuses differ from tool to tool, so all are asked.\n"
                    "cd \"$(dirname \"$0\")\" || exit 1\n");
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const iso_party *p = &w->r->party[i];
        if (has_command(w, i)) {
            iso_print(&out, "printf '== %%s\\n' %s\n", p->adapter != NULL ? p->adapter->name : p->name);
            iso_print_markup(&out, command_of(w, i));
            iso_print(&out, "\n");
        }
    }
    if (w->certified[0] != '\0') {
        iso_print(&out, "echo '== isolab-verify'\nisolab-verify --format isolab history.txt certificate\n");
    }
    end(w, "commands.sh");
    chmod(path_in(w, "commands.sh"), 0755);
}

/* --- words --- */

/* Writes the names of parties whose sign is in a set. */
static void put_names(report *w, iso_printer *out, const char *signs) {
    bool any = false;
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        if (strchr(signs, w->f->signs[i]) != NULL && w->f->signs[i] != '\0') {
            iso_print(out, "%s%s", any ? ", " : "", w->r->party[i].name);
            any = true;
        }
    }
    if (!any) {
        iso_print(out, "no party");
    }
}

static unsigned count_signs(const report *w, const char *signs) {
    unsigned n = 0;
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        n += strchr(signs, w->f->signs[i]) != NULL;
    }
    return n;
}

static void put_sides(report *w, iso_printer *out) {
    iso_print(out, "Satisfied, say: ");
    put_names(w, out, "S");
    iso_print(out, ". Violated, say: ");
    put_names(w, out, "V");
    iso_print(out, ".");
    if (count_signs(w, "CG") > 0) {
        iso_print(out, " Crashed or gave no verdict that could be read: ");
        put_names(w, out, "CG");
        iso_print(out, ".");
    }
    unsigned satisfied = count_signs(w, "S"), violated = count_signs(w, "V");
    if ((satisfied == 1) != (violated == 1) && satisfied + violated > 2) {
        iso_print(out, " ");
        put_names(w, out, satisfied == 1 ? "S" : "V");
        iso_print(out, " is alone.");
    }
    iso_print(out, "\n\n");
}

static void put_step(void *arg, const iso_word_step *step) {
    iso_printer *out = arg;
    for (unsigned i = 0; i < step->depth && i < 8; i++) {
        iso_print(out, "  ");
    }
    iso_print(out, "- %s%s %s.\n", step->number, step->depth > 0 ? " because" : ".", step->sentence);
}

static void put_truth(report *w, iso_printer *out) {
    const iso_finding *f = w->f;
    char text[64], sentence[ISO_SENTENCE_SIZE], name[ISO_WORD_SIZE];
    if (f->judge == NULL || f->truth.verdict == ISOLAB_UNKNOWN) {
        iso_print(out, "No checker that follows the definition literally takes this history, so who is right "
                       "stays open.\n\n");
        return;
    }
    bool literal = strcmp(f->judge->name, "brute") == 0;
    iso_print(out, "`%s`, which %s, says **%s**.", f->judge->name,
              literal                              ? "tries all commit orders against the definition"
              : strcmp(f->judge->name, "sat") == 0 ? "hands the definition to a SAT solver"
                                                   : "follows the definition",
              iso_verdict_text(f->truth.verdict));
    bool any = false;
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        if ((f->wrong >> i & 1) && (f->signs[i] == 'S' || f->signs[i] == 'V')) {
            iso_print(out, "%s%s", any ? ", " : " Wrong: ", w->r->party[i].name);
            any = true;
        }
    }
    iso_print(out, "%s\n\n", any ? "." : "");
    if (f->truth.verdict == ISOLAB_VIOLATED && f->truth.n_anomalies > 0) {
        const iso_anomaly *a = &f->truth.anomalies[0];
        const iso_anomaly_info *info = iso_anomaly_get(a->kind);
        const char *plume = iso_anomaly_plume(a);
        iso_print(out, "Why it is violated: %s%s%s%s%s. %s\n\n", info->name, plume != NULL ? ", Plume " : "",
                  plume != NULL ? plume : "", info->adya != NULL ? ", Adya " : "", info->adya != NULL ? info->adya : "",
                  iso_word_anomaly(f->h, &f->truth, a, sentence));
        iso_each_step(f->h, &f->truth, a, put_step, out);
        iso_print(out, "\n");
    } else if (f->truth.order != NULL && f->truth.n_order == 0) {
        iso_print(out, "Why it is satisfied: no transaction committed.\n\n");
    } else if (f->truth.order != NULL) {
        iso_print(out, "Why it is satisfied: this commit order of %s obeys %s:", f->truth.n_order == 1 ? "one" : "all",
                  iso_referee_question_text(f->asked, text));
        for (uint32_t i = 0; i < f->truth.n_order; i++) {
            iso_print(out, "%s %s", i > 0 ? "," : "", iso_word_txn(f->h, f->truth.order[i], name));
        }
        iso_print(out, ".\n\n");
    }
}

static void put_rules(report *w, iso_printer *out) {
    bool any = false;
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const char *rules = w->r->rules[i][w->f->question];
        if ((w->f->wrong >> i & 1) && rules != NULL) {
            iso_print_markup(out, any ? ISO_MARKUP("") : ISO_MARKUP("## Which rule\n\n"));
            iso_print(out, "%s\n\n", rules);
            any = true;
        }
    }
}

static void put_origin(report *w, iso_printer *out) {
    static const char *const from[] = {"the file", "the list of all small histories", "random small histories",
                                       "runs of the simulated store", "mutants"};
    const iso_origin *o = w->f->origin;
    iso_print(out,
              "Number %" PRIu64 " of this run, from %s%s%s, seed %" PRIu64
              "; it had %u transactions and %u operations (`original.txt`). The run:\n\n",
              o->number, from[o->kind], o->file != NULL ? " " : "", o->file, o->seed, w->f->original->n_txns,
              w->f->original->n_ops);
    size_t room = strlen(w->r->command) + 40;
    char *command = iso_alloc(w->pool, room, 1);
    int used = snprintf(command, room, "%s", w->r->command);
    if (w->r->random && w->r->count == 0) { /* the run had only a time limit, which another machine reaches elsewhere */
        snprintf(command + used, room - (size_t)used, " --count %" PRIu64, o->number + 1);
    }
    iso_print_lines(out, command);
}

/* Returns whether the history kept reads of initial values, which a party does not support. */
static bool is_told_plainly(const report *w, unsigned party) {
    const iso_class *c = w->f->class;
    return c->plain_party == (int)party && c->plain_trait == ISO_TRAIT_INITIAL;
}

static void put_conventions(report *w, iso_printer *out) {
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const iso_party *p = &w->r->party[i];
        if (p->table != NULL && was_asked(w, i)) {
            iso_print(out, "- %s is a recorded verdict: ", p->name);
            iso_print_code(out, w->f->said[i].judgement.reason);
            iso_print(out, ".\n");
        }
        if (p->adapter == NULL || !was_asked(w, i)) {
            continue;
        }
        iso_print(out, "- %s was told the history in ", p->name);
        iso_print_code(out, file_of(w, p));
        iso_print(out, " (format %s). %s%s%s%s\n", p->format->name,
                  iso_adapter_is(p->adapter->initial, "written") ? "It has no initial values of its own"
                  : iso_adapter_is(p->adapter->initial, "own")   ? "Its initial values are not before everything"
                                                                 : "Initial values are before everything, as in isolab",
                  iso_adapter_is(p->adapter->initial, "first") ? "."
                  : is_told_plainly(w, i)
                      ? ", and it was told the reads of them as they are."
                      : ": where the history reads one, a first session writes them, and every other session begins by "
                        "reading a key that only this session writes, so that it comes first.",
                  iso_adapter_is(p->adapter->sessions, "no") ? " It does not count session order." : "",
                  iso_adapter_is(p->adapter->trust, "violated")    ? " Finding nothing proves nothing."
                  : iso_adapter_is(p->adapter->trust, "satisfied") ? " Finding something proves nothing."
                                                                   : "");
    }
}

static void put_wrong(report *w, iso_printer *out) {
    bool any = false;
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        if (w->f->wrong >> i & 1) {
            iso_print(out, "%s%s", any ? ", " : "", w->r->party[i].name);
            any = true;
        }
    }
}

static void write_words(report *w) {
    const iso_finding *f = w->f;
    const iso_level_info *level = iso_level_get(f->asked->level);
    char text[64];
    iso_printer *out = &(iso_printer){.out = begin(w, "report.md"), .target = ISO_MARKDOWN};
    bool crash = count_signs(w, "CG") > 0 && (count_signs(w, "S") == 0 || count_signs(w, "V") == 0);
    iso_print(out, "# %s: ", iso_referee_question_text(f->asked, text));
    put_wrong(w, out);
    iso_print(out, "%s\n\n", f->wrong == 0 ? "checkers disagree" : crash ? " gives no verdict" : " answers wrongly");
    iso_print(out, "The question: does this history satisfy %s (%s)? %s\n\n", text, level->title, level->meaning);
    put_sides(w, out);
    iso_print(
        out, "## The history\n\n%s\n\n",
        f->recorded       ? "The whole file: a recorded verdict is about it alone, so it was not shrunk."
        : !f->asked_again ? "As it was found: a limit came before the parties could be asked again."
        : !f->repeatable  ? "As it was found. Asked again, a party answered differently, so it could not be shrunk."
        : f->minimal      ? "Minimal: no transaction, operation, session, key or value can be left out or made simpler "
                            "without losing the disagreement."
                          : "Shrunk, but a limit ended that early.");
    iso_print_lines(out, w->text);
    iso_print(out, "\n");
    iso_print(out, "## Verdicts\n\n| checker | verdict | what it said |\n|---|---|---|\n");
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const iso_judgement *j = &f->said[i].judgement;
        iso_print(out, "| %s | %s | %s%s%s |\n", w->r->party[i].name, said_text(&f->said[i]), j->anomalies,
                  j->anomalies[0] != '\0' && j->reason[0] != '\0' ? "; " : "", j->reason);
    }
    iso_print(out, "\n## Who is right\n\n");
    put_truth(w, out);
    iso_print(out, "Certificate: %s.\n\n", w->certified[0] != '\0' ? w->certified : "none");
    put_rules(w, out);
    iso_print(out, "## Again\n\n`commands.sh` asks all of them:\n\n");
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        if (has_command(w, i)) {
            iso_print_lines(out, command_of(w, i).text);
        }
    }
    iso_print(out, "\n");
    put_conventions(w, out);
    iso_print(out, "\n## Where it is from\n\n");
    put_origin(w, out);
    end(w, "report.md");
}

static void write_json(report *w) {
    const iso_finding *f = w->f;
    char name[ISO_NAME_SIZE];
    iso_json j = {.out = begin(w, "verdicts.json")};
    iso_json_open(&j, NULL, '{');
    iso_json_text(&j, "level", iso_level_get(f->asked->level)->name);
    iso_json_flag(&j, "session_order", !f->asked->no_session_order);
    iso_json_text(&j, "class", iso_class_text(w->r, f->class, w->pool));
    iso_json_count(&j, "cause", iso_finding_cause(f));
    iso_json_text(&j, "truth", iso_verdict_text(f->truth.verdict));
    iso_json_text(&j, "judge", f->judge != NULL ? f->judge->name : NULL);
    iso_json_flag(&j, "repeatable", f->repeatable);
    iso_json_flag(&j, "minimal", f->minimal);
    iso_json_text(&j, "certificate", w->certified[0] != '\0' ? w->certified : NULL);
    iso_json_count(&j, "transactions", f->h->n_txns);
    iso_json_count(&j, "operations", f->h->n_ops);
    iso_json_count(&j, "tests", f->tests);
    iso_json_count(&j, "number", f->origin->number);
    iso_json_count(&j, "seed", f->origin->seed);
    iso_json_open(&j, "verdicts", '[');
    for (unsigned i = 0; i < w->r->n_parties; i++) {
        const iso_judgement *said = &f->said[i].judgement;
        iso_json_open(&j, NULL, '{');
        iso_json_text(&j, "checker", w->r->party[i].name);
        iso_json_text(&j, "state", iso_tool_state_text[said->state]);
        iso_json_text(&j, "verdict", iso_verdict_text(said->verdict));
        iso_json_text(&j, "anomalies", said->anomalies[0] != '\0' ? said->anomalies : NULL);
        iso_json_text(&j, "reason", said->reason[0] != '\0' ? said->reason : NULL);
        iso_json_flag(&j, "wrong", f->wrong >> i & 1);
        iso_json_close(&j, '}');
    }
    iso_json_close(&j, ']');
    iso_json_open(&j, "commit_order", '[');
    for (uint32_t i = 0; f->truth.order != NULL && i < f->truth.n_order; i++) {
        iso_json_text(&j, NULL, iso_txn_text(f->h, f->truth.order[i], name));
    }
    iso_json_close(&j, ']');
    iso_json_close(&j, '}');
    iso_json_end(&j);
    end(w, "verdicts.json");
}

static void write_all(void *arg) {
    report *w = arg;
    if (mkdir(w->folder, 0777) != 0) {
        cannot(w, "");
    }
    write_histories(w);
    write_certificate(w);
    write_commands(w);
    write_json(w);
    write_words(w);
}

bool iso_referee_report(iso_referee *r, iso_pool *pool, iso_finding *f) {
    report *w = ISO_ZNEW(pool, report, 1);
    *w = (report){.r = r, .pool = pool, .f = f};
    size_t size;
    w->text = iso_save_text(pool, f->h, iso_format_find("isolab"), &size);
    make_name(w);
    char final[3400];
    snprintf(final, sizeof final, "%.2500s/%s", r->out, w->name);
    if (access(final, F_OK) == 0) {
        return false;
    }
    /* under another name until it is complete, so that a killed run leaves no partial report */
    snprintf(w->folder, sizeof w->folder, "%.2500s/.new-%s", r->out, w->name);
    iso_remove_folder(w->folder);
    if (iso_guard(r->env, write_all, w) != ISOLAB_OK) {
        if (w->out != NULL) {
            fclose(w->out);
        }
        iso_remove_folder(w->folder);
        iso_rethrow(r->env);
    }
    if (rename(w->folder, final) != 0) {
        cannot(w, final);
    }
    if (r->tell_every > 0) {
        iso_say(stderr, "isolab: a disagreement: %s\n", final);
    }
    return true;
}
