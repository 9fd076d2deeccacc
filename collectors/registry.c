/* The table of collectors. See collector.h. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/registry.h"
#include "collectors/collector.h"
#include "history/about.h"

#define COLLECTOR(name) extern const iso_collector iso_collector_##name;
#include "collectors/collectors.def"
#undef COLLECTOR

const iso_collector *const iso_collectors[] = {
#define COLLECTOR(name) &iso_collector_##name,
#include "collectors/collectors.def"
#undef COLLECTOR
    NULL};

ISO_FIND_BY_NAME(iso_collector_find, iso_collector, iso_collectors)

/* Returns whether two names are the same, where case does not count, and blanks, underscores and hyphens are one. */
static bool same_name(const char *a, const char *b) {
    for (; *a != '\0' && *b != '\0'; a++, b++) {
        bool gap_a = strchr(" _-", *a) != NULL, gap_b = strchr(" _-", *b) != NULL;
        if (gap_a != gap_b || (!gap_a && tolower((unsigned char)*a) != tolower((unsigned char)*b))) {
            return false;
        }
    }
    return *a == *b;
}

const iso_offer *iso_offer_find(const iso_collector *collector, const char *name) {
    for (const iso_offer *o = collector->levels; o->name != NULL; o++) {
        if (same_name(o->name, name)) {
            return o;
        }
    }
    return NULL;
}

static bool is_text(const iso_about *pair, const char *text) {
    return strlen(text) == pair->value_size && strncasecmp(pair->value, text, pair->value_size) == 0;
}

const iso_offer *iso_offer_recorded(const char *about, const iso_collector **collector) {
    const iso_offer *offer = NULL;
    *collector = NULL;
    for (iso_about a; iso_about_next(&about, &a);) {
        bool database = a.name_size == 8 && memcmp(a.name, "database", 8) == 0;
        bool level = a.name_size == 5 && memcmp(a.name, "level", 5) == 0 && *collector != NULL;
        for (size_t i = 0; database && *collector == NULL && iso_collectors[i] != NULL; i++) {
            bool named = is_text(&a, iso_collectors[i]->title) || is_text(&a, iso_collectors[i]->name);
            *collector = named ? iso_collectors[i] : NULL;
        }
        for (const iso_offer *o = level ? (*collector)->levels : NULL; o != NULL && o->name != NULL; o++) {
            offer = is_text(&a, o->name) ? o : offer;
        }
    }
    return offer;
}

const char *iso_collector_missing(const iso_collector *collector, char buffer[256]) {
    char why[256] = "";
    if (collector->open == NULL) {
        snprintf(buffer, 256,
                 "isolab was built without it: install %s (tools/install-deps.sh databases) and build again",
                 collector->package);
        return buffer;
    }
    if (collector->load != NULL && !collector->load(why)) {
        snprintf(buffer, 256, "install %s: %.160s", collector->package, why);
        return buffer;
    }
    return NULL;
}

void iso_cell_parse(iso_connection *c, iso_cell *cell, const char *text) {
    cell->n = 0;
    for (char *end; *text != '\0'; text = end) {
        int64_t value = strtoll(text, &end, 10);
        if (end == text) {
            return; /* not ours: the checker finds what is missing */
        }
        end += *end == ' ';
        iso_cell_add(c, cell, value);
    }
}

iso_did iso_because(iso_connection *c, iso_did did, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(c->why, sizeof c->why, format, list);
    va_end(list);
    for (char *p = c->why; *p != '\0'; p++) {
        *p = *p == '\n' || *p == '\r' ? ' ' : *p;
    }
    return did;
}

void iso_reach_port(const iso_database *db, unsigned port, const char *argv[ISO_REACH]) {
    argv[0] = "--port";
    argv[1] = iso_format_text(db->pool, "%u", port);
    argv[2] = NULL;
}
