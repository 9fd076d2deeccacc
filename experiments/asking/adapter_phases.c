/* The times of stages that a tool prints. See adapters.h. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/asking/adapters.h"

enum { NAME = 1, NUMBER = 2, UNIT = 3, GROUPS = 4, MOST = 32, LONGEST_NAME = 60 };

static double in_ms(const char *unit, size_t n) {
    return n == 2 && unit[0] == 'n' ? 1e-6 : n == 2 && unit[0] == 'u' ? 1e-3 : n == 1 && unit[0] == 's' ? 1e3 : 1;
}

/* Adds up stages of one name. */
static void add_phase(iso_adapter_phase *list, size_t *n, const char *name, double ms) {
    size_t i = 0;
    while (i < *n && strcmp(list[i].name, name) != 0) {
        i++;
    }
    if (i == *n && *n < MOST) {
        list[(*n)++] = (iso_adapter_phase){name, 0};
    }
    if (i < *n) {
        list[i].ms += ms;
    }
}

static const char *copied(iso_pool *pool, const char *from, const regmatch_t *m) {
    const char *start = from + m->rm_so, *end = from + m->rm_eo;
    while (start < end && *start == ' ') {
        start++;
    }
    while (start < end && end[-1] == ' ') {
        end--;
    }
    return iso_copy_text(pool, start, (size_t)(end - start));
}

size_t iso_adapter_phases(iso_pool *pool, const iso_adapter *adapter, const iso_job *job, iso_adapter_phase **list) {
    const char *const texts[] = {job->out, job->err};
    regex_t compiled;
    size_t n = 0;
    *list = ISO_NEW(pool, iso_adapter_phase, MOST);
    if (*adapter->phases == '\0') {
        return 0;
    }
    if (regcomp(&compiled, adapter->phases, REG_EXTENDED | REG_NEWLINE) != 0 || compiled.re_nsub < NUMBER) {
        regfree(&compiled);
        iso_throw(pool->env, ISOLAB_E_USAGE, "the pattern \"%.100s\" of an adapter: it needs a name and a number",
                  adapter->phases);
    }
    for (int t = 0; t < 2; t++) {
        regmatch_t m[GROUPS];
        for (const char *at = texts[t]; *at != '\0'; at += m[0].rm_eo > 0 ? m[0].rm_eo : 1) {
            if (regexec(&compiled, at, GROUPS, m, at > texts[t] && at[-1] != '\n' ? REG_NOTBOL : 0) != 0) {
                break;
            }
            bool unit = m[UNIT].rm_so >= 0;
            double ms = strtod(at + m[NUMBER].rm_so, NULL) *
                        (unit ? in_ms(at + m[UNIT].rm_so, (size_t)(m[UNIT].rm_eo - m[UNIT].rm_so)) : 1);
            bool named = m[NAME].rm_so >= 0 && m[NAME].rm_eo - m[NAME].rm_so <= LONGEST_NAME;
            if (named && m[NUMBER].rm_so >= 0 && ms >= 0 && ms < 1e12) {
                add_phase(*list, &n, copied(pool, at, &m[NAME]), ms);
            }
        }
    }
    regfree(&compiled);
    return n;
}
