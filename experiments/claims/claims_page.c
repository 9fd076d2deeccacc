/* A page for each paper: what it claims, beside the figures and tables that were measured. See claims.h. */
#include <ctype.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "experiments/claims/claims.h"
#include "report/page.h"

enum { MOST_ROWS = 40 };

typedef struct page {
    iso_pool *pool;
    iso_printer *out;
    const char *folder; /* of the results */
    const char *paper;  /* name of the artifact, whose figures are in folder/paper */
    const char **names; /* of its figures, without extension, sorted; NULL: the figure is already on the page */
    size_t n;
} page;

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* Finds the figures: each has a table, NAME.csv. */
static void find_figures(page *p) {
    size_t room = 0;
    DIR *folder = opendir(iso_format_text(p->pool, "%s/%s", p->folder, p->paper));
    struct dirent *entry;
    p->names = NULL;
    p->n = 0;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && strcmp(dot, ".csv") == 0) {
            ISO_GROW(p->pool, p->names, p->n, room);
            p->names[p->n++] = iso_copy_text(p->pool, entry->d_name, (size_t)(dot - entry->d_name));
        }
    }
    if (folder != NULL) {
        closedir(folder);
    }
    if (p->n > 1) {
        qsort(p->names, p->n, sizeof *p->names, by_name);
    }
}

/* Returns whether a figure belongs to a place in the paper: `figure9-sessions` to `figure 9 middle`. */
static bool belongs(const char *name, const char *where) {
    size_t n = 0;
    for (; *where != '\0' && !isdigit((unsigned char)*where); where++) {
        if (*where != ' ') {
            if (name[n] != *where) {
                return false;
            }
            n++;
        }
    }
    for (; isdigit((unsigned char)*where); where++) {
        if (name[n++] != *where) {
            return false;
        }
    }
    return n > 0 && isdigit((unsigned char)name[n - 1]) && !isdigit((unsigned char)name[n]);
}

/* Returns whether a table has more than MANY columns, so that their titles must be narrow. */
static bool has_many_columns(const char *table) {
    enum { MANY = 12 };
    size_t n = 0;
    for (const char *at = table; at != NULL && *at != '\0' && *at != '\n'; at++) {
        n += *at == ',';
    }
    return n > MANY;
}

/* Prints a file of comma-separated values as a table. */
static void print_csv(page *p, const char *path) {
    size_t size, row = 0;
    const char *at = iso_file_content(p->pool, path, &size);
    bool tilted = has_many_columns(at);
    iso_print(p->out, "<div class=\"wide\"><table%s>\n", tilted ? " class=\"tilted\"" : "");
    while (at != NULL && *at != '\0' && row++ < MOST_ROWS) {
        iso_print(p->out, "<tr>");
        for (bool more = true; more;) {
            char *cell = iso_alloc(p->pool, strcspn(at, "\n") + 1, 1);
            size_t n = 0;
            bool quoted = *at == '"';
            at += quoted;
            while (*at != '\0' && *at != '\n' && (quoted ? !(at[0] == '"' && at[1] != '"') : *at != ',')) {
                at += quoted && at[0] == '"';
                cell[n++] = *at++;
            }
            cell[n] = '\0';
            at += quoted && *at == '"';
            more = *at == ',';
            at += more;
            iso_print_markup(p->out, row > 1  ? ISO_MARKUP("<td>")
                                     : tilted ? ISO_MARKUP("<th><div>")
                                              : ISO_MARKUP("<th>"));
            iso_print(p->out, "%s", cell);
            iso_print_markup(p->out, row == 1 && tilted ? ISO_MARKUP("</div>") : ISO_MARKUP(""));
        }
        at += *at == '\n';
        iso_print(p->out, "\n");
    }
    iso_print(p->out, "</table></div>\n");
}

/* Returns the different words of a table that begin with a prefix, with commas; NULL: there is none. */
static const char *words_of(page *p, const char *table, const char *prefix) {
    const char *found = NULL;
    for (const char *at = table; (at = strstr(at, prefix)) != NULL;) {
        size_t n = strlen(prefix) + strspn(at + strlen(prefix), "abcdefghijklmnopqrstuvwxyz0123456789-_");
        const char *word = iso_copy_text(p->pool, at, n);
        bool begins = at == table || strchr(",\" \n", at[-1]) != NULL;
        bool known = false;
        for (const char *other = found; other != NULL && !known; other = strstr(other, ", ")) {
            other += *other == ',' ? 2 : 0;
            known = strncmp(other, word, n) == 0 && (other[n] == ',' || other[n] == '\0');
        }
        if (begins && !known) {
            found = found == NULL ? word : iso_format_text(p->pool, "%s, %s", found, word);
        }
        at += n;
    }
    return found;
}

