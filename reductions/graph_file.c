/* Graphs from files, read by igraph, except MatrixMarket. See graph.h. Directions, loops and repeated edges are
 * dropped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/apart.h"
#include "formats/packing.h"
#include "graph/igraph.h"
#include "reductions/graph.h"
#include "reductions/input.h"

#define MOST_NODES 100000000 /* a larger number in a text is a mistake, not a graph */

static const struct {
    const char *extension, *format;
} extensions[] = {
    {".graphml", "graphml"},  {".gml", "gml"},        {".net", "pajek"},         {".paj", "pajek"},
    {".pajek", "pajek"},      {".ncol", "ncol"},      {".dimacs", "dimacs"},     {".col", "dimacs"},
    {".clq", "dimacs"},       {".edges", "edgelist"}, {".edgelist", "edgelist"}, {".txt", "edgelist"},
    {".mtx", "matrixmarket"},
};

static const char *format_of(iso_env *env, const char *path) {
    size_t length = iso_packing_stem(path);
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        size_t n = strlen(extensions[i].extension);
        if (length >= n && memcmp(path + length - n, extensions[i].extension, n) == 0) {
            return extensions[i].format;
        }
    }
    iso_throw(env, ISOLAB_E_USAGE, "%s: the extension names no graph format: say which with --graph-format", path);
}

/* A list of edges has two nodes in each line, and in public collections also comments (`#` and `%`) and a third column,
 * of weights or times. igraph takes any two numbers that follow each other for an edge, so this function blanks
 * comments and third columns, and refuses other lines. */
typedef struct edge_list {
    iso_env *env;
    const char *path;
    char *text;
    size_t size;
} edge_list;

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* Handles the line that begins at `at`. Returns where it ends. */
static size_t plain_line(const edge_list *e, size_t at, uint64_t line) {
    bool comment = false, inside = false;
    unsigned columns = 0;
    for (; at < e->size && e->text[at] != '\n'; at++) {
        iso_tick(e->env);
        char *c = &e->text[at];
        comment |= columns == 0 && (*c == '#' || *c == '%');
        bool word = !comment && !is_blank(*c);
        columns += word && !inside;
        inside = word;
        if (columns == 3 && word && memchr("+-.0123456789Ee", *c, 15) == NULL) {
            iso_input_bad(e->env, e->path, line, "expected a number in the third column");
        }
        *c = comment || columns == 3 ? ' ' : *c;
    }
    if (columns == 1 || columns > 3) {
        iso_input_bad(e->env, e->path, line, "expected two nodes, and at most one more number, found %s",
                      columns == 1 ? "one word" : "more");
    }
    return at;
}

static void plain_list(const edge_list *e) {
    uint64_t line = 1;
    for (size_t at = 0; at < e->size; at++) {
        at = plain_line(e, at, line++);
    }
}

/* ---- MatrixMarket: %%MatrixMarket matrix coordinate ..., comments, rows columns entries, then row column [value]
 * ---- */

typedef struct market {
    iso_env *env;
    const char *path, *at, *end;
    uint64_t line;
} market;

/* Reads a number of the current line. Returns false if there is none. */
static bool market_number(market *m, uint64_t *n) {
    while (m->at < m->end && (*m->at == ' ' || *m->at == '\t')) {
        m->at++;
    }
    const char *from = m->at;
    for (*n = 0; m->at < m->end && *m->at >= '0' && *m->at <= '9' && *n <= MOST_NODES * (uint64_t)MOST_NODES; m->at++) {
        *n = 10 * *n + (uint64_t)(*m->at - '0');
    }
    return m->at > from && (m->at == m->end || *m->at == ' ' || *m->at == '\t' || *m->at == '\n' || *m->at == '\r');
}

