/* The head of a page: its history, the levels and what each verdict rests on, and how often each anomaly was found. See
 * report.h. */
#include <inttypes.h>

#include "history/clock.h"
#include "history/initial.h"
#include "history/suspect.h"
#include "report/page.h"
#include "report/report.h"

/* The answer in one line: whether the promise of the database is kept, and which levels hold. */
static void verdict(iso_report *r) {
    bool some = false;
    iso_promise p = iso_promise_of(r->h, r->ladder.rung);
    iso_print(&r->page, "<p class=\"verdict\">");
    if (p.level != ISO_NO_LEVEL) {
        iso_print(&r->page, "<span class=\"%s\">promised %s: %s</span> (%s at %s). ", iso_report_class(p.verdict),
                  iso_level_get(p.level)->name, p.text, p.database, p.configured);
    }
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        if (r->ladder.strongest & ISO_LEVEL_BIT(l)) {
            const iso_level_info *info = iso_level_get((iso_level)l);
            iso_print(&r->page, "%s <b>%s</b> (%s)",
                      some ? " and" : "The strongest level that this history satisfies is", info->name, info->title);
            some = true;
        }
    }
    iso_print(&r->page, "%s.</p>\n", some ? "" : "No level is known to be satisfied");
}

void iso_report_head(iso_report *r) {
    iso_page_begin(&r->page, r->path,
                   (const iso_page_link[]){{"anomalies", "What went wrong"},
                                           {"time", "Time line"},
                                           {"levels", "Levels"},
                                           {"search", "Search"},
                                           {NULL, NULL}});
    iso_print(&r->page, "<h1>%s</h1>\n", r->path);
    verdict(r);
}

static void facts(iso_report *r) {
    const isolab_history *h = r->h;
    iso_print(&r->page,
              "<p>%u transactions (%u committed, %u aborted, %u indeterminate) of %u sessions, %u operations on %u "
              "key%s. Made by isolab %s.</p>\n",
              h->n_txns, h->n_committed, h->n_aborted, h->n_indeterminate, h->n_sessions, h->n_ops, h->n_keys,
              h->n_keys == 1 ? "" : "s", ISOLAB_VERSION);
    char taken[ISO_TAKEN_SIZE];
    if (iso_taken_text(h, taken)[0] != '\0') {
        iso_print(&r->page, "<p>As it was read: %s.</p>\n", taken);
    }
}

/* Prints the evidence for a satisfied level. */
static void evidence(iso_report *r, const iso_answer *a) {
    const char *before = a->result.reason[0] != '\0' ? "; " : "", *cases = iso_evidence_of(a->level);
    if (a->weight == ISO_UNWEIGHED) {
        return;
    }
    if (a->cases == 0) {
        iso_print(&r->page, "<br><i>No evidence: no %s%s%s.</i>", cases, before, a->result.reason);
    } else if (a->weight == ISO_AT_LEAST) {
        iso_print(&r->page, "<br><i>Evidence: %s; the count stopped at %" PRIu64 ", the check did not%s%s.</i>", cases,
                  a->cases, before, a->result.reason);
    } else {
        iso_print(&r->page, "<br><i>Evidence: %" PRIu64 " %s%s%s.</i>", a->cases, cases, before, a->result.reason);
    }
}

/* Links the first card that shows why a level is violated. */
static void link_card(iso_report *r, int level) {
    for (uint32_t i = 0; i < r->n_cards; i++) {
        if (r->card[i].levels & ISO_LEVEL_BIT(level)) {
            iso_print(&r->page, " <a href=\"#a%u\">%s</a>", i + 1,
                      iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name);
            return;
        }
    }
}

static void level_row(iso_report *r, int l) {
    const iso_answer *a = r->ladder.rung[l];
    const iso_level_info *info = iso_level_get((iso_level)l);
    isolab_verdict v = a->result.verdict;
    iso_print(&r->page, "<tr><td class=\"%s\">%s</td><td><b>%s</b> %s</td><td>%s", iso_report_class(v),
              a->not_asked != ISO_ASKED ? "not asked" : iso_verdict_text(v), info->name, info->title, info->meaning);
    if (v == ISOLAB_UNKNOWN) {
        iso_print(&r->page, " <i>%s.</i>", a->result.reason);
    } else if (a->implied_by != ISO_NO_LEVEL) {
        iso_print(&r->page, " <i>Follows from %s.</i>", iso_level_get(a->implied_by)->name);
    }
    if (v == ISOLAB_SATISFIED) {
        evidence(r, a);
    } else if (v == ISOLAB_VIOLATED) {
        link_card(r, l);
    }
    iso_print(&r->page, "</td></tr>\n");
}

static void suspects(iso_report *r) {
    char text[ISO_SUSPECT_SIZE];
    iso_suspects s = iso_find_suspects(r->pool, r->h);
    for (int k = 0; k < ISO_SUSPECTS; k++) {
        if (s.of[k].places > 0) {
            iso_print(&r->page, "<p><b>Suspect the test:</b> %s: %s.</p>\n",
                      iso_suspect_text(r->h, &s, (iso_suspect_kind)k, text), iso_suspect_advice((iso_suspect_kind)k));
        }
    }
}

void iso_report_levels(iso_report *r) {
    facts(r);
    iso_print(&r->page, "<h2 id=\"levels\">Isolation levels, the strongest first</h2>\n<div class=\"wide\"><table>\n");
    for (int l = iso_n_levels - 1; l >= 0; l--) {
        level_row(r, l);
    }
    iso_print(&r->page, "</table></div>\n");
    iso_clock clock = iso_clock_of(r->h);
    if (clock.places > 0) {
        char text[ISO_CLOCK_SIZE];
        iso_print(&r->page, "<p><b>Suspect the times:</b> %s.</p>\n", iso_clock_text(r->h, &clock, text));
    }
    if (r->ladder.verdict == ISOLAB_VIOLATED) {
        suspects(r);
    }
    if (r->asker.weighed) {
        char line[512];
        iso_print(&r->page,
                  "<p>All %u operations were checked. Evidence counts what could have violated a level, until it is "
                  "enough: %s.</p>\n",
                  r->h->n_ops, iso_evidence_text(&r->asker.evidence, line, sizeof line));
    }
}

void iso_report_counts(iso_report *r) {
    const iso_result *result = r->patterns != NULL ? &r->patterns->result : NULL;
    if (result == NULL || result->verdict != ISOLAB_VIOLATED) {
        return;
    }
    iso_print(&r->page, "<h2>How often</h2>\n<div class=\"wide\"><table "
                        "class=\"sortable\"><thead><tr><th>instances</th><th>anomaly</th><th>Plume</th><th>Adya</th>"
                        "<th>Elle</th><th>meaning</th></tr></thead><tbody>\n");
    for (int k = 0; k < ISO_A_KINDS; k++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)k);
        if (result->seen[k] != 0) {
            iso_print(&r->page,
                      "<tr><td data-value=\"%" PRIu64 "\">%" PRIu64
                      "</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
                      result->seen[k], result->seen[k], info->name, info->plume, info->adya,
                      info->elle != NULL ? info->elle : info->adya, info->meaning);
        }
    }
    iso_print(
        &r->page,
        "</tbody></table></div>\n<p>An instance counts under every pattern that it matches; it is shown under the most "
        "special one.</p>\n");
}
