/* Pages about histories (`isolab report`). A page stands alone: no outside links, one script of its own (page.h). Text,
 * pictures and tables are in the page itself; the script steps through proofs and searches.
 *
 * A caller fills in the first members of an iso_report, asks, and writes. The files, in the order of the work: ask.c
 * asks and chooses anomalies, levels.c, cards.c, time.c and search.c write the parts of the page, and report.c puts
 * them together and makes an index of several pages. answers.c has what the terminal tells, too. */
#ifndef ISOLAB_REPORT_REPORT_H
#define ISOLAB_REPORT_REPORT_H

#include "base/json.h"
#include "base/print.h"
#include "explain/blame.h"
#include "report/answers.h"

/* One anomaly of the page. */
typedef struct iso_card {
    const iso_result *result;
    const iso_anomaly *anomaly;
    iso_levels levels; /* whose answers have it first; of an instance of a pattern: the weakest that forbids it */
    uint32_t *cast, n_cast;
    iso_blame blame;       /* cards that share a blamed read are one finding */
    bool breaks_promise;   /* it breaks the promised level; without a broken promise: true */
    iso_level weakest;     /* the weakest level that the finding breaks */
    uint32_t order, first; /* its own number as it was chosen, and that of the plainest card of the finding */
} iso_card;

typedef struct iso_report {
    iso_pool *pool;
    const isolab_history *h;
    const char *path;
    iso_printer page;
    iso_asker asker, asker_of_patterns;
    iso_ladder ladder;
    const iso_answer *patterns; /* every instance of Plume's patterns, if a weak level is violated; else NULL */
    uint64_t limit, each;       /* anomalies, and pictures of each kind */
    void (*answered)(void);     /* called after every run of a checker; NULL: nothing */
    iso_card *card;
    uint32_t n_cards, cards_room;
    uint8_t *near; /* by transaction: the page has it: it belongs to an anomaly, or accesses the same keys */
} iso_report;

/* Asks about all levels, and for further anomalies. */
void iso_report_ask(iso_report *r);
/* Chooses the cards: the first anomaly of each violated level, further ones of levels without patterns, and some of
 * each pattern. Orders them: findings that break weak levels first, and of each finding the plainest card first. */
void iso_report_choose(iso_report *r);

/* Chooses the cards and writes the page. */
void iso_report_write(iso_report *r, FILE *out);

/* The parts of the page. */
void iso_report_head(iso_report *r);   /* facts about the history */
void iso_report_levels(iso_report *r); /* the levels, with the reasons of their verdicts */
void iso_report_counts(iso_report *r); /* instances of each anomaly */
void iso_report_time(iso_report *r);   /* the time line of the history */
void iso_report_cards(iso_report *r);  /* the anomalies */
void iso_report_search(iso_report *r); /* the transactions that the page can search */

const char *iso_report_class(isolab_verdict verdict); /* its class in a page: `yes`, `no` or `maybe` */

typedef struct iso_report_row {
    const char *path,
        *page; /* page: relative to the index; NULL: the history could not be read, and `strongest` says why */
    const char *strongest, *anomalies;
    isolab_verdict verdict;
    uint32_t transactions, operations, sessions;
} iso_report_row;
/* Fills in what was found; its strings are in pool. The cards must be chosen. */
void iso_report_sum_up(const iso_report *r, iso_pool *pool, iso_report_row *row);
/* Prints a table of histories with links to their pages. */
void iso_report_index(iso_printer *page, const iso_report_row *row, uint32_t n);

#endif
