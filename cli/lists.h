/* The longer topics of `isolab list`, each with its own file. j: an open array, or NULL to print for people. */
#ifndef ISOLAB_CLI_LISTS_H
#define ISOLAB_CLI_LISTS_H

#include "base/json.h"
#include "base/option.h"

/* Lists options, after `--option ` or another text. */
void iso_list_options(iso_json *j, const char *before, const iso_option *table);

void iso_list_generators(iso_json *j);
void iso_list_databases(iso_json *j);
void iso_list_bugs(iso_json *j);
void iso_list_reductions(iso_json *j);

#endif
