/* The words that an argument may be, and the one that is nearest to a misspelt word. See command.h. */
#include <string.h>

#include "cli/command.h"
#include "collectors/collector.h"
#include "generators/generator.h"
#include "reductions/reduction.h"

void iso_each_word(iso_option_of of, const char *words, void (*each)(void *arg, const char *word), void *arg) {
    iso_each_of(words, each, arg);
    switch (of) {
    case ISO_OF_LEVELS:
        for (int level = 0; level < iso_n_levels; level++) {
            each(arg, iso_level_get((iso_level)level)->name);
        }
        break;
    case ISO_OF_CHECKERS:
        for (size_t i = 0; iso_checkers[i] != NULL; i++) {
            each(arg, iso_checkers[i]->name);
        }
        break;
    case ISO_OF_FORMATS:
        for (size_t i = 0; iso_formats[i] != NULL; i++) {
            each(arg, iso_formats[i]->name);
        }
        break;
    case ISO_OF_COMMANDS:
        for (const iso_command_entry *e = iso_commands; e->name != NULL; e++) {
            each(arg, e->name);
        }
        break;
    case ISO_OF_GENERATORS:
        for (size_t i = 0; iso_generators[i] != NULL; i++) {
            each(arg, iso_generators[i]->name);
        }
        break;
    case ISO_OF_REDUCTIONS:
        for (size_t i = 0; iso_reductions[i] != NULL; i++) {
            each(arg, iso_reductions[i]->name);
        }
        break;
    case ISO_OF_DATABASES:
        for (size_t i = 0; iso_collectors[i] != NULL; i++) {
            each(arg, iso_collectors[i]->name);
        }
        break;
    case ISO_OF_ANOMALIES:
        for (int kind = 0; kind < ISO_A_KINDS; kind++) {
            each(arg, iso_anomaly_get((iso_anomaly_kind)kind)->name);
        }
        break;
    case ISO_OF_WORDS:
    case ISO_OF_SOME_LEVELS:
    case ISO_OF_FILES:
    case ISO_OF_OUTPUTS:
        break;
    }
}

/* Returns the number of insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static unsigned distance(const char *a, const char *b) {
    enum { MOST = 40 };
    size_t n = strlen(a), m = strlen(b);
    if (n > MOST || m > MOST) {
        return MOST;
    }
    unsigned d[MOST + 1][MOST + 1];
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            unsigned best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best) {
                best = d[i - 2][j - 2] + 1;
            }
            d[i][j] = best;
        }
    }
    return d[n][m];
}

typedef struct nearest {
    const char *word;
    unsigned distance;
    char found[64];
} nearest;

static void compare(void *arg, const char *word) {
    nearest *best = arg;
    unsigned d = distance(best->word, word);
    /* A prefix of a word stands for the word. */
    if (strlen(best->word) >= 2 && strncmp(best->word, word, strlen(best->word)) == 0) {
        d = 1;
    }
    if (d < best->distance) {
        best->distance = d;
        snprintf(best->found, sizeof best->found, "%s", word);
    }
}

const char *iso_did_you_mean(const char *word, iso_option_of of, const char *words, char buffer[128]) {
    size_t n = strlen(word);
    nearest best = {word, (unsigned)(n < 3 ? 2 : n < 8 ? 3 : 4), ""};
    iso_each_word(of, words, compare, &best);
    for (int level = 0; of == ISO_OF_LEVELS && level < iso_n_levels; level++) {
        iso_each_of(iso_level_get((iso_level)level)->aliases, compare, &best);
    }
    const char *list = of == ISO_OF_LEVELS       ? "list levels"
                       : of == ISO_OF_CHECKERS   ? "list checkers"
                       : of == ISO_OF_FORMATS    ? "list formats"
                       : of == ISO_OF_GENERATORS ? "list generators"
                       : of == ISO_OF_REDUCTIONS ? "list reductions"
                       : of == ISO_OF_ANOMALIES  ? "list anomalies"
                       : of == ISO_OF_COMMANDS   ? "help"
                                                 : NULL;
    buffer[0] = '\0';
    if (best.found[0] != '\0') {
        snprintf(buffer, 128, "; did you mean \"%s\"?", best.found);
    } else if (list != NULL) {
        snprintf(buffer, 128, "; `isolab %s` has them", list);
    }
    return buffer;
}
