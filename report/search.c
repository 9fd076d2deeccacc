/* The transactions that a page can search, as data for page.js. See report.h. */
#include <inttypes.h>

#include "explain/words.h"
#include "report/report.h"

/* A page can search all transactions of a history with at most OPS_OF_PAGE operations (less than five megabytes); else
 * those near its anomalies, and as many others that touch their keys. It shows at most OPS_OF_TXN operations of
 * each. */
enum { OPS_OF_PAGE = 100000, OPS_OF_TXN = 60 };

static void json_some(iso_json *j, uint64_t value, bool some) {
    if (some) {
        iso_json_count(j, NULL, value);
    } else {
        iso_json_text(j, NULL, NULL);
    }
}

/* One transaction as an array, in the order that page.js knows. */
static void json_txn(iso_json *j, const isolab_history *h, uint32_t t) {
    char text[512], digits[24];
    uint32_t s = h->txn_session[t], line = h->txn_line != NULL ? h->txn_line[t] : ISO_NONE;
    uint32_t index = h->txn_index != NULL ? h->txn_index[t] : ISO_NONE;
    const int64_t *times[2] = {h->txn_start, h->txn_end};
    iso_json_open(j, NULL, '[');
    iso_json_count(j, NULL, t);
    iso_json_text(j, NULL, iso_txn_text(h, t, text));
    iso_json_text(j, NULL, iso_word_session(h, s, text));
    iso_json_count(j, NULL, t - h->session_txn[s] + 1);
    json_some(j, line, line != ISO_NONE);
    json_some(j, index, index != ISO_NONE);
    for (int i = 0; i < 2; i++) {
        snprintf(digits, sizeof digits, "%" PRId64, times[i] != NULL ? times[i][t] : 0);
        iso_json_text(j, NULL, times[i] != NULL && times[i][t] != ISO_NO_TIME ? digits : NULL);
    }
    iso_json_count(j, NULL, h->txn_status[t]);
    iso_json_open(j, NULL, '[');
    for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1] && o - h->txn_op[t] < OPS_OF_TXN; o++) {
        iso_json_text(j, NULL, iso_word_op(h, o, text, sizeof text));
    }
    iso_json_close(j, ']');
    iso_json_close(j, ']');
}

/* Adds transactions that touch the keys of anomalies, as many as fit into the page. */
static void add_of_keys(iso_report *r) {
    const isolab_history *h = r->h;
    uint8_t *key = ISO_ZNEW(r->pool, uint8_t, h->n_keys);
    uint64_t ops = 0;
    for (uint32_t t = 0; t < h->n_txns; t++) {
        ops += r->near[t] ? h->txn_op[t + 1] - h->txn_op[t] : 0;
    }
    for (uint32_t i = 0; i < r->n_cards; i++) {
        for (uint32_t c = 0; c < r->card[i].n_cast; c++) {
            uint32_t t = r->card[i].cast[c];
            for (uint32_t o = h->txn_op[t]; o < h->txn_op[t + 1]; o++) {
                key[h->op_key[o]] = 1;
            }
        }
    }
    for (uint32_t o = 0; o < h->n_ops && ops < OPS_OF_PAGE; o++) {
        uint32_t t = h->op_txn[o];
        if (key[h->op_key[o]] && !r->near[t]) {
            r->near[t] = 1;
            ops += h->txn_op[t + 1] - h->txn_op[t];
        }
    }
    iso_free(r->pool, key);
}

void iso_report_search(iso_report *r) {
    const isolab_history *h = r->h;
    bool all = h->n_ops <= OPS_OF_PAGE && h->n_txns <= OPS_OF_PAGE;
    uint32_t n = 0;
    if (!all) {
        add_of_keys(r);
    }
    for (uint32_t t = 0; t < h->n_txns; t++) {
        n += all || r->near[t];
    }
    iso_print(
        &r->page,
        "<section id=\"search\" hidden><h2>Search</h2>\n<p><label for=\"query\">Transaction, session, key, value, "
        "line: </label>"
        "<input id=\"query\" type=\"search\" size=\"30\" autocomplete=\"off\"> <span id=\"found\" class=\"muted\" "
        "aria-live=\"polite\"></span></p>\n<p class=\"muted\">The page has %s%u of %u transactions%s.</p>\n"
        "<div id=\"results\" class=\"wide\"></div></section>\n",
        all ? "all " : "", n, h->n_txns,
        all ? "" : ": those of the anomalies, near them, and others that touch their keys");
    iso_print(&r->page, "<script type=\"application/json\" id=\"data\">");
    iso_json j = {.out = r->page.out, .page = true};
    iso_json_open(&j, NULL, '{');
    iso_json_flag(&j, "all", all);
    iso_json_count(&j, "keys", h->n_keys);
    iso_json_open(&j, "transactions", '[');
    for (uint32_t t = 0; t < h->n_txns; t++) {
        if (all || r->near[t]) {
            json_txn(&j, h, t);
        }
    }
    iso_json_close(&j, ']');
    iso_json_close(&j, '}');
    iso_print(&r->page, "</script>\n");
}