/* Prints the caption of a figure, which is the last line of its table in Markdown. */
static void print_caption(page *p, const char *name) {
    size_t size, n = 0;
    const char *text =
        iso_file_content(p->pool, iso_format_text(p->pool, "%s/%s/%s.md", p->folder, p->paper, name), &size);
    const char *end = text != NULL ? text + strlen(text) : NULL;
    while (end > text && end[-1] == '\n') {
        end--;
    }
    const char *line = end;
    while (line > text && line[-1] != '\n') {
        line--;
    }
    if (line == end || *line == '|') {
        return;
    }
    char *caption = iso_alloc(p->pool, (size_t)(end - line) + 1, 1);
    for (; line < end; line++) {
        if (*line != '\\') {
            caption[n++] = *line;
        }
    }
    caption[n] = '\0';
    iso_print(p->out, "%s<br>", caption);
}

/* Prints which names in a figure are published programs, and which published programs are missing in it. */
static void print_names(page *p, const char *name) {
    size_t size;
    const char *table =
        iso_file_content(p->pool, iso_format_text(p->pool, "%s/%s/%s.csv", p->folder, p->paper, name), &size);
    const char *absent =
        iso_file_content(p->pool, iso_format_text(p->pool, "%s/%s/%s.absent", p->folder, p->paper, name), &size);
    const char *published = table != NULL ? words_of(p, table, "ext:") : NULL;
    const char *like = table != NULL ? words_of(p, table, "like-") : NULL;
    if (published != NULL) {
        iso_print(p->out, "Published programs: %s. ", published);
    }
    if (published != NULL && strstr(published, "ext:asp") != NULL) {
        iso_print(p->out, "ext:asp: gringo and clasp with an encoding of isolab's. ");
    }
    if (like != NULL) {
        iso_print(p->out, "isolab's checker polygraph in the manner of the one named: %s. ", like);
    }
    if (published != NULL || like != NULL) {
        iso_print(p->out, "All other names are isolab's own implementations.");
    } else {
        iso_print(p->out, "All names are isolab's own implementations.");
    }
    if (absent != NULL && strcspn(absent, "\n") > 0) {
        iso_print(p->out, " Left out: %.*s.", (int)strcspn(absent, "\n"), absent);
    }
}

/* Returns whether a picture is more than 2.4 times as wide as high. */
static bool is_wide(const char *svg) {
    const char *box = strstr(svg, "viewBox=\"0 0 ");
    char *end = NULL;
    double width = box != NULL ? strtod(box + strlen("viewBox=\"0 0 "), &end) : 0;
    return end != NULL && width > 2.4 * strtod(end, NULL);
}

static void print_figure(page *p, size_t i) {
    const char *svg = iso_format_text(p->pool, "%s/%s/%s.svg", p->folder, p->paper, p->names[i]);
    size_t size;
    const char *picture = iso_file_content(p->pool, svg, &size);
    iso_print(p->out, "<figure class=\"%s\">", picture == NULL || is_wide(picture) ? "broad" : "drawn");
    if (picture != NULL) {
        iso_print(p->out, "<img alt=\"%s\" src=\"data:image/svg+xml;base64,", p->names[i]);
        iso_page_base64(p->out, picture, size);
        iso_print(p->out, "\">");
    } else {
        print_csv(p, iso_format_text(p->pool, "%s/%s/%s.csv", p->folder, p->paper, p->names[i]));
    }
    iso_print(p->out, "<figcaption>%s<br>", p->names[i]);
    print_caption(p, p->names[i]);
    print_names(p, p->names[i]);
    iso_print(p->out, "</figcaption></figure>\n");
    p->names[i] = NULL;
}

static void print_claim(page *p, const iso_paper_claim *c) {
    iso_printer *out = p->out;
    static const char *const classes[ISO_CLAIM_STATES] = {"yes", "no", "maybe", "muted"};
    iso_print(out, "<tr><td class=\"%s\">%s<td class=\"name\">%s<td>%s<td>", classes[c->state],
              iso_claim_state_name(c->state), c->id, c->claim);
    if (isfinite(c->measured.value) && c->state != ISO_CLAIM_SKIPPED) {
        iso_print(out, "%.4g", c->measured.value);
        if (!isnan(c->measured.low)) {
            iso_print(out, " [%.4g, %.4g]", c->measured.low, c->measured.high);
        }
    }
    iso_print(out, "<td>%s<td>%s<td>%s\n", c->expect.text, c->why, c->reason);
}

static bool same_place(const iso_paper_claim *a, const iso_paper_claim *b) {
    return a->file == b->file && strcmp(a->where, b->where) == 0;
}

