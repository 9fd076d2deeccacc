/* Quick readers for the usual form of Jepsen's EDN, which is the form that programs print:
 *
 *     #jepsen.history.Op{:index 4, :time 12, :type :ok, :process 3, :f :txn, :value [[:append 1 2] [:r 4 [2 7]]]}
 *
 * Each reads one map, or one operation of a value, at the cursor. If anything in it is unusual (comments, escapes,
 * floats, a wrong bracket, one field twice, ...) the answer is no, and nothing has changed: the reader of all of EDN
 * then reads the same bytes, and finds what is wrong with them, if anything is. So whether a quick reader answers
 * decides only the time. formats_elle.c of the tests compares histories and errors with and without these readers.
 *
 * No test for the end of the input is needed: zero bytes follow it, and a zero byte is unusual. */
#include "formats/digits.h"
#include "formats/elle_reading.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define UNUSUAL NULL

/* ---- pieces: each returns where the rest begins ---- */

static inline const unsigned char *after_space(const unsigned char *p) {
    while (*p == ' ' || *p == ',' || *p == '\n' || *p == '\r' || *p == '\t') {
        p++;
    }
    return p;
}

/* The usual bytes after a token. */
static inline bool ends_token(unsigned char c) {
    return c == ' ' || c == ']' || c == ',' || c == '}' || c == '\n' || c == '\r' || c == '[';
}

/* The usual bytes of a word: they can be at any place of a symbol, and after the colon of a keyword. */
static inline bool in_word(unsigned char c) {
    return iso_is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '-' || c == '_' || c == '.' || c == '/';
}

static const unsigned char *skip_word(const unsigned char *p) {
    while (in_word(*p)) {
        p++;
    }
    return p;
}

#if ISO_DIGITS

/* Reads an integer of 1 to 18 digits without sign. */
static inline const unsigned char *read_integer(const unsigned char *p, int64_t *n) {
    unsigned digits = iso_digits_count(p);
    if (digits == 0 || (*p == '0' && digits > 1)) {
        return UNUSUAL;
    }
    if (digits == 8) {
        digits += iso_digits_count(p + 8);
        digits += digits == 16 ? iso_digits_count(p + 16) : 0;
        if (digits > 18) {
            return UNUSUAL;
        }
    }
    *n = (int64_t)iso_digits_number(p, digits);
    return ends_token(p[digits]) ? p + digits : UNUSUAL;
}

#else

static inline const unsigned char *read_integer(const unsigned char *p, int64_t *n) {
    const unsigned char *first = p;
    for (*n = 0; iso_is_digit(*p) && p - first < 18; p++) {
        *n = 10 * *n + (*p - '0');
    }
    return p > first && (*first != '0' || p - first == 1) && ends_token(*p) ? p : UNUSUAL;
}

#endif

static inline bool is_nil(const unsigned char *p) {
    return p[0] == 'n' && p[1] == 'i' && p[2] == 'l' && ends_token(p[3]);
}

#if defined(__SSE2__) && ISO_DIGITS

/* 16 bytes of a vector; a bit for each byte. */
typedef struct block {
    unsigned opens, closes, colons, letters; /* of its brackets, of ':', of letters (and others that follow a colon) */
    unsigned strange; /* of bytes that are not always legal there, and of others that are too rare to ask */
} block;

static inline block classify_bytes(const unsigned char *p) {
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p), even = _mm_and_si128(x, _mm_set1_epi8((char)0xfe));
    __m128i quote = _mm_cmpeq_epi8(even, _mm_set1_epi8('"')), parenthesis = _mm_cmpeq_epi8(even, _mm_set1_epi8('('));
    __m128i comment = _mm_cmpeq_epi8(x, _mm_set1_epi8(';')), backslash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(' ')), high = _mm_cmpgt_epi8(x, _mm_set1_epi8('z'));
    __m128i strange = _mm_or_si128(_mm_or_si128(_mm_or_si128(quote, parenthesis), _mm_or_si128(comment, backslash)),
                                   _mm_or_si128(low, high)); /* quote: also '#'; low: also bytes that are not ASCII */
    return (block){(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('['))),
                   (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(']'))),
                   (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(':'))),
                   (unsigned)_mm_movemask_epi8(_mm_cmpgt_epi8(x, _mm_set1_epi8('^'))),
                   (unsigned)_mm_movemask_epi8(strange)};
}

/* Skips a vector, whose content may be vectors, numbers, symbols and keywords. */
static const unsigned char *skip_vector(const unsigned char *p) {
    unsigned depth = 0, colon = 0; /* colon: the last byte of the previous block is one */
    for (;; p += 16) {
        block b = classify_bytes(p);
        unsigned after_colon = b.colons << 1 | colon, end = 16;
        for (unsigned brackets = b.opens | b.closes; brackets != 0; brackets &= brackets - 1) {
            unsigned lowest = brackets & (0 - brackets);
            depth += (b.opens & lowest) != 0 ? 1u : 0u - 1;
            if (depth == 0) {
                end = (unsigned)__builtin_ctz(lowest) + 1;
                break;
            }
        }
        if (((b.strange | (after_colon & ~b.letters)) & ((1u << end) - 1)) != 0) {
            return UNUSUAL;
        }
        if (depth == 0) {
            return p + end;
        }
        colon = b.colons >> 15;
    }
}

