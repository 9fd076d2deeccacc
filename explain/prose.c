/* A proof as text on a terminal. See words.h. */
#include <string.h>

#include "base/print.h"
#include "explain/words.h"

typedef struct steps {
    FILE *out;
    unsigned most, shown, left_out;
} steps;

static void print_step(void *arg, const iso_word_step *step) {
    steps *s = arg;
    unsigned depth = step->depth;
    if (s->most != 0 && s->shown++ >= s->most) {
        s->left_out++;
        return;
    }
    if (depth == 0) {
        iso_say(s->out, "    %s. %s.\n", step->number, step->sentence);
    } else {
        iso_say(s->out, "    %*s%s because %s.\n", (int)(3 * (depth < 8 ? depth : 8)), "", step->number,
                step->sentence);
    }
}

/* Prints the places of the transactions in the input. */
static void print_places(FILE *out, const isolab_history *h, const iso_chain *chain, unsigned most) {
    char name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    uint32_t n, *txn = iso_chain_cast(chain->pool, h, chain, &n), shown = most == 0 || n < most ? n : most;
    int width = 0;
    for (uint32_t i = 0; i < shown; i++) {
        int size = (int)strlen(iso_word_txn(h, txn[i], name));
        width = size > width ? size : width;
    }
    for (uint32_t i = 0; i < shown; i++) {
        iso_say(out, "    %s %-*s  %s\n", i == 0 ? "where:" : "      ", width, iso_word_txn(h, txn[i], name),
                iso_word_place(h, txn[i], place));
    }
    if (n > shown) {
        iso_say(out, "           ... and %u more transactions (--json has all of them)\n", n - shown);
    }
    iso_free(chain->pool, txn);
}

void iso_say_chain(FILE *out, const isolab_history *h, const iso_chain *chain, unsigned most, unsigned places) {
    char sentence[ISO_SENTENCE_SIZE];
    if (iso_word_happened(h, chain, sentence)[0] != '\0') {
        iso_say(out, "    %s\n", sentence);
    }
    if (chain->n > 0) {
        iso_say(out, "    %s\n", iso_word_chain(h, chain, sentence));
    }
    steps s = {out, most, 0, 0};
    iso_chain_steps(h, chain, print_step, &s);
    if (s.left_out > 0) {
        iso_say(out, "    ... and %u more lines (--json has all of them)\n", s.left_out);
    }
    print_places(out, h, chain, places);
}
