/* The longer topics of `isolab list`, each with its own file. j is NULL for people, else an open array. */
#ifndef ISOLAB_CLI_LISTS_H
#define ISOLAB_CLI_LISTS_H

#include "base/json.h"

void iso_list_generators(iso_json *j);
void iso_list_bugs(iso_json *j);
void iso_list_reductions(iso_json *j);

#endif
