/* See pdf.h.
 *
 * The page is drawn in the pixels of the layout, y downwards: the first matrix of its content turns them into points.
 * The fonts belong to every reader of PDF, and they have the characters of Latin-1. Another character is drawn as a
 * question mark, and the whole text is attached to it, so that searching and copying find what the history has.
 *
 * Every text is a string of hexadecimal digits, so nothing in a name can end it. Arrows differ in form as those of
 * svg.h. */
#include "explain/pdf.h"

#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "base/utf8.h"
#include "explain/caption.h"

enum { CATALOG = 1, PAGES, PAGE, PLAIN, BOLD, CONTENT, ABOUT, OBJECTS };

/* A page of PDF 1.4 has at most 14400 points in each direction. */
static const double MOST = 14400, POINTS = 0.75;

typedef struct pdf {
    iso_printer page; /* the content of the page */
    iso_printer file;
    size_t object[OBJECTS]; /* where they begin */
} pdf;

typedef struct ink {
    const char *stroke; /* red, green, blue */
    const char *dash;
    bool hollow; /* its arrowhead is not filled */
} ink;

#define SOFT "0.36 0.4 0.46"
static const ink of_kind[ISO_EDGE_KINDS] = {[ISO_EDGE_SO] = {SOFT, "[]", false},
                                            [ISO_EDGE_WR] = {"0.09 0.35 0.71", "[]", false},
                                            [ISO_EDGE_RT] = {"0.42 0.18 0.63", "[2 4]", false},
                                            [ISO_EDGE_AXIOM] = {"0.63 0.13 0.37", "[9 3 2 3]", true},
                                            [ISO_EDGE_RW] = {"0.7 0.15 0.12", "[7 4]", true},
                                            [ISO_EDGE_WW] = {"0.54 0.29 0", "[]", false},
                                            [ISO_EDGE_LIST] = {"0.63 0.13 0.37", "[9 3 2 3]", true}};

/* ---- text ---- */

static bool has_glyph(uint32_t number) { return number < 0x7f || (number >= 0xa0 && number <= 0xff); }

/* Prints the first n bytes of a text in UTF-16, as PDF has the words of a document. */
static void words(iso_printer *out, const char *text, size_t n) {
    const unsigned char *at = (const unsigned char *)text, *end = at + n;
    iso_print(out, "<FEFF");
    while (at < end) {
        unsigned size = iso_utf8_length(at, end);
        uint32_t number = size == 0 ? 0xfffd : iso_utf8_number(at, size);
        if (number >= 0x10000) {
            iso_print(out, "%04X%04X", 0xd800 + ((number - 0x10000) >> 10), 0xdc00 + ((number - 0x10000) & 0x3ff));
        } else {
            iso_print(out, "%04X", number);
        }
        at += size == 0 ? 1 : size;
    }
    iso_print(out, ">");
}

/* Draws the first n bytes of a text that is shown as it is (base/utf8.h). */
static void write_text(pdf *d, int x, int y, int font, int size, const char *text, size_t n) {
    const unsigned char *at = (const unsigned char *)text, *end = at + strnlen(text, n);
    bool complete = true;
    for (const unsigned char *p = at; p < end;) {
        unsigned bytes = iso_utf8_length(p, end);
        complete &= bytes != 0 && has_glyph(iso_utf8_number(p, bytes));
        p += bytes == 0 ? 1 : bytes;
    }
    if (!complete) {
        iso_print(&d->page, "/Span <</ActualText ");
        words(&d->page, text, (size_t)(end - at));
        iso_print(&d->page, ">> BDC\n");
    }
    iso_print(&d->page, "BT /F%d %d Tf 1 0 0 -1 %d %d Tm <", font, size, x, y);
    while (at < end) {
        unsigned bytes = iso_utf8_length(at, end);
        uint32_t number = bytes == 0 ? 0 : iso_utf8_number(at, bytes);
        iso_print(&d->page, "%02X", bytes != 0 && has_glyph(number) ? number : '?');
        at += bytes == 0 ? 1 : bytes;
    }
    iso_print(&d->page, "> Tj ET\n");
    if (!complete) {
        iso_print(&d->page, "EMC\n");
    }
}

static void show_text(pdf *d, int x, int y, int font, const char *text) {
    char shown[2 * ISO_SENTENCE_SIZE];
    iso_utf8_shown(shown, sizeof shown, text);
    write_text(d, x, y, font, 12, shown, SIZE_MAX);
}

/* ---- the picture ---- */

static void set_fill(pdf *d, const char *colour) { iso_print(&d->page, "%s rg\n", colour); }

