/* The anomalies of a page: what happened, the picture, the steps, and where to find the transactions. See report.h. */
#include <string.h>

#include "explain/story.h"
#include "explain/svg.h"
#include "report/report.h"

enum { STEPS_SHOWN = 100, CAST_SHOWN = 60 };

typedef struct steps {
    iso_report *r;
    uint32_t shown, left;
} steps;

static void number(iso_printer *out, const isolab_history *h, uint32_t txn) {
    if (txn < h->n_txns) {
        iso_print(out, "%u", txn);
    } else {
        iso_print(out, "init");
    }
}

/* Prints a sentence of which no name breaks at a hyphen. */
static void print_sentence(iso_printer *out, const char *text) {
    enum { LONG = 40 }; /* a longer word may have to break */
    while (*text != '\0') {
        size_t n = strcspn(text, " "), gap = strspn(text + n, " ");
        bool whole = n <= LONG && memchr(text, '-', n) != NULL;
        iso_print_markup(out, whole ? ISO_MARKUP("<span class=\"nb\">") : ISO_MARKUP(""));
        iso_print(out, "%.*s", (int)n, text);
        iso_print_markup(out, whole ? ISO_MARKUP("</span>") : ISO_MARKUP(""));
        iso_print(out, "%.*s", (int)gap, text + n);
        text += n + gap;
    }
}

static void print_step(void *arg, const iso_word_step *s) {
    steps *all = arg;
    const isolab_history *h = all->r->h;
    iso_printer *out = &all->r->page;
    if (all->shown++ >= STEPS_SHOWN) {
        all->left++;
        return;
    }
    unsigned depth = s->depth < 8 ? s->depth : 8;
    iso_print(out, "<li data-step=\"%s\" data-txns=\"", s->number);
    number(out, h, s->edge->from);
    iso_print(out, " ");
    number(out, h, s->edge->to);
    if (s->edge->reader_op < h->n_ops) {
        iso_print(out, " %u", h->op_txn[s->edge->reader_op]);
    }
    iso_print(out, "\" style=\"margin-left:%uem\"><span class=\"num\">%s</span> <span class=\"said\">%s", 2 * depth,
              s->number, s->depth > 0 ? "because " : "");
    print_sentence(out, s->sentence);
    iso_print(out, ".</span></li>\n");
}

static void places(iso_report *r, const iso_card *c) {
    char name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    iso_print(&r->page, "<h4>Where to find it in the input</h4>\n<div "
                        "class=\"wide\"><table><tr><th>transaction</th><th>place</th></tr>\n");
    for (uint32_t i = 0; i < c->n_cast && i < CAST_SHOWN; i++) {
        iso_print(&r->page, "<tr><td class=\"name\">%s</td><td>%s</td></tr>\n", iso_word_txn(r->h, c->cast[i], name),
                  iso_word_place(r->h, c->cast[i], place));
    }
    iso_print(&r->page, "</table></div>\n");
    if (c->n_cast > CAST_SHOWN) {
        iso_print(&r->page,
                  "<p>%u more transactions: <span class=\"mono\">isolab check --json</span> has all of them.</p>\n",
                  c->n_cast - CAST_SHOWN);
    }
}

/* A sample of the arrows of a picture, for a reader who does not see colours. */
static void legend(iso_report *r, const iso_picture *p) {
    bool used[ISO_EDGE_KINDS] = {false};
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        used[p->arrow[i].kind] = true;
    }
    iso_print(&r->page, "<div class=\"key\">");
    for (int k = 0; k < ISO_EDGE_KINDS; k++) {
        if (used[k]) {
            const iso_arrow_kind *kind = &iso_arrow_kinds[k];
            iso_print(&r->page,
                      "<span><svg class=\"pic\" width=\"60\" height=\"14\" aria-hidden=\"true\"><g class=\"k-%s\">"
                      "<path class=\"line\" d=\"M2 7H50\"/>",
                      iso_edge_name((iso_edge_kind)k));
            if (kind->twice) {
                iso_print(&r->page, "<path class=\"inner\" d=\"M2 7H50\"/>");
            }
            iso_print(&r->page, "<path class=\"%s\" d=\"M58 7l-10 -5v10z\"/></g></svg> %s</span>",
                      kind->hollow ? "open" : "head", kind->meaning);
        }
    }
    iso_print(&r->page, "</div>\n");
}

static void proof(iso_report *r, const iso_card *c) {
    char sentence[ISO_SENTENCE_SIZE];
    steps s = {r, 0, 0};
    if (c->anomaly->n_cycle == 0) {
        return;
    }
    iso_print(&r->page, "<h4>Why no order is possible</h4>\n<p>%s</p>\n<ol class=\"steps\">\n",
              iso_word_cycle(r->h, c->result, c->anomaly, sentence));
    iso_each_step(r->h, c->result, c->anomaly, print_step, &s);
    iso_print(&r->page, "</ol>\n");
    if (s.left > 0) {
        iso_print(&r->page, "<p>%u more steps: <span class=\"mono\">isolab check --json</span> has all of them.</p>\n",
                  s.left);
    }
}

