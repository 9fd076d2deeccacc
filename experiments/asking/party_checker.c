/* A party as a checker of isolab: `check -c ext:NAME`. See party.h. */
#include <string.h>

#include "experiments/asking/tool.h"

typedef struct party_checker {
    iso_checker checker; /* the first member, so that the descriptor leads to the rest */
    iso_party party;
    iso_pool *pool;
    uint64_t memory;
    char *folder; /* of histories; NULL: the program was not asked yet */
} party_checker;

/* Sets the verdict, or why there is none. */
static void conclude(iso_result *result, const iso_adapter *adapter, const iso_judgement *j) {
    bool violated = j->verdict == ISOLAB_VIOLATED;
    bool proves = !iso_adapter_is(adapter->trust, violated ? "satisfied" : "violated");
    if (j->state == ISO_TOOL_OK && j->verdict != ISOLAB_UNKNOWN && proves) {
        result->verdict = j->verdict;
    } else if (j->state == ISO_TOOL_OK) {
        iso_result_reason(result, ISO_REASON_REFUSED, "%s",
                          j->reason[0] != '\0' ? j->reason
                          : violated           ? "its \"violated\" is not a proof at this level"
                                               : "its \"satisfied\" is not a proof at this level");
    } else if (j->state == ISO_TOOL_UNSUPPORTED) {
        iso_result_reason(result, ISO_REASON_REFUSED, "%s", j->reason);
    } else {
        iso_result_reason(result, j->state == ISO_TOOL_MEMORY ? ISO_REASON_MEMORY : ISO_REASON_REFUSED, "%s: %s",
                          iso_tool_state_text[j->state], j->reason);
    }
}

/* Sets the phases: of writing the history, of the program, and of the stages whose times the program printed. */
static void set_phases(iso_result *result, const iso_adapter *adapter, const iso_job *job, int64_t since) {
    iso_adapter_phase *phases;
    iso_result_phase(result, "write", since + job->wall);
    iso_result_phase(result, "program", iso_now() - job->wall);
    size_t n = job->end == ISO_JOB_EXITED ? iso_adapter_phases(result->pool, adapter, job, &phases) : 0;
    for (size_t i = 0; i < n; i++) {
        iso_result_phase(result, phases[i].name, iso_now() - (int64_t)(phases[i].ms * 1e6));
    }
}

static void run_party(const iso_checker *self, const isolab_history *h, const iso_question *question,
                      iso_result *result) {
    party_checker *c = (party_checker *)(uintptr_t)self;
    const iso_adapter *adapter = iso_party_adapter(&c->party);
    bool strong = question->level == ISO_SI || question->level == ISO_SER;
    bool sessions = !iso_adapter_is(adapter->sessions, "no");
    if (strong && sessions == question->no_session_order) {
        iso_result_reason(result, ISO_REASON_REFUSED, "session order %s for it: %s --no-session-order",
                          sessions ? "counts" : "does not count", sessions ? "leave out" : "ask with");
        return;
    }
    c->folder = c->folder != NULL ? c->folder : iso_temporary_folder(c->pool, "foreign", NULL);
    iso_job job;
    iso_judgement answer;
    int64_t since = iso_now();
    c->party.ask(&c->party,
                 &(iso_party_question){.pool = result->pool,
                                       .h = &h,
                                       .n = 1,
                                       .stride = 1,
                                       .level = question->level,
                                       .no_session_order = question->no_session_order,
                                       .memory = c->memory,
                                       .at_once = 1,
                                       .folder = c->folder,
                                       .job = &job},
                 &answer);
    if (answer.state != ISO_TOOL_UNSUPPORTED) {
        set_phases(result, adapter, &job, since);
    }
    conclude(result, adapter, &answer);
}

const iso_checker *iso_party_as_checker(iso_pool *pool, const iso_adapters *adapters, const char *word,
                                        uint64_t memory) {
    party_checker *c = ISO_NEW(pool, party_checker, 1);
    *c = (party_checker){.party = iso_party_tool(pool, adapters, word, 0, ""), .pool = pool, .memory = memory};
    const iso_adapter *adapter = iso_party_adapter(&c->party);
    c->checker = (iso_checker){.name = word, .summary = adapter->summary, .run = run_party};
    for (int l = 0; l < iso_n_levels; l++) {
        c->checker.levels |= iso_party_answers(pool, &c->party, (iso_level)l) ? ISO_LEVEL_BIT(l) : 0;
    }
    c->checker.can = (iso_adapter_is(adapter->duplicates, "yes") ? (unsigned)ISO_CAN_DUPLICATES : 0u) |
                     (iso_adapter_is(adapter->lists, "no") ? 0u : (unsigned)ISO_CAN_LISTS) |
                     (iso_adapter_is(adapter->sessions, "no") ? (unsigned)ISO_CAN_NO_SESSIONS : 0u);
    return &c->checker;
}

void iso_party_checker_end(const iso_checker *checker) {
    if (checker != NULL && checker->run == run_party) {
        party_checker *c = (party_checker *)(uintptr_t)checker;
        c->party.close(&c->party);
        if (c->folder != NULL) {
            iso_remove_folder(c->folder);
        }
    }
}