/* Goes to the next line that is not empty or a comment. */
static bool market_line(market *m) {
    for (;;) {
        const char *newline = m->at < m->end ? memchr(m->at, '\n', (size_t)(m->end - m->at)) : NULL;
        if (newline == NULL) {
            return false;
        }
        m->at = newline + 1;
        m->line++;
        while (m->at < m->end && is_blank(*m->at)) {
            m->at++;
        }
        if (m->at < m->end && *m->at != '%' && *m->at != '\n') {
            return true;
        }
        iso_tick(m->env);
    }
}

static iso_graph load_market(iso_pool *pool, const char *path, const char *text, size_t size) {
    static const char banner[] = "%%MatrixMarket matrix coordinate ";
    market m = {pool->env, path, text, text + size, 1};
    if (size < sizeof banner || strncasecmp(text, banner, sizeof banner - 1) != 0) {
        iso_input_bad(m.env, path, 1, "expected `%s...`", banner);
    }
    uint64_t rows = 0, columns = 0, entries = 0;
    if (!market_line(&m) || !market_number(&m, &rows) || !market_number(&m, &columns) || !market_number(&m, &entries) ||
        rows != columns) {
        iso_input_bad(m.env, path, m.line, "expected the rows, columns (as many) and entries of a square matrix");
    }
    if (rows > MOST_NODES) {
        iso_input_bad(m.env, path, m.line, "expected at most %d rows", MOST_NODES);
    }
    iso_edges e = {.pool = pool};
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t a = 0, b = 0;
        if (!market_line(&m) || !market_number(&m, &a) || !market_number(&m, &b) || a == 0 || b == 0 || a > rows ||
            b > rows) {
            iso_input_bad(m.env, path, m.line,
                          "expected entry %" PRIu64 " of %" PRIu64 ": a row and a column from 1 to %" PRIu64, i + 1,
                          entries, rows);
        }
        iso_edges_add(&e, (uint32_t)a - 1, (uint32_t)b - 1);
    }
    if (market_line(&m)) {
        iso_input_bad(m.env, path, m.line, "expected the end after %" PRIu64 " entries", entries);
    }
    return iso_graph_of_edges(&e, (uint32_t)rows);
}

/* Returns whether the text has a node number that is too large: igraph takes any number for a node and allocates all
 * nodes below it. In a list of edges every number counts, in DIMACS all numbers except those of comment lines, in Pajek
 * that of `*Vertices`. */
static bool has_huge_number(iso_env *env, const char *text, size_t size, const char *format) {
    bool edges = strcmp(format, "edgelist") == 0, dimacs = strcmp(format, "dimacs") == 0;
    bool looks = edges, starts = true;
    uint64_t number = 0;
    for (size_t i = 0; i < size; starts = text[i++] == '\n') {
        iso_tick(env);
        char c = text[i];
        if (starts) {
            looks = edges || (dimacs && c != 'c') || (!edges && !dimacs && c == '*');
        }
        number = c >= '0' && c <= '9' ? 10 * number + (uint64_t)(c - '0') : 0;
        if (looks && number > MOST_NODES) {
            return true;
        }
    }
    return false;
}

static igraph_error_t read_by_igraph(const iso_igraph_functions *lib, igraph_t *g, FILE *in, const char *format) {
    if (strcmp(format, "edgelist") == 0) {
        return lib->igraph_read_graph_edgelist(g, in, 0, IGRAPH_UNDIRECTED);
    }
    if (strcmp(format, "graphml") == 0) {
        return lib->igraph_read_graph_graphml(g, in, 0);
    }
    if (strcmp(format, "gml") == 0) {
        return lib->igraph_read_graph_gml(g, in);
    }
    if (strcmp(format, "pajek") == 0) {
        return lib->igraph_read_graph_pajek(g, in);
    }
    if (strcmp(format, "ncol") == 0) {
        return lib->igraph_read_graph_ncol(g, in, NULL, 1, IGRAPH_ADD_WEIGHTS_NO, IGRAPH_UNDIRECTED);
    }
    igraph_strvector_t problem;
    igraph_vector_int_t label;
    igraph_vector_t capacity;
    igraph_integer_t source, target;
    igraph_error_t e = lib->igraph_strvector_init(&problem, 0);
    if (e != IGRAPH_SUCCESS) {
        return e;
    }
    if ((e = lib->igraph_vector_int_init(&label, 0)) == IGRAPH_SUCCESS) {
        if ((e = lib->igraph_vector_init(&capacity, 0)) == IGRAPH_SUCCESS) {
            e = lib->igraph_read_graph_dimacs_flow(g, in, &problem, &label, &source, &target, &capacity,
                                                   IGRAPH_UNDIRECTED);
            lib->igraph_vector_destroy(&capacity);
        }
        lib->igraph_vector_int_destroy(&label);
    }
    lib->igraph_strvector_destroy(&problem);
    return e;
}

