/* Jepsen's histories, as Elle checks them: the part that EDN and JSON share (docs/formats-elle.md).
 *
 * A dialect splits the input into tokens (struct iso_elle_lexer); elle.c builds a history from them and elle_write.c
 * writes one (elle_reading.h). A token is valid until the next one is read. */
#ifndef ISOLAB_FORMATS_ELLE_H
#define ISOLAB_FORMATS_ELLE_H

#include "formats/json.h"
#include "formats/scan.h"

typedef enum {
    ELLE_END,
    ELLE_OPEN, /* a vector, list or array begins */
    ELLE_MAP,  /* a map or object: keys and values alternate */
    ELLE_SET,
    ELLE_CLOSE, /* of any of the three */
    ELLE_NIL,
    ELLE_INTEGER,
    ELLE_KEYWORD,
    ELLE_STRING, /* also a symbol of EDN */
    ELLE_OTHER   /* a number that is not a 64-bit integer, a boolean, or a character: legal, but not a value of a
                  * history */
} iso_elle_kind;

typedef struct iso_elle_token {
    iso_elle_kind kind;
    const unsigned char *at;
    iso_text text;    /* KEYWORD (without its colon) and STRING */
    iso_atom integer; /* INTEGER */
} iso_elle_token;

/* An open form around the cursor. The outermost frame is the input itself. */
typedef struct iso_elle_frame {
    const unsigned char *open;
    const unsigned char *tag; /* EDN: a tag that waits for its form */
    uint32_t discards;        /* EDN: number of forms that #_ still drops */
    unsigned char close;      /* the byte that ends it; 0: the end of the input */
    unsigned char state;      /* JSON: what may come next */
    bool odd;                 /* EDN: a map's key has no value yet */
    bool discarded;           /* EDN: the whole frame is dropped */
} iso_elle_frame;

typedef struct iso_elle_lexer {
    iso_scan s;
    iso_elle_frame *frame;
    uint32_t depth, room; /* frame[depth] is the innermost one */
    uint32_t hidden;      /* EDN: number of open frames that are dropped */
    void (*next)(struct iso_elle_lexer *lexer, iso_elle_token *token);
} iso_elle_lexer;

void iso_elle_lexer_init(iso_elle_lexer *l, const iso_source *source, void (*next)(iso_elle_lexer *, iso_elle_token *));
void iso_elle_push(iso_elle_lexer *l, unsigned char close); /* at the cursor, which does not move */

void iso_elle_next_edn(iso_elle_lexer *l, iso_elle_token *t);

/* What a reader is told about a log. */
enum {
    ISO_ELLE_OBSERVES = 1, /* of registers, a compare-and-set that failed says that the value was another one */
    ISO_ELLE_REGISTERS = 2 /* it is of registers, although no call may show that */
};

/* Reads a whole history. */
isolab_history *iso_elle_read(iso_source *source, void (*next)(iso_elle_lexer *, iso_elle_token *), unsigned told);

typedef enum { ISO_ELLE_EDN, ISO_ELLE_JSON, ISO_ELLE_CALLS } iso_elle_form;
void iso_elle_survey(const isolab_history *h, iso_losses *losses, iso_elle_form form);
void iso_elle_write(const isolab_history *h, iso_sink *sink, iso_elle_form form);
/* Returns whether a log of registers can hold the transaction: as one call that did not fail. */
bool iso_elle_is_call(const isolab_history *h, uint32_t txn);

#endif
