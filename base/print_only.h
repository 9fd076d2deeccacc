/* The compiler includes this before every file except those of base/ and formats/: they print through base/print.h, which
 * escapes what comes from outside, and calls of the functions of stdio that do not are errors. */
#ifndef ISOLAB_BASE_PRINT_ONLY_H
#define ISOLAB_BASE_PRINT_ONLY_H

/* Files that need it define it before all headers, and this is the first one. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>

#if defined(__clang__) || __GNUC__ >= 12
#define ISO_NO_CALL unavailable
#else
#define ISO_NO_CALL error
#endif
#define ISO_ESCAPES __attribute__((ISO_NO_CALL("print with iso_say() or iso_print() of base/print.h, which escape")))

#undef fwrite_unlocked /* a macro of <stdio.h> where gcc optimises */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes" /* some are defined in <stdio.h> already, by others of them */
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
