/* The compiler includes this header before every file except those of base/ and formats/. These files must print
 * through base/print.h, which escapes text from outside: a call of a printing function of stdio does not
 * compile. */
#ifndef ISOLAB_BASE_PRINT_ONLY_H
#define ISOLAB_BASE_PRINT_ONLY_H

/* files that need it define it before all headers, and this header comes first */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#if defined(__clang__) || __GNUC__ >= 12
#define ISO_NO_CALL unavailable
#else
#define ISO_NO_CALL error
#endif
#define ISO_ESCAPES __attribute__((ISO_NO_CALL("print with iso_say() or iso_print() of base/print.h, which escape")))

#undef fwrite_unlocked /* gcc defines it as a macro in <stdio.h> when it optimises */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes" /* some of these functions call each other in inline functions of
                                               * <stdio.h> */
int printf(const char *format, ...) ISO_ESCAPES;
int fprintf(FILE *out, const char *format, ...) ISO_ESCAPES;
int dprintf(int fd, const char *format, ...) ISO_ESCAPES;
int vprintf(const char *format, va_list args) ISO_ESCAPES;
int vfprintf(FILE *out, const char *format, va_list args) ISO_ESCAPES;
int puts(const char *text) ISO_ESCAPES;
int fputs(const char *text, FILE *out) ISO_ESCAPES;
int putc(int c, FILE *out) ISO_ESCAPES;
int fputc(int c, FILE *out) ISO_ESCAPES;
int putchar(int c) ISO_ESCAPES;
void perror(const char *text) ISO_ESCAPES;
size_t fwrite(const void *bytes, size_t size, size_t n, FILE *out) ISO_ESCAPES;
int fputs_unlocked(const char *text, FILE *out) ISO_ESCAPES;
int putc_unlocked(int c, FILE *out) ISO_ESCAPES;
int fputc_unlocked(int c, FILE *out) ISO_ESCAPES;
int putchar_unlocked(int c) ISO_ESCAPES;
size_t fwrite_unlocked(const void *bytes, size_t size, size_t n, FILE *out) ISO_ESCAPES;
#pragma GCC diagnostic pop

#endif