static void rectangle(pdf *d, int x, int y, int width, int height, const char *paint) {
    iso_print(&d->page, "%d %d %d %d re %s\n", x, y, width, height, paint);
}

static void path(pdf *d, const iso_route *r) {
    iso_print(&d->page, "%d %d m ", r->x[0], r->y[0]);
    if (r->down) {
        iso_print(&d->page, "%d %d l S\n", r->x[0], r->y[1] - 8);
    } else if (r->up) {
        iso_print(&d->page, "%d %d l %d %d l S\n", r->x[1], r->y[0], r->x[1], r->y[1] + 8);
    } else {
        int end = r->x[1] > r->x[2] ? r->x[2] + 8 : r->x[2] - 8;
        iso_print(&d->page, "%d %d l %d %d l %d %d l S\n", r->x[1], r->y[0], r->x[1], r->y[1], end, r->y[1]);
    }
}

static void head(pdf *d, const iso_route *r, bool hollow) {
    int x = r->x[2], y = r->y[1], side = r->x[1] > x ? 10 : -10;
    if (r->down || r->up) {
        int back = r->down ? -10 : 10;
        iso_print(&d->page, "%d %d m %d %d l %d %d l h ", x, y, x - 5, y + back, x + 5, y + back);
    } else {
        iso_print(&d->page, "%d %d m %d %d l %d %d l h ", x, y, x + side, y - 5, x + side, y + 5);
    }
    iso_print(&d->page, "%s\n", hollow ? "B" : "f");
}

static void arrow(pdf *d, const iso_layout *l, uint32_t i) {
    const iso_arrow *a = &l->p->arrow[i];
    const iso_route *r = &l->route[i];
    const ink *k = &of_kind[a->kind];
    char label[ISO_LABEL_SIZE];
    bool twice = a->kind == ISO_EDGE_WW;
    iso_print(&d->page, "q %s RG %s 0 d %s w\n", k->stroke, k->dash, twice ? "4.8" : a->in_cycle ? "2.4" : "1.8");
    path(d, r);
    if (twice) {
        iso_print(&d->page, "1 1 1 RG 1.6 w\n");
        path(d, r);
    }
    iso_print(&d->page, "%s RG [] 0 d 1.4 w\n", k->stroke);
    set_fill(d, k->hollow ? "1 1 1" : k->stroke);
    head(d, r, k->hollow);
    int width = (int)strlen(iso_arrow_label(a, label)) * 7 + 8;
    set_fill(d, "1 1 1");
    rectangle(d, r->x[1] - width / 2, r->label - 8, width, 16, "B");
    set_fill(d, "0.11 0.14 0.19");
    write_text(d, r->x[1] - (int)strlen(label) * 33 / 10, r->label + 4, PLAIN, 11, label, SIZE_MAX);
    iso_print(&d->page, "Q\n");
}

static void box(pdf *d, const iso_layout *l, uint32_t i) {
    const iso_picture *p = l->p;
    const iso_box *b = &l->box[i];
    char text[1024], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    bool txn = b->txn < p->h->n_txns, excluded = txn && p->h->txn_counts[b->txn] != ISO_INCLUDED;
    iso_print(&d->page, "q 1.2 w 0.11 0.14 0.19 RG %s 0 d\n", excluded ? "[5 4]" : "[]");
    set_fill(d, "1 1 1");
    rectangle(d, b->x, b->y, b->width, b->height, "B");
    rectangle(d, b->x, b->y, b->width, b->height, "W n"); /* a longer text is cut */
    set_fill(d, "0.89 0.92 0.96");
    rectangle(d, b->x + 1, b->y + 1, b->width - 2, 2 * ISO_ROW - 2, "f");
    set_fill(d, "0.11 0.14 0.19");
    show_text(d, b->x + 8, b->y + 16, BOLD,
              txn ? iso_word_txn(p->h, b->txn, name) : "the initial state: every key is nil");
    set_fill(d, SOFT);
    show_text(d, b->x + 8, b->y + 32, PLAIN, iso_layout_place(l, b->txn, place));
    for (uint32_t o = 0; txn && o < p->n_ops; o++) {
        if (p->h->op_txn[p->op[o]] != b->txn) {
            continue;
        }
        int y = iso_layout_row(l, b, p->op[o]);
        if (p->wrong[o]) {
            set_fill(d, "0.99 0.87 0.84");
            rectangle(d, b->x + 3, y - 10, b->width - 6, ISO_ROW, "f");
        }
        set_fill(d, "0.11 0.14 0.19");
        write_text(d, b->x + 8, y + 4, PLAIN, 12, p->wrong[o] ? "!" : " ", SIZE_MAX);
        iso_layout_op(l, p->op[o], text, sizeof text); /* shown as it is */
        write_text(d, b->x + 22, y + 4, p->wrong[o] ? BOLD : PLAIN, 12, text, SIZE_MAX);
    }
    iso_print(&d->page, "Q\n");
}

