/* A cursor over the bytes of a text input, with errors that name line and byte offset.
 *
 * Zero bytes follow the input (iso_source), so reading *at is always allowed; a zero byte before the end is malformed
 * like any other unexpected byte. Lines are counted only when an error needs its line, so scanning has no cost for
 * them. */
#ifndef ISOLAB_FORMATS_SCAN_H
#define ISOLAB_FORMATS_SCAN_H

#include "base/utf8.h"
#include "formats/format.h"

typedef struct iso_scan {
    iso_pool *pool;
    const unsigned char *first, *at, *end;
    bool one_line; /* json.h: the end of a line is not space */
    char *text;    /* buffer for decoded strings, reused */
    size_t text_room;
} iso_scan;

void iso_scan_init(iso_scan *s, const iso_source *source);

/* Throws an error about a place of the input. */
_Noreturn void iso_scan_fail(const iso_scan *s, const unsigned char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Throws "expected WHAT, found" and a description of the place. */
_Noreturn void iso_scan_expected(const iso_scan *s, const unsigned char *at, const char *what);

/* Writes what is at a place, for people: the end, a word, a text in quotes, or one character. */
#define ISO_FOUND_SIZE 64
const char *iso_scan_found(const unsigned char *at, const unsigned char *end, char out[ISO_FOUND_SIZE]);
/* Throws if a fraction, a boolean or a value of several parts is where an integer or a string may be, and says what to
 * write instead. */
void iso_scan_no_other(const iso_scan *s, const char *what);

/* Reads an integer in its decimal form (no plus, no leading zero, no -0) between INT64_MIN and UINT64_MAX, which must
 * not be followed by a letter, a point or a digit. */
iso_atom iso_scan_integer(iso_scan *s, const char *what);
int64_t iso_scan_signed(iso_scan *s, const char *what); /* the same between INT64_MIN and INT64_MAX */
/* The same between INT64_MIN + 1 and INT64_MAX, for a time. */
int64_t iso_scan_instant(iso_scan *s);

/* Sets both times of a transaction that begins at a place of the input. It is an error if it ends before it starts. */
void iso_scan_times(const iso_scan *s, const unsigned char *at, iso_builder *b, uint32_t txn, int64_t start,
                    int64_t end);

static inline bool iso_is_space(unsigned char c) { return c == ' ' || c == '\t'; }
static inline bool iso_is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

/* Write without locks: an integer atom in decimal, and a text. */
void iso_put_integer(FILE *out, iso_atom integer);
void iso_put_text(FILE *out, const char *text);

#endif
