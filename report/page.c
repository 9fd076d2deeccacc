/* See page.h. */
#include "report/page.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "explain/svg.h"

/* Makes a file of the tree a text of the program. */
#define TEXT_OF(name, file)                                                                                            \
    __asm__(".pushsection .rodata\n.global " #name "\n" #name ":\n.incbin \"" file "\"\n.byte 0\n.popsection\n");      \
    extern const char name[]

TEXT_OF(iso_page_js, "report/page.js");
TEXT_OF(iso_page_css, "report/page.css");

void iso_page_base64(iso_printer *page, const void *data, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *byte = data;
    for (size_t i = 0; i < n; i += 3) {
        unsigned three = (unsigned)byte[i] << 16 | (i + 1 < n ? byte[i + 1] : 0U) << 8 | (i + 2 < n ? byte[i + 2] : 0U);
        char four[] = {digits[three >> 18], digits[three >> 12 & 63], i + 1 < n ? digits[three >> 6 & 63] : '=',
                       i + 2 < n ? digits[three & 63] : '=', '\0'};
        iso_print(page, "%s", four);
    }
}

static void print_hash(iso_printer *page, const char *text) {
    iso_sha256 sha;
    char hex[65];
    unsigned char byte[32];
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, text, strlen(text));
    iso_sha256_hex(&sha, hex);
    for (int i = 0; i < 32; i++) {
        unsigned value = 0;
        sscanf(hex + (size_t)2 * (size_t)i, "%2x", &value);
        byte[i] = (unsigned char)value;
    }
    iso_page_base64(page, byte, sizeof byte);
}

void iso_page_begin(iso_printer *page, const char *title, const iso_page_link *links) {
    iso_print(page,
              "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
              "'unsafe-inline'; script-src 'sha256-");
    print_hash(page, iso_page_js);
    iso_print(page,
              "'; base-uri 'none'; form-action 'none'\">"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
              "<title>isolab: %s</title><style>\n",
              title);
    iso_svg_style(page, false);
    iso_print_markup(page, (iso_markup){iso_page_css});
    iso_print(page, "</style></head><body>\n<nav class=\"top\">");
    for (; links != NULL && links->id != NULL; links++) {
        iso_print(page, "<a href=\"#%s\">%s</a>", links->id, links->text);
    }
    iso_print(page, "<button id=\"theme\" hidden></button></nav>\n");
}

void iso_page_end(iso_printer *page) {
    iso_print(page, "<script>");
    iso_print_markup(page, (iso_markup){iso_page_js});
    iso_print(page, "</script>\n</body></html>\n");
}