/* A question to igraph. */
typedef struct question {
    iso_env *env;
    const char *path, *format;
    char *text;
    size_t size;
} question;

/* Runs igraph in a separate process. igraph reads some streams twice, so it gets the bytes that were read, and a pipe
 * works like a file. The answer is the number of nodes and the ends of each edge. */
static void ask_igraph(void *arg, FILE *out) {
    const question *q = arg;
    const iso_igraph_functions *lib = iso_igraph(q->env);
    FILE *in = fmemopen(q->text, q->size, "r");
    if (in == NULL) {
        iso_throw_limit(q->env, ISO_LIMIT_MEMORY, "%s: cannot read %zu bytes: %s", q->path, q->size, strerror(errno));
    }
    igraph_t g;
    errno = 0;
    igraph_error_t e = read_by_igraph(lib, &g, in, q->format);
    int error = errno;
    fclose(in);
    if (e != IGRAPH_SUCCESS) {
        errno = error;
        iso_igraph_memory(q->env, e);
        iso_input_bad(q->env, q->path, 0, "expected a graph (%s): %s", q->format, iso_igraph_reason(q->env, e));
    }
    igraph_integer_t n = lib->igraph_vcount(&g), m = lib->igraph_ecount(&g);
    if (n > MOST_NODES) {
        iso_throw(q->env, ISOLAB_E_LIMIT, "a graph has at most %d nodes", MOST_NODES);
    }
    uint32_t pair[2] = {(uint32_t)n, 0};
    iso_apart_send(out, pair, sizeof pair);
    for (igraph_integer_t i = 0; i < m; i++) {
        pair[0] = (uint32_t)IGRAPH_FROM(&g, i);
        pair[1] = (uint32_t)IGRAPH_TO(&g, i);
        iso_apart_send(out, pair, sizeof pair);
    }
}

iso_graph iso_graph_load(iso_pool *pool, const char *path, const char *format) {
    iso_env *env = pool->env;
    if (strcmp(format, "auto") == 0) { /* detect before standard input is read */
        if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
            iso_throw_file(env, ISOLAB_E_IO, path, "cannot open: %s", strerror(errno));
        }
        format = format_of(env, path);
    }
    size_t size;
    char *text = iso_source_text(pool, path, 0, &size);
    if (size == 0) {
        iso_input_bad(env, path, 0, "expected a graph (%s), found an empty file", format);
    }
    if (strcmp(format, "matrixmarket") == 0) {
        iso_graph g = load_market(pool, path, text, size);
        iso_free(pool, text);
        return g;
    }
    if (strcmp(format, "edgelist") == 0) {
        plain_list(&(edge_list){env, path, text, size});
    }
    if (has_huge_number(env, text, size, format)) {
        iso_input_bad(env, path, 0, "expected numbers of nodes up to %d", MOST_NODES);
    }
    question q = {env, path, format, text, size};
    size_t n;
    uint32_t(*pair)[2] = (void *)iso_apart(pool, ask_igraph, &q, &n);
    iso_free(pool, text);
    iso_edges e = {.pool = pool};
    uint32_t nodes = pair[0][0];
    for (size_t i = 1; i < n / sizeof *pair; i++) {
        iso_edges_add(&e, pair[i][0], pair[i][1]);
    }
    iso_free(pool, pair);
    return iso_graph_of_edges(&e, nodes);
}
