/* See page.h. */
#include "cli/page.h"

#include <stdio.h>
#include <string.h>

#include "base/sha256.h"
#include "explain/svg.h"

/* Makes a file of the tree a text of the program. */
#define TEXT_OF(name, file)                                                                                            \
    __asm__(".pushsection .rodata\n.global " #name "\n" #name ":\n.incbin \"" file "\"\n.byte 0\n.popsection\n");      \
    extern const char name[]

TEXT_OF(iso_page_js, "cli/page.js");
TEXT_OF(iso_page_css, "cli/page.css");

/* Writes the SHA-256 of a text in base 64. */
static void hash_of(const char *text, char out[48]) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    iso_sha256 sha;
    char hex[65];
    unsigned char byte[33] = {0};
    iso_sha256_init(&sha);
    iso_sha256_add(&sha, text, strlen(text));
    iso_sha256_hex(&sha, hex);
    for (int i = 0; i < 32; i++) {
        unsigned value = 0;
        sscanf(hex + (size_t)2 * (size_t)i, "%2x", &value);
        byte[i] = (unsigned char)value;
    }
    for (int i = 0; i < 11; i++) {
        unsigned three = (unsigned)byte[3 * i] << 16 | (unsigned)byte[3 * i + 1] << 8 | byte[3 * i + 2];
        for (int k = 0; k < 4; k++) {
            out[4 * i + k] = digits[three >> (18 - 6 * k) & 63];
        }
    }
    out[43] = '='; /* 32 bytes are 43 digits */
    out[44] = '\0';
}

void iso_page_begin(iso_printer *page, const char *title) {
    char hash[48];
    hash_of(iso_page_js, hash);
    iso_print(page,
              "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
              "script-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
              "<title>isolab: %s</title><style>\n",
              hash, title);
    iso_svg_style(page, false);
    iso_print_markup(page, (iso_markup){iso_page_css});
    iso_print(page, "</style></head><body>\n");
}

void iso_page_end(iso_printer *page) {
    iso_print(page, "<script>");
    iso_print_markup(page, (iso_markup){iso_page_js});
    iso_print(page, "</script>\n</body></html>\n");
}
