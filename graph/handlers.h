/* igraph and GSL end the process at the first error unless they are told not to. */
#ifndef ISOLAB_GRAPH_HANDLERS_H
#define ISOLAB_GRAPH_HANDLERS_H

/* From now on functions of igraph and GSL return their error codes, and their warnings are silent. For the
 * start of a program: the handlers belong to the process, so the library never installs them by itself. */
void iso_install_handlers(void);

/* What igraph said of the errors of this thread since they were forgotten, in its own words; else the code's name. */
const char *iso_igraph_reason(int code);
void iso_igraph_forget(void);

#endif
