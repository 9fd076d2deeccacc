/* The language of graphs that all reductions share: a source, then words that change it, in their order.
 *
 *     gnp 1000 .5                  a family and its numbers; a missing one has the default of its option
 *     karate.gml, -                a file, standard input
 *     andrasfai 40 plant 1         one triangle in a graph without any, by joining two nodes at random
 *     gnp 200 .3 removetriangles   without the edges, in random order, that close a triangle
 *     c5 100 addedges 3            three more edges
 *     alon 5 sample 4000           4000 random nodes, and the edges between them
 *     polarity 31 save er31.mtx    writes the graph so far
 *
 * A file whose name is that of a family is named with its folder: ./gnp. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/print.h"
#include "reductions/family.h"

typedef struct parsing {
    const iso_args *args;
    iso_pool *pool;
    const char *at;    /* the rest of the text */
    char *word;        /* the current word; NULL: the end */
    iso_printer *text; /* the description */
    iso_rng rng;
    bool random; /* whether the seed was used */
} parsing;

static void next(parsing *p) {
    p->at += strspn(p->at, " \t");
    size_t n = strcspn(p->at, " \t");
    p->word = NULL;
    if (n > 0) {
        p->word = iso_alloc(p->pool, n + 1, 1);
        memcpy(p->word, p->at, n);
        p->word[n] = '\0';
    }
    p->at += n;
}

static _Noreturn void expected(const parsing *p, const char *what) {
    if (p->word == NULL) {
        iso_throw(p->pool->env, ISOLAB_E_USAGE, "graph: expected %s, found the end", what);
    }
    iso_throw(p->pool->env, ISOLAB_E_USAGE, "graph: expected %s, found \"%s\"", what, p->word);
}

static const iso_family *family_named(const char *name) {
    for (const iso_family *f = iso_families; f->name != NULL; f++) {
        if (strcmp(f->name, name) == 0) {
            return f;
        }
    }
    return NULL;
}

static void set_number(iso_family_numbers *numbers, const char *name, const char *text) {
    uint64_t count = 0;
    if (strcmp(name, "p") == 0) {
        iso_real_of(text, &numbers->p);
        return;
    }
    iso_count_of(text, &count);
    *(strcmp(name, "nodes") == 0    ? &numbers->nodes
      : strcmp(name, "degree") == 0 ? &numbers->degree
                                    : &numbers->k) = count;
}

/* The name of the nth parameter, or false. */
static bool parameter(const iso_family *f, unsigned n, char name[16]) {
    const char *at = f->parameters;
    for (; n > 0 && *at != '\0'; n--) {
        at += strcspn(at, " ");
        at += *at == ' ';
    }
    size_t size = strcspn(at, " ");
    memcpy(name, at, size);
    name[size] = '\0';
    return size > 0;
}

static bool is_number(const char *word) {
    double value;
    return word != NULL && iso_real_of(word, &value);
}

/* Reads the numbers of a family from words, or, without words, from options. */
static iso_graph make_family(parsing *p, const iso_family *f, bool words) {
    iso_family_numbers numbers = {.nodes = 0};
    char name[16];
    iso_print(p->text, "%s", f->name);
    for (unsigned i = 0; parameter(f, i, name); i++) {
        const iso_option *o = iso_args_find(p->args, name);
        const char *value = words ? o->initial : iso_arg_text(p->args, name);
        if (words && is_number(p->word)) {
            char why[160];
            if (!iso_option_set(o, p->word, NULL, why, sizeof why)) {
                iso_throw(p->pool->env, ISOLAB_E_USAGE, "graph: %s, for %s of %s", why, name, f->name);
            }
            value = p->word;
            next(p);
        }
        iso_print(p->text, " %s", value);
        set_number(&numbers, name, value);
    }
    if (words && is_number(p->word)) {
        iso_throw(p->pool->env, ISOLAB_E_USAGE, "graph: family %s takes %s; found \"%s\" after that", f->name,
                  f->parameters, p->word);
    }
    p->random = f->random;
    iso_edges e = {.pool = p->pool};
    uint32_t n = f->make(&e, &numbers, &p->rng);
    return iso_graph_of_edges(&e, n);
}

static uint64_t count_after(parsing *p, const char *what) {
    uint64_t n = 0;
    next(p);
    if (p->word == NULL || !iso_count_of(p->word, &n)) {
        expected(p, what);
    }
    iso_print(p->text, " %s", p->word);
    return n;
}

