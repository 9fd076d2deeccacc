/* By default igraph and GSL end the process at their first error. */
#ifndef ISOLAB_GRAPH_HANDLERS_H
#define ISOLAB_GRAPH_HANDLERS_H

#include <stdbool.h>

/* Makes functions of GSL, and of igraph after it is loaded (igraph.h), return error codes instead, and silences their
 * warnings. A program calls it when it starts. The library never does, because the handlers belong to the whole
 * process. */
void iso_install_handlers(void);
bool iso_handlers_installed(void);

#endif
