/* Reads the table of claims. See claims.h. Columns are found by their titles, so their order is free. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "experiments/claims/claims.h"
#include "formats/format.h"

enum { MOST_BYTES = 1 << 20, MOST_CELLS = 16, MOST_WORDS = 64 };

/* The known columns; the first four are required. */
enum { ID, CLAIM, MEASURE, EXPECT, WHERE, KNOWN, WHY, MINUTES, MEMORY, SCALE, COLUMNS };
static const char *const titles[COLUMNS] = {"id",    "claim", "measure", "expect", "where",
                                            "known", "why",   "minutes", "memory", "scale"};

typedef struct reader {
    iso_pool *pool;
    iso_claims *claims;
    const char *path;
    unsigned long line;
    int column[MOST_CELLS]; /* of the current table: the column in each place; negative: unknown */
    int cells;              /* of its title; 0: there is no table here */
} reader;

static _Noreturn void wrong(reader *r, const char *expected, const char *found) {
    iso_throw_input(r->pool->env, r->line, ISOLAB_NO_OFFSET, "expected %s, found \"%.100s\"", expected, found);
}

static char *trimmed(iso_pool *pool, const char *text, size_t n) {
    while (n > 0 && isspace((unsigned char)*text)) {
        text++;
        n--;
    }
    while (n > 0 && isspace((unsigned char)text[n - 1])) {
        n--;
    }
    return iso_copy_text(pool, text, n);
}

/* Splits a row `| a | b |`. Returns the number of cells; 0: the line is not a row. */
static int split(reader *r, const char *line, char *cell[MOST_CELLS]) {
    int n = 0;
    if (*line != '|') {
        return 0;
    }
    for (const char *at = line + 1, *end; (end = strchr(at, '|')) != NULL; at = end + 1) {
        if (n == MOST_CELLS) {
            wrong(r, "a row of at most 16 cells", line);
        }
        cell[n++] = trimmed(r->pool, at, (size_t)(end - at));
    }
    return n;
}

/* Reads a number up to `end`, which is moved after it. */
static double number(reader *r, const char **at, const char *whole) {
    char *end;
    double value = strtod(*at, &end);
    if (end == *at || !(value > -1e15 && value < 1e15)) {
        wrong(r, "a number", whole);
    }
    *at = end;
    return value;
}

static iso_expectation expectation(reader *r, const char *text) {
    static const struct {
        const char *word;
        iso_expected kind;
    } words[] = {{"above ", ISO_EXPECT_ABOVE},
                 {"below ", ISO_EXPECT_BELOW},
                 {"within ", ISO_EXPECT_WITHIN},
                 {"exactly ", ISO_EXPECT_EXACTLY}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strlen(words[i].word);
        if (strncmp(text, words[i].word, n) != 0) {
            continue;
        }
        const char *at = text + n;
        iso_expectation e = {.kind = words[i].kind, .text = text};
        if (e.kind == ISO_EXPECT_WITHIN) { /* the low end ends at the dots, which strtod() would take for its own */
            const char *dots = strstr(at, "..");
            const char *low = dots != NULL ? iso_copy_text(r->pool, at, (size_t)(dots - at)) : "", *rest = low;
            e.a = number(r, &rest, text);
            at = dots + 2;
            e.b = number(r, &at, text);
            if (*rest != '\0' || e.b < e.a) {
                wrong(r, "within LOW..HIGH", text);
            }
        } else {
            e.a = number(r, &at, text);
        }
        if (*at != '\0') {
            wrong(r, "the end of the expectation", at);
        }
        return e;
    }
    wrong(r, "above N, below N, within LOW..HIGH or exactly N", text);
}

/* Splits a command into words; a word may be in double quotes. Returns words from index 1 on, ended by NULL. */
static const char *const *words_of(reader *r, const char *text, size_t size) {
    const char **words = ISO_ZNEW(r->pool, const char *, MOST_WORDS + 3);
    const char *end = text + size;
    size_t n = 0;
    while (text < end) {
        if (*text == ' ') {
            text++;
            continue;
        }
        bool quoted = *text == '"';
        text += quoted;
        const char *stop = memchr(text, quoted ? '"' : ' ', (size_t)(end - text));
        if (n == MOST_WORDS || (quoted && stop == NULL)) {
            wrong(r, quoted ? "a closing quote" : "a shorter command", text);
        }
        stop = stop != NULL ? stop : end;
        words[n++] = iso_copy_text(r->pool, text, (size_t)(stop - text));
        text = stop + quoted;
    }
    bool cell = false;
    for (size_t i = 0; i < n; i++) {
        cell |= strcmp(words[i], "--cell") == 0;
    }
    if (n < 4 || strcmp(words[0], "isolab") != 0 || strcmp(words[1], "plot") != 0 || !cell) {
        wrong(r, "`isolab plot FIGURE RESULTS ... --cell ROW:COLUMN`", n > 0 ? words[0] : "");
    }
    words[n] = "--interval";
    words[n + 1] = "--missing";
    return words;
}