/* Writes a list of edges, or MatrixMarket by the extension .mtx, with a comment that says what the graph is. */
static void save_graph(iso_pool *pool, const iso_graph *g, const char *text, const char *path) {
    size_t n = strlen(path);
    bool matrix = n > 4 && strcmp(path + n - 4, ".mtx") == 0;
    iso_graph_facts f = iso_graph_facts_of(g, pool);
    iso_file file;
    iso_file_open(pool->env, &file, path);
    const char *mark = matrix ? "%" : "#";
    if (matrix) {
        iso_say(file.out, "%%%%MatrixMarket matrix coordinate pattern symmetric\n");
    }
    iso_say(file.out, "%s graph %s\n", mark, text);
    iso_say(file.out,
            "%s nodes %" PRIu64 " edges %" PRIu64 " work %" PRIu64 " odd_girth %u four_cycles %" PRIu64
            " triangles %" PRIu64 "\n",
            mark, f.nodes, f.edges, f.work, f.odd_girth, f.four_cycles, f.triangles);
    if (matrix) {
        iso_say(file.out, "%u %u %" PRIu64 "\n", g->n, g->n, f.edges);
    }
    for (uint32_t a = 0; a < g->n; a++) {
        for (uint64_t i = g->first[a]; i < g->first[a + 1] && g->to[i] < a; i++) {
            iso_tick(pool->env);
            iso_say(file.out, "%u %u\n", a + matrix, g->to[i] + matrix);
        }
    }
    iso_file_close(pool->env, &file);
}

static iso_graph edit(parsing *p, iso_graph g) {
    bool is_random = true;
    iso_print(p->text, " %s", p->word);
    if (strcmp(p->word, "plant") == 0) {
        g = iso_graph_plant(p->pool, g, count_after(p, "a number of triangles"), &p->rng);
    } else if (strcmp(p->word, "addedges") == 0) {
        g = iso_graph_add_edges(p->pool, g, count_after(p, "a number of edges"), &p->rng);
    } else if (strcmp(p->word, "sample") == 0) {
        g = iso_graph_sample(p->pool, g, count_after(p, "a number of nodes"), &p->rng);
    } else if (strcmp(p->word, "removetriangles") == 0) {
        g = iso_graph_remove_triangles(p->pool, g, &p->rng);
    } else if (strcmp(p->word, "save") == 0) {
        next(p);
        if (p->word == NULL) {
            expected(p, "the name of a file");
        }
        p->text->size -= strlen(" save"); /* it does not change the graph */
        p->text->text[p->text->size] = '\0';
        save_graph(p->pool, &g, iso_printed(p->text), p->word);
        is_random = false;
    } else {
        expected(p, "a number, plant, addedges, removetriangles, sample, or save");
    }
    p->random |= is_random;
    next(p);
    return g;
}

static iso_graph load(parsing *p, const char *whole) {
    const char *path = whole;
    if (access(whole, F_OK) != 0) { /* otherwise blanks may belong to the name of the file */
        path = p->word;
        if (strcmp(path, "-") != 0 && strpbrk(path, "./") == NULL && access(path, F_OK) != 0) {
            iso_throw(p->pool->env, ISOLAB_E_USAGE, "graph: there is no family and no file \"%s\"; families are%s",
                      path, iso_family_words);
        }
    } else {
        p->at = whole + strlen(whole);
    }
    iso_print(p->text, "%s", path);
    iso_graph g = iso_graph_load(p->pool, path, iso_arg_text(p->args, "graph-format"));
    next(p);
    return g;
}

static void refuse_numbers(const iso_args *args, const iso_family *f) {
    static const char *const names[] = {"nodes", "p", "degree", "k"};
    char why[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (f != NULL) {
            snprintf(why, sizeof why, "is not for family %s, which takes --%s", f->name, f->parameters);
        }
        bool taken = f != NULL && iso_is_among(f->parameters, names[i], strlen(names[i]));
        iso_args_refuse(args, !taken, names[i], f != NULL ? why : "needs --family; --graph has its own numbers");
    }
}

iso_graph iso_graph_from_args(const iso_args *args, const char **text) {
    const char *words = iso_arg_text(args, "graph");
    iso_printer description = {.target = ISO_PLAIN, .pool = args->pool};
    parsing p = {
        .args = args, .pool = args->pool, .at = words, .text = &description, .rng = {iso_arg_count(args, "seed")}};
    iso_graph g;
    next(&p);
    if (p.word == NULL) {
        const iso_family *f = family_named(iso_arg_text(args, "family"));
        refuse_numbers(args, f);
        iso_args_refuse(args, true, "graph-format", "needs a file");
        g = make_family(&p, f, false);
    } else {
        if (iso_arg_given(args, "family")) {
            iso_throw(args->pool->env, ISOLAB_E_USAGE, "--graph and --family exclude each other");
        }
        refuse_numbers(args, NULL);
        const iso_family *f = family_named(p.word);
        iso_args_refuse(args, f != NULL, "graph-format", "needs a file");
        if (f != NULL) {
            next(&p);
            g = make_family(&p, f, true);
        } else {
            g = load(&p, words);
        }
        while (p.word != NULL) {
            g = edit(&p, g);
        }
    }
    iso_args_refuse(args, !p.random, "seed", "is for random graphs: this one is the same each time");
    if (text != NULL) {
        if (p.random) {
            iso_print(&description, " --seed %s", iso_arg_text(args, "seed"));
        }
        *text = iso_printed(&description);
    }
    return g;
}
