/* The index of several histories. See report.h. */
#include "cli/page.h"
#include "cli/report.h"

const char *iso_report_class(isolab_verdict v) {
    return v == ISOLAB_SATISFIED ? "yes" : v == ISOLAB_VIOLATED ? "no" : "maybe";
}

void iso_report_index(iso_printer *page, const iso_report_row *row, uint32_t n) {
    uint32_t count[3] = {0};
    for (uint32_t i = 0; i < n; i++) {
        count[row[i].verdict]++;
    }
    iso_page_begin(page, "histories");
    iso_print(page,
              "<nav class=\"top\"><button id=\"theme\" hidden></button></nav>\n<h1>%u histories</h1>\n"
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
