/* Logs of strings (elle_strings.c): the calls of a key, their texts as a tree, and how a text is spelled
 * (elle_spell.c). */
#ifndef ISOLAB_FORMATS_ELLE_STRINGS_H
#define ISOLAB_FORMATS_ELLE_STRINGS_H

#include "formats/elle_reading.h"

enum { UNKNOWN, NOTHING, PUT, APPEND }; /* how a past ends */

typedef struct elle_past {
    uint32_t call; /* its last append; or the last put in the log of the text that it consists of */
    uint8_t kind;
} elle_past;

typedef struct string_call {
    size_t text, length; /* of a get: its result */
    iso_atom value;      /* of an append: what it writes */
    elle_past past;      /* of a get: its own; of an append: what is before it */
    uint32_t after;      /* of a put or append: the append after it in the past of a get; ISO_NONE: none is known */
    uint32_t prefix;     /* of a put or append: its text */
    uint32_t place;      /* of a put or append: in its row */
    uint32_t key;
    uint32_t start, end, gone; /* events; gone: the end of the first put that surely overwrote it; ISO_NONE: none */
    uint8_t f;
    bool counts; /* it did not fail, and the result of a get is known */
    bool met;    /* in the text that is looked at */
} string_call;

/* Calls of one text, in the order in which they began: places [first, end) of rows. */
typedef struct text_row {
    uint32_t first, end;
} text_row;

/* The end of some beginnings of the texts of a key. */
typedef struct prefix {
    uint32_t parent;
    text_row put, append; /* the calls with this text */
    unsigned char byte;
} prefix;

/* A place of a row. Places that cannot matter are passed over: alive and free lead to the end of the places before the
 * next one that can, and are this place's own end if it can itself. */
typedef struct place {
    uint32_t call;
    uint32_t alive; /* can: a get that is still to come in this round may see it */
    uint32_t free;  /* the same, and it is not known to be the only append after some past */
} place;

/* How the beginning of a text is spelled. */
typedef struct spelling {
    size_t from;    /* where its last part begins */
    elle_past past; /* that this part makes */
    uint8_t ways;   /* up to 2 */
} spelling;

struct elle_strings {
    string_call *call; /* by pair */
    char *text;
    size_t n_text, text_room;
    prefix *prefix;
    uint32_t n_prefixes, prefixes_room;
    place *place;
    uint32_t n_places, places_room;
    iso_index by_step; /* of prefixes, by parent and byte */
    iso_index by_text; /* of gets whose text is the value of their past */
    spelling *spelling;
    size_t spelling_room;
    uint32_t first; /* of a key: the append after nothing */
    bool emptied;   /* a key: by a put of "" */
};

/* Makes the tree and the rows of the texts of a key, whose n calls are in the order in which they began. Returns its
 * root. */
uint32_t iso_elle_texts(elle_reading *r, const uint32_t *call, uint32_t n);

/* Returns the prefix that is the whole text; ISO_NONE: no text begins like this. */
uint32_t iso_elle_find_text(const elle_strings *s, uint32_t root, const string_call *c);

/* Gets are spelled in rounds, in the order in which they began. */
void iso_elle_begin_round(elle_reading *r);

/* Finds how the text of a get is spelled. Only its first part may be a put. Returns the number of ways, up to 2. */
unsigned iso_elle_spell(elle_reading *r, uint32_t root, const string_call *get);

/* After a spelling in one way: returns whether some append is in it twice. */
bool iso_elle_repeats(elle_reading *r, const string_call *get);

/* Otherwise: keeps what the past of the get says about its appends. */
void iso_elle_learn(elle_reading *r, string_call *get);

#endif
