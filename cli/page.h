/* The frame of a page: head with style and policy, and at the end data and script. cli/page.css and cli/page.js are
 * parts of the program. The policy allows only the page's own style and this script, by its hash: no request, no other
 * script, no frame. */
#ifndef ISOLAB_CLI_PAGE_H
#define ISOLAB_CLI_PAGE_H

#include "base/print.h"

void iso_page_begin(iso_printer *page, const char *title);
void iso_page_end(iso_printer *page);

#endif
