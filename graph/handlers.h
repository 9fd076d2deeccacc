/* igraph and GSL end the process at the first error unless they are told not to. */
#ifndef ISOLAB_GRAPH_HANDLERS_H
#define ISOLAB_GRAPH_HANDLERS_H

#include <stdbool.h>

/* From now on functions of GSL, and of igraph as soon as it is loaded (igraph.h), return their error codes, and their
 * warnings are silent. For the start of a program: the handlers belong to the process, so the library never installs
 * them by itself. */
void iso_install_handlers(void);
bool iso_handlers_installed(void);

#endif
