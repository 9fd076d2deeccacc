/* See renumber.h. */
#include "certificates/renumber.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* By the word that begins a line, or a step of an axiom: which of the words after it are operations, as letters. `o` is
 * an operation, `.` another word. What a line has besides stays. */
static const struct {
    const char *word, *after;
} shapes[] = {{"wr", "oo"},    {"ww", "oo"},    {"rw", "ooo"},    {"list", "o"},   {"shown", "o"},
              {"torn", "oo"},  {"choice", "o"}, {"one", "ooo"},   {"part", "oo"},  {"axiom", "oo"},
              {"state", "oo"}, {"cut", "oooo"}, {"differ", "oo"}, {"reads", "oo"}, {"atom", "."}};

static const char *shape_of(const char *word, size_t n) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (strlen(shapes[i].word) == n && memcmp(shapes[i].word, word, n) == 0) {
            return shapes[i].after;
        }
    }
    return NULL;
}

void iso_renumber(const iso_part_proof *proof, iso_renumber_put *put, void *arg) {
    const char *at = proof->text, *end = at + proof->size, *shape = "";
    while (at < end) {
        size_t n = strcspn(at, " \n");
        bool number = n > 0 && at[0] >= '0' && at[0] <= '9';
        char digits[16];
        if (!number && shape_of(at, n) != NULL) {
            shape = shape_of(at, n);
            put(arg, at, n);
        } else if (*shape == 'o' && number) {
            uint32_t op = (uint32_t)strtoul(at, NULL, 10);
            put(arg, digits, (size_t)snprintf(digits, sizeof digits, "%u", proof->op[op]));
            shape++;
        } else {
            put(arg, at, n);
            shape += *shape != '\0';
        }
        at += n;
        if (at < end) {
            shape = *at == '\n' ? "" : shape;
            put(arg, at++, 1);
        }
    }
}