#else

static const unsigned char *skip_vector(const unsigned char *p) {
    unsigned depth = 0;
    do {
        bool colon = *p == ':';
        if (!in_word(*p) && *p != ' ' && *p != ',' && *p != '[' && *p != ']' && !colon) {
            return UNUSUAL;
        }
        depth += (*p == '[') - (*p == ']');
        p++;
        if (colon && !in_word(*p)) {
            return UNUSUAL;
        }
    } while (depth > 0);
    return p;
}

#endif

/* Skips nil, a number, a word, a keyword, or a string without escapes. */
static const unsigned char *skip_scalar(const unsigned char *p) {
    if (*p == '"') {
        do {
            p++;
        } while (*p >= ' ' && *p != '"' && *p != '\\');
        return *p == '"' && ends_token(p[1]) ? p + 1 : UNUSUAL;
    }
    p += *p == ':';
    const unsigned char *end = skip_word(p);
    return end > p && ends_token(*end) ? end : UNUSUAL;
}

/* ---- events ---- */

typedef struct quick_map {
    elle_event event;
    int64_t process;
    unsigned seen; /* bit by field */
} quick_map;

/* Returns whether the n bytes at p are those of a word; its length is n. */
#define IS(p, word) (memcmp((p), (word), sizeof(word) - 1) == 0)

static const unsigned char *read_type(const unsigned char *p, elle_event *e) {
    unsigned length;
    if (IS(p, ":ok")) {
        e->type = ELLE_OK;
        length = 3;
    } else if (IS(p, ":invoke")) {
        e->type = ELLE_INVOKE;
        length = 7;
    } else if (IS(p, ":fail") || IS(p, ":info")) {
        e->type = p[1] == 'f' ? ELLE_FAIL : ELLE_INFO;
        length = 5;
    } else {
        return UNUSUAL;
    }
    return ends_token(p[length]) ? p + length : UNUSUAL;
}

static const unsigned char *read_f(const unsigned char *p, elle_event *e) {
    if (IS(p, ":txn") && ends_token(p[4])) {
        e->f = ELLE_F_TXN;
        return p + 4;
    }
    const unsigned char *end = *p == ':' ? skip_word(p + 1) : p;
    e->f = end > p ? iso_elle_known_f((iso_text){(const char *)p + 1, (size_t)(end - p - 1)}) : ELLE_F_NONE;
    return e->f != ELLE_F_NONE && ends_token(*end) ? end : UNUSUAL;
}

/* Skips nil, an integer or a keyword. */
static const unsigned char *skip_plain(const unsigned char *p) {
    int64_t n;
    return is_nil(p) ? p + 3 : *p == ':' ? skip_scalar(p) : read_integer(p, &n);
}

static const unsigned char *read_value(const unsigned char *p, elle_event *e) {
    e->value = p;
    if (is_nil(p)) {
        e->value = NULL;
        e->shape = ELLE_SHAPE_NIL;
        return p + 3;
    }
    if (*p != '[') {
        e->shape = ELLE_SHAPE_ONE;
        return skip_scalar(p);
    }
    const unsigned char *first = after_space(p + 1);
    if (*first == '[' || *first == ']') {
        e->shape = ELLE_SHAPE_OTHER;
        return skip_vector(p);
    }
    e->shape = ELLE_SHAPE_PAIR;
    const unsigned char *end = skip_plain(first);
    end = end != UNUSUAL ? skip_plain(after_space(end)) : UNUSUAL;
    return end != UNUSUAL && *end == ']' ? end + 1 : UNUSUAL;
}

/* Reads an integer of 64 bits with its usual sign, or nil. */
static const unsigned char *read_number(const unsigned char *p, int64_t *n) {
    bool negative = *p == '-';
    if (!negative && is_nil(p)) {
        *n = ELLE_NO_NUMBER;
        return p + 3;
    }
    int64_t size = 0;
    p = read_integer(p + negative, &size);
    *n = negative ? -size : size;
    return p;
}

/* Skips a field whose name is not known. */
static const unsigned char *skip_field(const unsigned char *name) {
    const unsigned char *end = skip_word(name);
    iso_text text = {(const char *)name, (size_t)(end - name)};
    if (end == name || *end != ' ' || iso_elle_find(text, iso_elle_fields, ELLE_FIELDS) < ELLE_FIELDS) {
        return UNUSUAL;
    }
    const unsigned char *p = after_space(end);
    return *p == '[' ? skip_vector(p) : skip_scalar(p);
}

