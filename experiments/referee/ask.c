/* Asking the parties. See referee.h. */
#include <string.h>
#include <sys/statvfs.h>

#include "experiments/referee/run.h"

void iso_referee_party(iso_referee *r, const iso_adapters *adapters, const char *name) {
    if (r->n_parties == ISO_PARTIES) {
        iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: more than %d", ISO_PARTIES);
    }
    for (unsigned i = 0; i < r->n_parties; i++) {
        if (strcmp(r->party[i].name, name) == 0) {
            iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: %s is named twice", name);
        }
    }
    bool published = iso_adapter_name(name) != NULL;
    iso_party p =
        published ? iso_party_tool(r->pool, adapters, name, r->n_parties, "--checkers: ") : iso_party_own(name);
    if (p.ask == NULL) {
        iso_throw(r->env, ISOLAB_E_USAGE, "--checkers: there is no checker \"%s\" (a published one is ext:%s)", name,
                  name);
    }
    r->party[r->n_parties++] = p;
    r->n_foreign += published;
}

const char *iso_referee_question_text(const iso_referee_question *asked, char buffer[64]) {
    snprintf(buffer, 64, "%s%s", iso_level_get(asked->level)->name,
             asked->no_session_order ? " without session order" : "");
    return buffer;
}

void iso_referee_count(iso_referee *r, unsigned party, const iso_judgement *answer) {
    iso_tally *t = &r->tally[party];
    char sign = iso_sign(answer);
    t->asked += answer->state != ISO_TOOL_UNSUPPORTED;
    t->states[answer->state]++;
    t->satisfied += sign == 'S';
    t->violated += sign == 'V';
    t->unknown += sign == '?';
}

/* Returns whether checkers of isolab, which answer first, call the history satisfied. */
static bool is_satisfied(const iso_referee *r, const iso_judgement *answers) {
    bool satisfied = false, violated = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        satisfied |= r->party[i].checker != NULL && iso_sign(&answers[i]) == 'S';
        violated |= r->party[i].checker != NULL && iso_sign(&answers[i]) == 'V';
    }
    return satisfied && !violated;
}

/* Returns the temporary folder of the run, where published programs find their histories. Thousands of small files are
 * written and removed in a second, so the folder is in memory, unless there is no room, or FILEs are asked about, which
 * may be large: then it is in the folder of reports. */
static const char *folder_of(iso_referee *r) {
    static const char memory[] = "/dev/shm";
    struct statvfs space;
    if (r->temporary == NULL) {
        bool small = r->options.files.n == 0 && statvfs(memory, &space) == 0 &&
                     (uint64_t)space.f_bavail * space.f_frsize >= (uint64_t)64 << 20 && space.f_favail >= 10000;
        const char *in = small ? memory : iso_absolute_path(r->pool, r->options.out); /* programs run elsewhere */
        r->temporary = iso_temporary_folder(r->pool, "referee", in);
    }
    return r->temporary;
}

/* Asks the published parties, or the other ones. */
static void ask_parties(iso_referee *r, const iso_party_question *q, uint32_t parties, bool published,
                        iso_judgement *answers) {
    for (unsigned i = 0; i < r->n_parties; i++) {
        bool is_asked = (parties >> i & 1) != 0;
        for (size_t k = 0; !published && !is_asked && k < q->n; k++) {
            iso_set_answer(&answers[k * r->n_parties + i], ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, "not asked");
        }
        if (is_asked && (r->party[i].tool != NULL) == published) {
            r->party[i].ask(&r->party[i], q, answers + i);
        }
    }
}

void iso_referee_ask(iso_referee *r, iso_pool *scratch, const isolab_history *const *h, const iso_origin *origins,
                     size_t n, const iso_referee_question *asked, uint32_t parties, iso_judgement *answers) {
    uint32_t *files = r->options.files.n > 0 && origins != NULL ? ISO_NEW(scratch, uint32_t, n) : NULL;
    for (size_t k = 0; files != NULL && k < n; k++) {
        files[k] = origins[k].kind == ISO_FROM_FILE ? origins[k].at : ISO_NONE;
    }
    iso_party_question q = {.pool = scratch,
                            .h = h,
                            .n = n,
                            .stride = r->n_parties,
                            .level = asked->level,
                            .no_session_order = asked->no_session_order,
                            .skip_empty = true,
                            .files = files,
                            .timeout = r->options.run_timeout,
                            .small_timeout = r->options.small_timeout,
                            .memory = r->options.run_memory,
                            .at_once = r->options.at_once,
                            .folder = r->n_foreign > 0 ? folder_of(r) : NULL};
    ask_parties(r, &q, parties, false, answers);
    if (r->n_foreign == 0) {
        return;
    }
    bool *satisfied = ISO_NEW(scratch, bool, n); /* the answers of isolab's checkers decide which are packed */
    for (size_t k = 0; k < n; k++) {
        satisfied[k] = is_satisfied(r, &answers[k * r->n_parties]);
    }
    q.satisfied = satisfied;
    ask_parties(r, &q, parties, true, answers);
}

bool iso_referee_disagree(const iso_referee *r, const iso_judgement *answers, char signs[ISO_PARTIES + 1]) {
    bool satisfied = false, violated = false, broken = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        const iso_adapter *adapter = iso_party_adapter(&r->party[i]);
        char sign = iso_sign(&answers[i]);
        bool counts = strchr("SVCG", sign) != NULL;
        counts &= !(sign == 'S' && adapter != NULL && iso_adapter_is(adapter->trust, "violated"));
        counts &= !(sign == 'V' && adapter != NULL && iso_adapter_is(adapter->trust, "satisfied"));
        signs[i] = counts ? sign : '-';
        satisfied |= counts && sign == 'S';
        violated |= counts && sign == 'V';
        broken |= counts && (sign == 'C' || sign == 'G');
    }
    signs[r->n_parties] = '\0';
    return (satisfied && violated) || broken;
}