/* Reads one command in backticks, or two with `minus` or `over` between them. */
static void measure(reader *r, iso_paper_claim *c) {
    const char *at = c->measure, *between[2] = {NULL, NULL};
    for (int i = 0; i < 2; i++) {
        const char *open = strchr(at, '`'), *close = open != NULL ? strchr(open + 1, '`') : NULL;
        if (close == NULL) {
            break;
        }
        between[i] = trimmed(r->pool, at, (size_t)(open - at));
        c->argv[i] = words_of(r, open + 1, (size_t)(close - open - 1));
        at = close + 1;
    }
    bool minus = between[1] != NULL && strcmp(between[1], "minus") == 0;
    bool over = between[1] != NULL && strcmp(between[1], "over") == 0;
    if (between[0] == NULL || *between[0] != '\0' || *at != '\0' || (between[1] != NULL && !minus && !over)) {
        wrong(r, "`COMMAND`, `COMMAND` minus `COMMAND`, or `COMMAND` over `COMMAND`", c->measure);
    }
    c->combination = minus ? ISO_DIFFERENCE : over ? ISO_QUOTIENT : ISO_ONE_CELL;
}

static void add_claim(reader *r, char *const cell[], int n) {
    const char *of[COLUMNS];
    for (int i = 0; i < COLUMNS; i++) {
        of[i] = "";
    }
    if (n != r->cells) {
        wrong(r, "as many cells as the table has titles", n > 0 ? cell[0] : "");
    }
    for (int i = 0; i < n; i++) {
        if (r->column[i] >= 0) {
            of[r->column[i]] = cell[i];
        }
    }
    iso_claims *all = r->claims;
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(all->at[i].id, of[ID]) == 0) {
            wrong(r, "an id that no other claim has", of[ID]);
        }
    }
    iso_paper_claim c = {.id = of[ID],
                         .claim = of[CLAIM],
                         .where = of[WHERE],
                         .minutes = of[MINUTES],
                         .memory = of[MEMORY],
                         .scale = of[SCALE],
                         .why = of[WHY],
                         .measure = of[MEASURE],
                         .file = r->path,
                         .line = r->line,
                         .state = ISO_CLAIM_SKIPPED,
                         .reason = ""};
    c.expect = expectation(r, of[EXPECT]);
    if (*of[KNOWN] != '\0') {
        c.known = expectation(r, of[KNOWN]);
    }
    measure(r, &c);
    ISO_GROW(r->pool, all->at, all->n, all->room);
    all->at[all->n++] = c;
}

/* The titles of a table of claims; another table has no column `id` and is not read. */
static void begin_table(reader *r, char *const cell[], int n) {
    bool found[COLUMNS] = {false};
    for (int i = 0; i < n; i++) {
        r->column[i] = -1;
        for (int k = 0; k < COLUMNS; k++) {
            if (strcmp(cell[i], titles[k]) == 0 && !found[k]) {
                r->column[i] = k;
                found[k] = true;
            }
        }
    }
    for (int k = CLAIM; k <= EXPECT && found[ID]; k++) {
        if (!found[k]) {
            wrong(r, "a table of claims with the columns id, claim, measure and expect", cell[0]);
        }
    }
    r->cells = n;
    if (!found[ID]) {
        r->cells = -1; /* another table: its rows are skipped */
    }
}

/* Reads a heading. `### ID`: the text after it explains why the claim ID fails. */
static void heading(reader *r, const char *line) {
    line += strspn(line, "#");
    const char *name = trimmed(r->pool, line, strlen(line));
    for (size_t i = 0; i < r->claims->n; i++) {
        iso_paper_claim *c = &r->claims->at[i];
        c->explained = strcmp(c->id, name) == 0 && c->file == r->path ? r->line : c->explained;
    }
}

static void read_line(reader *r, const char *line) {
    char *cell[MOST_CELLS];
    int n = split(r, line, cell);
    if (n == 0) {
        r->cells = 0;
        if (*line == '#') {
            heading(r, line);
        }
    } else if (r->cells == 0) {
        begin_table(r, cell, n);
    } else if (r->cells > 0 && strspn(cell[0], "-:") != strlen(cell[0])) {
        add_claim(r, cell, n);
    }
}

static void read_text(reader *r, const char *text, size_t size) {
    for (size_t at = 0; at < size;) {
        const char *line = text + at, *end = memchr(line, '\n', size - at);
        size_t n = end != NULL ? (size_t)(end - line) : size - at;
        at += n + 1;
        r->line++;
        if (memchr(line, '\0', n) != NULL) {
            wrong(r, "text", "a NUL byte");
        }
        read_line(r, iso_copy_text(r->pool, line, n));
    }
}

static void read_file(void *arg) {
    reader *r = arg;
    size_t size, before = r->claims->n;
    const char *text = iso_source_text(r->pool, r->path, MOST_BYTES, &size);
    read_text(r, text, size);
    if (r->claims->n == before) {
        r->line += r->line == 0;
        wrong(r, "a table of claims: | id | claim | measure | expect |", "the end of the file");
    }
    for (size_t i = before; i < r->claims->n; i++) {
        const iso_paper_claim *c = &r->claims->at[i];
        r->line = c->line;
        if (c->known.kind != ISO_EXPECT_NONE && c->explained == 0) {
            wrong(r, "a heading with the id, and the explanation of the known failure under it", c->id);
        }
    }
}

void iso_claims_read(iso_pool *pool, iso_claims *claims, const char *path) {
    reader r = {.pool = pool, .claims = claims, .path = path};
    if (iso_guard(pool->env, read_file, &r) != ISOLAB_OK) {
        isolab_error *e = &pool->env->error;
        if (e->file[0] == '\0') {
            snprintf(e->file, sizeof e->file, "%s", path);
        }
        iso_rethrow(pool->env);
    }
}