/* Prints the claims about one place and its figures, where the first of these claims is. */
static void print_place(page *p, const iso_claims *claims, size_t first) {
    const char *where = claims->at[first].where;
    for (size_t i = 0; i < first; i++) {
        if (same_place(&claims->at[i], &claims->at[first])) {
            return;
        }
    }
    iso_print(p->out,
              "<h2>%s</h2>\n<div class=\"wide\"><table><tr><th>state<th>id<th>claim<th>measured<th>expected<th>why"
              "<th>remark\n",
              *where != '\0' ? where : "claims");
    for (size_t i = first; i < claims->n; i++) {
        if (same_place(&claims->at[i], &claims->at[first])) {
            print_claim(p, &claims->at[i]);
        }
    }
    iso_print(p->out, "</table></div>\n<div class=\"plots\">");
    for (size_t i = 0; i < p->n; i++) {
        if (p->names[i] != NULL && belongs(p->names[i], where)) {
            print_figure(p, i);
        }
    }
    iso_print(p->out, "</div>\n");
}

/* Prints the figures that belong to no claim. */
static void print_rest(page *p) {
    bool first = true;
    for (size_t i = 0; i < p->n; i++) {
        if (p->names[i] != NULL) {
            iso_print_markup(p->out,
                             first ? ISO_MARKUP("<h2>More figures</h2>\n<div class=\"plots\">") : ISO_MARKUP(""));
            first = false;
            print_figure(p, i);
        }
    }
    iso_print_markup(p->out, first ? ISO_MARKUP("") : ISO_MARKUP("</div>\n"));
}

/* Returns the artifact's name: the folder of its claims.md. */
static const char *paper_of(iso_pool *pool, const char *file) {
    const char *end = strrchr(file, '/');
    if (end == NULL) {
        return "paper";
    }
    const char *begin = end;
    while (begin > file && begin[-1] != '/') {
        begin--;
    }
    return iso_copy_text(pool, begin, (size_t)(end - begin));
}

/* Prints the heading and the paragraphs with which a text begins, up to its table. */
static void print_text(page *p, const char *path) {
    size_t size;
    const char *at = iso_file_content(p->pool, path, &size), *end;
    for (; at != NULL && *at != '\0' && *at != '|'; at = end + strspn(end, "\n")) {
        end = strstr(at, "\n\n") != NULL ? strstr(at, "\n\n") : at + strlen(at);
        size_t mark = strspn(at, "# ");
        char *text = iso_copy_text(p->pool, at + mark, (size_t)(end - at) - mark);
        for (char *c = text; (c = strchr(c, '\n')) != NULL;) {
            *c = ' ';
        }
        iso_print_markup(p->out, mark > 0 ? ISO_MARKUP("<h1>") : ISO_MARKUP("<p>"));
        iso_print(p->out, "%s", text);
        iso_print_markup(p->out, mark > 0 ? ISO_MARKUP("</h1>\n") : ISO_MARKUP("</p>\n"));
    }
}

/* Prints what a reader must know before the first claim: the paper, the scale, what a claim is, and whose programs were
 * measured. run.sh of an artifact writes about.txt and the two copies. */
static void print_introduction(page *p, const iso_claims *claims, const char *file) {
    print_text(p, file);
    print_text(p, iso_format_text(p->pool, "%s/%s/about.txt", p->folder, p->paper));
    iso_print(p->out, "<p>A claim compares a measurement with an expectation that was fixed before. ");
    for (int s = 0; s < ISO_CLAIM_STATES; s++) {
        static const char *const meaning[] = {"the whole interval of 95 % is where the claim says", "it is not",
                                              "it fails as the remark explains", "it was not measured"};
        iso_print(p->out, "<b>%zu %s</b>: %s. ", iso_claims_count(claims, (iso_claim_state)s),
                  iso_claim_state_name((iso_claim_state)s), meaning[s]);
    }
    iso_print(p->out,
              "</p>\n<p>In figures and tables a name without ext: is isolab's own program: awdit means awdit (isolab). "
              "ext:NAME is the published program.</p>\n<p>More: <a href=\"%s/claims.md\">the claims, with the command "
              "that measures each</a>; <a href=\"papers.md\">how they are measured and judged</a>.</p>\n",
              p->paper);
}

void iso_claims_page(iso_pool *pool, const iso_claims *claims, const char *folder, FILE *file) {
    iso_printer *out = &(iso_printer){.out = file, .target = ISO_HTML};
    page p = {.pool = pool, .out = out, .folder = folder};
    iso_page_begin(out, "claims and measurements", NULL);
    for (size_t i = 0; i < claims->n; i++) {
        if (i == 0 || claims->at[i].file != claims->at[i - 1].file) {
            p.paper = paper_of(pool, claims->at[i].file);
            find_figures(&p);
            print_introduction(&p, claims, claims->at[i].file);
        }
        print_place(&p, claims, i);
        if (i + 1 == claims->n || claims->at[i + 1].file != claims->at[i].file) {
            print_rest(&p);
        }
    }
    iso_page_end(out);
}
