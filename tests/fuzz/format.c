/* The fuzz target of every format (tests/fuzz/target.h). Compiled once a format, with -DFORMAT=NAME (as in
 * formats.def). An input must be refused or be a history that isolab text gives back. A folder format (cobra) gets the
 * input as the one log of a folder. */
#include "tests/fuzz/target.h"

#include "formats/format.h"
#include "history/initial.h"
#include "history/read_consistency.h"
#include "tests/equal.h"

#define PASTE(a, b) a##b
#define DESCRIPTOR(name) PASTE(iso_format_, name)

extern const iso_format DESCRIPTOR(FORMAT);

/* In exactly as many bytes as a loaded file has, so that reading too far is seen. */
static iso_source make_source(iso_pool *pool, const void *bytes, size_t size) {
    unsigned char *copy = iso_zalloc(pool, size + 64, 1);
    memcpy(copy, bytes, size);
    return (iso_source){.pool = pool, .path = "input", .bytes = copy, .size = size};
}

static void ignore(void *arg, iso_int_kind kind, uint32_t read_op, uint32_t other_op) {
    (void)arg, (void)kind, (void)read_op, (void)other_op;
}

static void examine(iso_pool *pool, const isolab_history *h) {
    const iso_format *text = iso_format_find("isolab");
    char *written = NULL, why[128];
    size_t n = 0;
    iso_check_int(h, pool, ignore, NULL);
    iso_sink sink = {.pool = pool, .path = "-", .out = open_memstream(&written, &n)};
    text->write(h, &sink);
    fclose(sink.out);
    iso_source source = make_source(pool, written, n);
    free(written);
    if (!iso_history_equal(h, text->read(&source), why, sizeof why)) {
        fprintf(stderr, "isolab text gives another history: %s\n", why);
        abort();
    }
}

const char *target_name(void) { return DESCRIPTOR(FORMAT).name; }

void target_take(iso_pool *pool, const uint8_t *bytes, size_t size) {
    const iso_format *format = &DESCRIPTOR(FORMAT);
    if (!(format->flags & ISO_FORMAT_FOLDER)) {
        iso_source source = make_source(pool, bytes, size);
        iso_reading how = {size % 2 == 0 ? "0" : NULL, (iso_initial_rule)(size % 3)};
        iso_format_detect(&source);
        source.how = &how;
        examine(pool, iso_initial_settle(pool, format->read(&source), &how, source.built));
        return;
    }
    static char folder[] = "/tmp/isolab-fuzz-XXXXXX", file[64];
    if (file[0] == '\0') { /* one folder a process, left empty */
        if (mkdtemp(folder) == NULL) {
            abort();
        }
        snprintf(file, sizeof file, "%s/T0.log", folder);
    }
    FILE *f = fopen(file, "w");
    if (f == NULL || fwrite(bytes, 1, size, f) != size || fclose(f) != 0) {
        abort();
    }
    examine(pool, iso_load(pool, folder, format));
}