static void card(iso_report *r, uint32_t i) {
    const iso_card *c = &r->card[i];
    const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)c->anomaly->kind);
    char sentence[ISO_SENTENCE_SIZE], title[256], name[24];
    iso_pool pool;
    iso_pool_init(&pool, r->pool->env);
    iso_picture *p = iso_picture_make(&pool, r->h, c->result, c->anomaly);
    iso_print(&r->page, "<article class=\"card anomaly%s\" id=\"a%u\" data-txns=\"",
              c->order == c->first ? " plain" : "", i + 1);
    for (uint32_t k = 0; k < c->n_cast; k++) {
        iso_print(&r->page, "%s%u", k > 0 ? " " : "", c->cast[k]);
    }
    if (c->blame.read != ISO_NONE) {
        iso_print(&r->page, "\" data-read=\"%u", r->h->op_txn[c->blame.read]);
    }
    iso_print(&r->page, "\"><h3>%u. %s</h3>\n<p class=\"story\">", i + 1, iso_picture_title(p, title, sizeof title));
    print_sentence(&r->page, iso_word_anomaly(r->h, c->result, c->anomaly, sentence));
    iso_print(&r->page, "</p>\n<p class=\"muted\">");
    iso_print(&r->page, "breaks %s; %s</p>\n", iso_level_names(&pool, c->levels), info->meaning);
    bool steps_exist = c->anomaly->n_cycle > 0;
    snprintf(name, sizeof name, "p%u", i + 1);
    if (steps_exist) {
        iso_print(&r->page,
                  "<div class=\"controls\" hidden><button class=\"back\">&#8592; Back</button><button "
                  "class=\"next\">Next &#8594;"
                  "</button><button class=\"whole\">Whole picture</button><span class=\"place muted\"></span></div>\n"
                  "<p class=\"now\" aria-live=\"polite\" hidden>Go through the proof with these buttons, or with the "
                  "arrow keys in "
                  "the picture. Click a transaction to see all of it.</p>\n");
    }
    iso_print(
        &r->page,
        "<div class=\"figure\" tabindex=\"0\" aria-label=\"Picture of anomaly %u; arrow keys go through the steps\">",
        i + 1);
    iso_picture_svg_part(&r->page, &pool, p, name);
    iso_print(&r->page, "</div>\n");
    if (p->left_out > 0) {
        iso_print(&r->page, "<p class=\"muted\">%u more arrows are left out of the picture.</p>\n", p->left_out);
    }
    legend(r, p);
    proof(r, c);
    places(r, c);
    iso_print(&r->page, "</article>\n");
    iso_pool_free(&pool);
}

/* Says what is known besides anomalies that were found one by one. */
static void apart(iso_report *r) {
    for (int l = 0; l < iso_n_levels; l++) {
        const iso_answer *a = r->ladder.rung[l];
        if (a->rest == ISO_REST_UNSEARCHED) {
            continue;
        }
        const char *level = iso_level_get(a->level)->name;
        iso_print(&r->page, "<p class=\"muted\">At %s: ", level);
        iso_answer_rest(&r->page, a);
        if (a->rest == ISO_REST_UNKNOWN || a->rest == ISO_REST_LIMIT) {
            iso_print(&r->page,
                      " All the time is for this level with <span class=\"mono\">isolab check -l %s --all</span>.",
                      level);
        }
        iso_print(&r->page, "</p>\n");
    }
}

/* Returns the end of the finding that begins with card i. */
static uint32_t end_of(const iso_report *r, uint32_t i) {
    uint32_t end = i + 1;
    while (end < r->n_cards && r->card[end].first == r->card[i].first) {
        end++;
    }
    return end;
}

/* Prints one finding: its plainest card, and the others below it, closed. */
static void finding(iso_report *r, uint32_t i, uint32_t end) {
    char name[ISO_WORD_SIZE], op[512];
    if (end > i + 1) {
        uint32_t read = r->card[i].blame.read;
        iso_print(&r->page, "<p class=\"blame\">%u anomalies, all need one read: %s %s.</p>\n", end - i,
                  iso_word_txn(r->h, r->h->op_txn[read], name),
                  iso_word_did(r->h, read, ISO_NONE, ISO_NONE, op, sizeof op));
    }
    card(r, i);
    if (end > i + 1) {
        iso_print(&r->page, "<details class=\"more\"><summary>%u more that need this read</summary>\n", end - i - 1);
        for (uint32_t k = i + 1; k < end; k++) {
            iso_tick(r->pool->env);
            card(r, k);
        }
        iso_print(&r->page, "</details>\n");
    }
}

void iso_report_cards(iso_report *r) {
    iso_print(&r->page, "<h2 id=\"anomalies\">What went wrong</h2>\n");
    if (r->n_cards == 0) {
        iso_print(&r->page, "<p>%s</p>\n",
                  r->ladder.verdict == ISOLAB_VIOLATED
                      ? "A level is violated, but the search that showed it has no picture."
                      : "No anomaly was found.");
        return;
    }
    uint32_t second = end_of(r, 0);
    finding(r, 0, second);
    apart(r);
    if (second < r->n_cards) {
        iso_print(&r->page, "<h3 id=\"others\">Other findings</h3>\n");
    }
    for (uint32_t i = second; i < r->n_cards; i = end_of(r, i)) {
        char sentence[ISO_SENTENCE_SIZE];
        iso_tick(r->pool->env);
        iso_print(&r->page, "<details class=\"more\"><summary>%u. %s: ", i + 1,
                  iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name);
        print_sentence(&r->page, iso_word_anomaly(r->h, r->card[i].result, r->card[i].anomaly, sentence));
        iso_print(&r->page, "</summary>\n");
        finding(r, i, end_of(r, i));
        iso_print(&r->page, "</details>\n");
    }
}