/* Reads a field, from the end of its colon. */
static const unsigned char *read_field(const unsigned char *p, quick_map *m) {
    elle_event *e = &m->event;
    unsigned field;
    if (IS(p, "index ")) {
        field = ELLE_FIELD_INDEX;
        p = read_number(p + 6, &e->index);
    } else if (IS(p, "time ")) {
        field = ELLE_FIELD_TIME;
        p = read_number(p + 5, &e->time);
        e->time = e->time == -1 ? ELLE_NO_NUMBER : e->time;
    } else if (IS(p, "type ")) {
        field = ELLE_FIELD_TYPE;
        p = read_type(p + 5, e);
    } else if (IS(p, "process ")) {
        field = ELLE_FIELD_PROCESS;
        p = read_integer(p + 8, &m->process);
    } else if (IS(p, "f ")) {
        field = ELLE_FIELD_F;
        p = read_f(p + 2, e);
    } else if (IS(p, "value ")) {
        field = ELLE_FIELD_VALUE;
        p = read_value(p + 6, e);
    } else {
        return skip_field(p);
    }
    bool twice = m->seen >> field & 1;
    m->seen |= 1u << field;
    return twice ? UNUSUAL : p;
}

bool iso_elle_quick_event(elle_reading *r) {
    const unsigned char *p = after_space(r->l.s.at);
    if (*p == '#' && (p[1] | 0x20) >= 'a' && (p[1] | 0x20) <= 'z') { /* a record */
        p = skip_word(p + 1);
    }
    if (*p != '{') {
        return false;
    }
    quick_map m = {.event = {.at = p, .time = ELLE_NO_NUMBER, .index = ELLE_NO_NUMBER, .process = ISO_NONE}};
    for (p = after_space(p + 1); *p != '}'; p = after_space(p)) {
        p = *p == ':' ? read_field(p + 1, &m) : UNUSUAL;
        if (p == UNUSUAL) {
            return false;
        }
    }
    if (!(m.seen >> ELLE_FIELD_TYPE & 1)) {
        return false;
    }
    if (m.seen >> ELLE_FIELD_PROCESS & 1) {
        m.event.process = iso_elle_process(r, iso_atom_int(m.process));
    }
    r->has_time |= m.seen >> ELLE_FIELD_TIME & 1;
    r->l.s.at = p + 1;
    iso_elle_add_event(r, &m.event);
    return true;
}

/* ---- operations ---- */

/* Reads an integer or a keyword. */
static inline const unsigned char *read_atom(elle_reading *r, const unsigned char *p, iso_atom *atom) {
    if (*p != ':') {
        int64_t n = 0;
        p = read_integer(p, &n);
        *atom = iso_atom_int(n);
        return p;
    }
    const unsigned char *end = skip_word(p + 1);
    if (end == p + 1 || !ends_token(*end)) {
        return UNUSUAL;
    }
    *atom = iso_builder_string(r->b, (const char *)p, (size_t)(end - p));
    return end;
}

/* Reads the elements of a list, from the end of its '[' to its end. */
static const unsigned char *read_elements(elle_reading *r, const unsigned char *p, size_t *n) {
    for (*n = 0; *(p = after_space(p)) != ']'; ++*n) {
        ISO_GROW(r->pool, r->element, *n, r->elements_room);
        p = read_atom(r, p, &r->element[*n]);
        if (p == UNUSUAL) {
            return UNUSUAL;
        }
    }
    return p + 1;
}

/* Reads the rest of a read: what it returned, and the end of the operation. */
static bool finish_read(elle_reading *r, const elle_knowledge *of, const unsigned char *from, const unsigned char *p,
                        iso_atom key_name) {
    bool list = *p == '[', nil = is_nil(p);
    iso_atom value = iso_atom_nil();
    size_t n = 0;
    p = list ? read_elements(r, p + 1, &n) : nil ? p + 3 : read_atom(r, p, &value);
    if (p == UNUSUAL || *p != ']') {
        return false;
    }
    uint32_t key = iso_builder_key(r->b, key_name);
    if (!nil) {
        iso_elle_use_key(r, key, from, list ? ISO_APPEND : ISO_WRITE);
    }
    if (list && of->reads) {
        iso_builder_list_read(r->b, of->txn, key, r->element, n);
    } else if (!list && (nil ? of->nils : of->reads)) {
        iso_builder_op(r->b, of->txn, ISO_READ, key, value);
    }
    r->l.s.at = p + 1;
    return true;
}

bool iso_elle_quick_operation(elle_reading *r, const elle_knowledge *of) {
    const unsigned char *from = after_space(r->l.s.at), *p = from;
    if (p[0] != '[' || p[1] != ':') {
        return false;
    }
    bool append = IS(p + 2, "append "), read = IS(p + 2, "r ");
    if (!append && !read && !IS(p + 2, "w ")) {
        return false;
    }
    iso_atom key_name, value;
    p = read_atom(r, p + (append ? 9 : 4), &key_name);
    if (p == UNUSUAL || *p != ' ') {
        return false;
    }
    if (read) {
        return finish_read(r, of, from, p + 1, key_name);
    }
    p = read_atom(r, p + 1, &value);
    if (p == UNUSUAL || *p != ']') {
        return false;
    }
    uint32_t key = iso_builder_key(r->b, key_name);
    iso_op_kind kind = append ? ISO_APPEND : ISO_WRITE;
    iso_elle_use_key(r, key, from, kind);
    iso_builder_op(r->b, of->txn, kind, key, value);
    r->l.s.at = p + 1;
    return true;
}
