/* The frame of a page: head with style and policy, and at the end data and script. report/page.css and report/page.js
 * are parts of the program. The policy allows only the page's own style and this script, by its hash: no request, no
 * other script, no frame. */
#ifndef ISOLAB_REPORT_PAGE_H
#define ISOLAB_REPORT_PAGE_H

#include "base/print.h"

typedef struct iso_page_link {
    const char *id, *text; /* of a heading of the page */
} iso_page_link;

/* links: ended by NULL; NULL: none. */
void iso_page_begin(iso_printer *page, const char *title, const iso_page_link *links);
void iso_page_end(iso_printer *page);

/* Prints bytes in base 64: an image of the page is data of the page. */
void iso_page_base64(iso_printer *page, const void *data, size_t n);

#endif