static void caption_line(void *arg, int x, int y, const char *text, int n) {
    write_text(arg, x, y, PLAIN, 12, text, (size_t)n);
}

static void draw(pdf *d, const iso_layout *l, const iso_result *result) {
    const iso_picture *p = l->p;
    char name[ISO_NAME_SIZE], text[ISO_NAME_SIZE + 16];
    for (uint32_t i = 0; i < p->n_lanes; i++) {
        iso_print(&d->page, "q 0.79 0.82 0.85 RG 1 w\n");
        set_fill(d, "0.96 0.96 0.98");
        rectangle(d, l->lane_x[i] - 8, 4, l->lane_width + 16, l->height - 8, "B");
        rectangle(d, l->lane_x[i] - 8, 4, l->lane_width + 16, l->height - 8, "W n");
        set_fill(d, SOFT);
        snprintf(text, sizeof text, "session %.60s", iso_word_session(p->h, p->lane[i], name));
        show_text(d, l->lane_x[i] + 4, 24, BOLD, text);
        iso_print(&d->page, "Q\n");
    }
    for (uint32_t i = 0; i < p->n_txns; i++) {
        box(d, l, i);
    }
    for (uint32_t i = 0; i < p->n_arrows; i++) {
        arrow(d, l, i);
    }
    set_fill(d, "0.11 0.14 0.19");
    iso_caption(l, result, caption_line, d);
}

/* ---- the file ---- */

static iso_printer *object(pdf *d, int number) {
    d->object[number] = d->file.size;
    iso_print(&d->file, "%d 0 obj\n", number);
    return &d->file;
}

static void fonts(pdf *d) {
    static const char *const name[] = {"Courier", "Courier-Bold"};
    for (int i = 0; i < 2; i++) {
        iso_print(object(d, PLAIN + i),
                  "<</Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding>>\nendobj\n", name[i]);
    }
}

/* Prints where the objects begin. */
static void table(pdf *d) {
    size_t at = d->file.size;
    iso_print(&d->file, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS);
    for (int i = CATALOG; i < OBJECTS; i++) {
        iso_print(&d->file, "%010zu 00000 n \n", d->object[i]);
    }
    iso_print(&d->file, "trailer\n<</Size %d /Root %d 0 R /Info %d 0 R>>\nstartxref\n%zu\n%%%%EOF\n", OBJECTS, CATALOG,
              ABOUT, at);
}

void iso_picture_pdf(FILE *out, iso_pool *pool, iso_picture *p, const iso_result *result) {
    char title[256];
    pdf d = {.page = {.pool = pool}, .file = {.pool = pool}};
    iso_layout *l = iso_layout_make(pool, p);
    int width = iso_caption_width(l), height = iso_caption(l, result, NULL, NULL);
    double longer = width > height ? width : height, scale = longer * POINTS > MOST ? MOST / longer : POINTS;
    iso_print(&d.page, "%.6f 0 0 %.6f 0 %.3f cm\n", scale, -scale, height * scale);
    draw(&d, l, result);
    iso_print(&d.file, "%%PDF-1.4\n");
    iso_print(object(&d, CATALOG), "<</Type /Catalog /Pages %d 0 R /Lang <656E>>>\nendobj\n", PAGES);
    iso_print(object(&d, PAGES), "<</Type /Pages /Kids [%d 0 R] /Count 1>>\nendobj\n", PAGE);
    iso_print(object(&d, PAGE),
              "<</Type /Page /Parent %d 0 R /MediaBox [0 0 %.3f %.3f] /Contents %d 0 R\n"
              "/Resources <</Font <</F%d %d 0 R /F%d %d 0 R>>>>>>\nendobj\n",
              PAGES, width * scale, height * scale, CONTENT, PLAIN, PLAIN, BOLD, BOLD);
    fonts(&d);
    iso_print(object(&d, CONTENT), "<</Length %zu>>\nstream\n", d.page.size);
    iso_print_markup(&d.file, iso_printed_markup(&d.page));
    iso_print(&d.file, "\nendstream\nendobj\n");
    iso_picture_title(p, title, sizeof title);
    iso_print(object(&d, ABOUT), "<</Title ");
    words(&d.file, title, strlen(title));
    iso_print(&d.file, " /Producer <69736F6C6162>>>\nendobj\n");
    table(&d);
    iso_file_bytes(out, d.file.text, d.file.size);
}
