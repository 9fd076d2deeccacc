/* The anomalies of a page: what happened, the picture, the steps, and where to find the transactions. See report.h. */
#include <string.h>

#include "cli/report.h"
#include "explain/story.h"
#include "explain/svg.h"

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
    iso_print(out,
              "\" style=\"margin-left:%uem\"><span class=\"num\">%s</span> <span class=\"said\">%s%s.</span></li>\n",
              2 * depth, s->number, s->depth > 0 ? "because " : "", s->sentence);
}

static void places(iso_report *r, const iso_card *c) {
    char name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    iso_print(&r->page, "<h4>Where to find it in the input</h4>\n<div "
                        "class=\"wide\"><table><tr><th>transaction</th><th>place</th></tr>\n");
    for (uint32_t i = 0; i < c->n_cast && i < CAST_SHOWN; i++) {
        iso_print(&r->page, "<tr><td>%s</td><td>%s</td></tr>\n", iso_word_txn(r->h, c->cast[i], name),
                  iso_word_place(r->h, c->cast[i], place));
    }
    iso_print(&r->page, "</table></div>\n");
    if (c->n_cast > CAST_SHOWN) {
        iso_print(&r->page,
                  "<p>%u more transactions: <span class=\"mono\">isolab check --json</span> has all of them.</p>\n",
                  c->n_cast - CAST_SHOWN);
    }
}

static void levels_of(iso_report *r, const iso_card *c) {
    const char *gap = "breaks ";
    for (int l = 0; l < ISO_LEVELS; l++) {
        if (c->levels & ISO_LEVEL_BIT(l)) {
            iso_print(&r->page, "%s%s", gap, iso_level_get((iso_level)l)->name);
            gap = ", ";
        }
    }
    iso_print(&r->page, "%s", c->levels != 0 ? "; " : "");
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
    iso_pool_init(&pool, &r->cli->env);
    iso_picture *p = iso_picture_make(&pool, r->h, c->result, c->anomaly);
    iso_print(&r->page, "<article class=\"card anomaly\" id=\"a%u\"><h3>%u. %s</h3>\n<p class=\"muted\">", i + 1, i + 1,
              iso_picture_title(p, title, sizeof title));
    levels_of(r, c);
    iso_print(&r->page, "%s</p>\n<p class=\"story\">%s</p>\n", info->meaning,
              iso_word_anomaly(r->h, c->result, c->anomaly, sentence));
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
    iso_report_around(r, c);
    iso_print(&r->page, "</article>\n");
    iso_pool_free(&pool);
}

/* Says what is known besides anomalies that were found one by one. */
static void apart(iso_report *r) {
    for (int l = 0; l < ISO_LEVELS; l++) {
        const iso_answer *a = r->ladder.rung[l];
        if (a->rest == ISO_REST_UNSEARCHED) {
            continue;
        }
        const char *level = iso_level_get(a->level)->name;
        bool single = a->result.n_anomalies == 1;
        iso_print(&r->page, "<p class=\"muted\">At %s %u %s found%s. ", level, a->result.n_anomalies,
                  single ? "anomaly was" : "anomalies were",
                  single ? "" : ", each in what the ones before it leave of the history");
        if (a->rest == ISO_REST_SATISFIED) {
            iso_print(&r->page, "Without %s the history satisfies %s.", single ? "it" : "them", level);
        } else {
            iso_print(&r->page, "Whether the rest of the history satisfies %s is not known%s%s.", level,
                      a->result.reason[0] != '\0' ? ": " : "", a->result.reason);
        }
        iso_print(&r->page, " Others that share transactions with %s may exist.</p>\n", single ? "it" : "them");
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
    iso_print(&r->page, "<ul>\n");
    for (uint32_t i = 0; i < r->n_cards; i++) {
        char sentence[ISO_SENTENCE_SIZE];
        iso_print(&r->page, "<li><a href=\"#a%u\">%u. %s</a>: %s</li>\n", i + 1, i + 1,
                  iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name,
                  iso_word_anomaly(r->h, r->card[i].result, r->card[i].anomaly, sentence));
    }
    iso_print(&r->page, "</ul>\n");
    apart(r);
    for (uint32_t i = 0; i < r->n_cards; i++) {
        iso_tick(&r->cli->env);
        card(r, i);
    }
}
