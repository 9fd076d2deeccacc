/* The page as a whole, and the index of several. See report.h. */
#include "report/report.h"
#include "report/page.h"

const char *iso_report_class(isolab_verdict v) {
    return v == ISOLAB_SATISFIED ? "yes" : v == ISOLAB_VIOLATED ? "no" : "maybe";
}

void iso_report_write(iso_report *r, FILE *out) {
    iso_report_choose(r);
    r->page = (iso_printer){.out = out, .target = ISO_HTML};
    iso_report_head(r);
    iso_report_cards(r);
    iso_report_time(r);
    iso_report_levels(r);
    iso_report_counts(r);
    iso_report_search(r);
    iso_page_end(&r->page);
}

static const char *anomalies_of(iso_pool *pool, const iso_report *r) {
    iso_printer text = {.pool = pool};
    bool told[ISO_A_KINDS] = {false};
    for (uint32_t i = 0; i < r->n_cards; i++) {
        if (!told[r->card[i].anomaly->kind]) {
            told[r->card[i].anomaly->kind] = true;
            iso_print(&text, "%s%s", text.size > 0 ? ", " : "",
                      iso_anomaly_get((iso_anomaly_kind)r->card[i].anomaly->kind)->name);
        }
    }
    return iso_printed(&text);
}

void iso_report_sum_up(const iso_report *r, iso_pool *pool, iso_report_row *row) {
    row->verdict = r->ladder.verdict;
    row->strongest = r->ladder.strongest != 0 ? iso_level_names(pool, r->ladder.strongest) : "none";
    row->anomalies = anomalies_of(pool, r);
    row->transactions = r->h->n_txns;
    row->operations = r->h->n_ops;
    row->sessions = r->h->n_sessions;
}

void iso_report_index(iso_printer *page, const iso_report_row *row, uint32_t n) {
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < n; i++) {
        count[row[i].verdict]++;
    }
    iso_page_begin(page, "histories", NULL);
    iso_print(page,
              "<h1>%u histories</h1>\n"
              "<p>%u satisfy every level, %u violate one, %u are unknown or could not be read. Made by isolab %s. "
              "Click a heading "
              "to sort.</p>\n<div class=\"wide\"><table "
              "class=\"sortable\"><thead><tr><th>history</th><th>verdict</th><th>strongest "
              "satisfied</th><th>anomalies</th><th>transactions</th><th>operations</th><th>sessions</th></tr></"
              "thead><tbody>\n",
              n, count[ISOLAB_SATISFIED], count[ISOLAB_VIOLATED], count[ISOLAB_UNKNOWN], ISOLAB_VERSION);
    for (uint32_t i = 0; i < n; i++) {
        const iso_report_row *r = &row[i];
        if (r->page != NULL) { /* `./` so that no name is taken for a scheme */
            iso_print(page, "<tr><td><a href=\"./%s\">%s</a></td>", r->page, r->path);
        } else {
            iso_print(page, "<tr><td>%s</td>", r->path);
        }
        iso_print(page, "<td class=\"%s\">%s</td><td>%s</td><td>%s</td>", iso_report_class(r->verdict),
                  iso_verdict_text(r->verdict), r->strongest, r->anomalies);
        iso_print(page,
                  "<td data-value=\"%u\">%u</td><td data-value=\"%u\">%u</td><td data-value=\"%u\">%u</td></tr>\n",
                  r->transactions, r->transactions, r->operations, r->operations, r->sessions, r->sessions);
    }
    iso_print(page, "</tbody></table></div>\n");
    iso_page_end(page);
}
