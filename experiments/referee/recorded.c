/* Tables of recorded verdicts, such as a paper publishes with its histories. See referee.h.
 *
 * A table is text of lines with fields separated by tabs, of which the first names the columns: `file` and `verdict`,
 * and possibly `level`, `format`, `seconds` and `source`; other columns are ignored. Paths of files are relative to the
 * table's folder. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "experiments/referee/referee.h"
#include "experiments/runner/lab.h"

typedef enum { FILE_NAME, LEVEL, VERDICT, FORMAT, SECONDS, SOURCE, COLUMNS } column;
static const char *const column_names[COLUMNS] = {"file", "level", "verdict", "format", "seconds", "source"};

#define ISO_TABLE_FIELDS 64

/* A file by its path without links, so that it is found whatever its operand is called. */
typedef struct place {
    const char *real;
    uint32_t at;
} place;

typedef struct table {
    iso_referee *r;
    const char *path, *folder;
    iso_level level; /* of every row; ISO_NO_LEVEL: a column has it */
    int place_of[COLUMNS];
    uint64_t line;
    place *places; /* the histories of the run, sorted */
    size_t n_places;
    const iso_format **formats;
} table;

static _Noreturn void fail(const table *t, const char *what, const char *found) {
    isolab_error *e = &t->r->env->error;
    e->code = ISOLAB_E_INPUT;
    e->line = t->line;
    e->offset = ISOLAB_NO_OFFSET;
    snprintf(e->file, sizeof e->file, "%s", t->path);
    snprintf(e->message, sizeof e->message, "%s%s%.100s%s", what, found != NULL ? ", found \"" : "",
             found != NULL ? found : "", found != NULL ? "\"" : "");
    iso_rethrow(t->r->env);
}

/* Cuts a line into fields. Returns their number. */
static int cut(const table *t, char *line, char *fields[ISO_TABLE_FIELDS]) {
    int n = 0;
    line[strcspn(line, "\r")] = '\0';
    for (char *field; (field = strsep(&line, "\t")) != NULL;) {
        if (n == ISO_TABLE_FIELDS) {
            fail(t, "too many fields", NULL);
        }
        fields[n++] = field;
    }
    return n;
}

static void read_header(table *t, const char *first) {
    char *fields[ISO_TABLE_FIELDS];
    char *line = iso_alloc(t->r->pool, strlen(first) + 1, 1);
    int n = cut(t, strcpy(line, first), fields);
    for (int c = 0; c < COLUMNS; c++) {
        t->place_of[c] = -1;
        for (int i = 0; i < n; i++) {
            t->place_of[c] = strcmp(fields[i], column_names[c]) == 0 ? i : t->place_of[c];
        }
    }
    if (t->place_of[FILE_NAME] < 0 || t->place_of[VERDICT] < 0) {
        fail(t, "expected a first line that names the columns, among them file and verdict, separated by tabs", first);
    }
    if (t->place_of[LEVEL] < 0 && t->level == ISO_NO_LEVEL) {
        fail(t, "no column is called level: add it, or name one level with --level", NULL);
    }
}

static void read_verdict(const table *t, const char *word, iso_record *record) {
    record->state = ISO_TOOL_OK;
    record->verdict = strcmp(word, "satisfied") == 0  ? ISOLAB_SATISFIED
                      : strcmp(word, "violated") == 0 ? ISOLAB_VIOLATED
                                                      : ISOLAB_UNKNOWN;
    if (record->verdict != ISOLAB_UNKNOWN || strcmp(word, "unknown") == 0) {
        return;
    }
    for (int s = ISO_TOOL_OK + 1; s < ISO_TOOL_STATES; s++) {
        if (strcmp(word, iso_tool_state_text[s]) == 0) {
            record->state = (iso_tool_state)s;
            return;
        }
    }
    fail(t, "expected satisfied, violated, unknown or timeout", word);
}

static int by_path(const void *a, const void *b) {
    const place *one = a, *other = b;
    return strcmp(one->real, other->real);
}

static const char *real_path(const table *t, const char *path) {
    char *real = realpath(path, NULL);
    const char *kept = iso_lab_text(t->r->pool, "%s", real != NULL ? real : path);
    free(real);
    return kept;
}

static void sort_places(table *t) {
    iso_referee *r = t->r;
    t->places = ISO_NEW(r->pool, place, r->n_files + 1);
    for (unsigned i = 0; i < r->n_files; i++) {
        t->places[i] = (place){real_path(t, r->files[i]), i};
    }
    t->n_places = r->n_files;
    qsort(t->places, t->n_places, sizeof *t->places, by_path);
}

/* Returns a row's path. */
static const char *path_of(const table *t, const char *name, int length) {
    return iso_lab_text(t->r->pool, "%s%.*s", name[0] == '/' ? "" : t->folder, length, name);
}

/* Returns the index of a row's file among the histories; ISO_NONE: it is not among them. */
static uint32_t find_file(table *t, const char *name, const iso_format *format) {
    place wanted = {real_path(t, path_of(t, name, (int)strlen(name))), 0};
    const place *found = bsearch(&wanted, t->places, t->n_places, sizeof *t->places, by_path);
    if (found == NULL) {
        return ISO_NONE;
    }
    t->formats[found->at] = format != NULL ? format : t->formats[found->at];
    return found->at;
}

/* Takes the files that the rows name as the histories, each once, in their order. The text stays as it is. */
static void take_files(table *t, const char *text) {
    iso_referee *r = t->r;
    size_t room = 0, n = 0, n_rows = 0, rows_room = 0;
    const char **files = NULL;
    place *rows = NULL;
    for (const char *line = strchr(text, '\n'), *end; line != NULL; line = end) {
        line++;
        t->line++;
        end = strchr(line, '\n');
        for (int c = 0; c < t->place_of[FILE_NAME] && *line != '\n' && *line != '\0'; c++) {
            line += strcspn(line, "\t\n");
            line += *line == '\t';
        }
        size_t length = strcspn(line, "\t\r\n");
        if (length == 0) {
            continue; /* read_row() will throw the error */
        }
        const char *path = path_of(t, line, (int)length);
        if (n_rows > 0 && strcmp(files[rows[n_rows - 1].at], path) == 0) {
            continue;
        }
        if (access(path, R_OK) != 0) {
            fail(t, "there is no file", path);
        }
        ISO_GROW(r->pool, files, n_rows, room);
        files[n_rows] = path;
        ISO_GROW(r->pool, rows, n_rows, rows_room);
        rows[n_rows] = (place){real_path(t, path), (uint32_t)n_rows};
        n_rows++;
    }
    qsort(rows, n_rows, sizeof *rows, by_path);
    for (size_t i = 1; i < n_rows; i++) {
        if (by_path(&rows[i - 1], &rows[i]) == 0) {
            files[rows[i].at > rows[i - 1].at ? rows[i].at : rows[i - 1].at] = NULL;
            rows[i].at = rows[i].at < rows[i - 1].at ? rows[i].at : rows[i - 1].at;
        }
    }
    for (size_t i = 0; i < n_rows; i++) {
        if (files[i] != NULL) {
            files[n++] = files[i];
        }
    }
    r->files = files;
    r->n_files = (unsigned)n;
}

/* Returns the party of a source, which it adds if the source is new. */
static iso_party *party_of(const table *t, const char *source) {
    iso_referee *r = t->r;
    const char *name = iso_lab_text(r->pool, "recorded:%s", source);
    for (unsigned i = 0; i < r->n_parties; i++) {
        if (strcmp(r->party[i].name, name) == 0) {
            if (r->party[i].table != t->path) {
                fail(t, "another table has this source", source);
            }
            return &r->party[i];
        }
    }
    if (r->n_parties == ISO_PARTIES) {
        fail(t, "more parties than the referee compares", source);
    }
    r->party[r->n_parties] = (iso_party){.name = name, .table = t->path};
    return &r->party[r->n_parties++];
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static void read_row(table *t, char *line, size_t room[ISO_PARTIES]) {
    char *fields[ISO_TABLE_FIELDS];
    const char *value[COLUMNS], *why = NULL;
    int n = cut(t, line, fields);
    for (int c = 0; c < COLUMNS; c++) {
        value[c] = t->place_of[c] >= 0 && t->place_of[c] < n ? fields[t->place_of[c]] : "";
    }
    iso_record record = {.level = t->level, .line = t->line, .seconds = -1};
    if (t->place_of[LEVEL] >= 0) {
        record.level = iso_level_find(value[LEVEL], &why);
        if (record.level == ISO_NO_LEVEL) {
            fail(t, "expected a level", value[LEVEL]);
        }
    }
    read_verdict(t, value[VERDICT], &record);
    if (value[SECONDS][0] != '\0') {
        char *end;
        record.seconds = strtod(value[SECONDS], &end);
        if (*end != '\0' || !isfinite(record.seconds) || record.seconds < 0) {
            fail(t, "expected seconds", value[SECONDS]);
        }
    }
    const iso_format *format = value[FORMAT][0] != '\0' ? iso_format_find(value[FORMAT]) : NULL;
    if (value[FORMAT][0] != '\0' && format == NULL) {
        fail(t, "expected a format", value[FORMAT]);
    }
    if (value[FILE_NAME][0] == '\0') {
        fail(t, "expected the name of a file", "");
    }
    record.file = find_file(t, value[FILE_NAME], format);
    if (record.file == ISO_NONE) {
        return;
    }
    iso_party *p = party_of(t, value[SOURCE][0] != '\0' ? value[SOURCE] : base_name(t->path));
    iso_record *list = (iso_record *)(uintptr_t)p->records;
    ISO_GROW(t->r->pool, list, p->n_records, room[p - t->r->party]);
    list[p->n_records++] = record;
    p->records = list;
}

static int by_question(const void *a, const void *b) {
    const iso_record *one = a, *other = b;
    return one->file != other->file     ? (one->file > other->file) - (one->file < other->file)
           : one->level != other->level ? (one->level > other->level) - (one->level < other->level)
                                        : (one->line > other->line) - (one->line < other->line);
}

/* Sorts the records of a party. Two rows of one question must have the same verdict. */
static void sort_records(table *t, iso_party *p) {
    iso_record *list = (iso_record *)(uintptr_t)p->records;
    size_t n = 0;
    qsort(list, p->n_records, sizeof *list, by_question);
    for (size_t i = 0; i < p->n_records; i++) {
        const iso_record *last = n > 0 ? &list[n - 1] : NULL;
        if (last == NULL || last->file != list[i].file || last->level != list[i].level) {
            list[n++] = list[i];
        } else if (last->state != list[i].state || last->verdict != list[i].verdict) {
            t->line = list[i].line;
            fail(t,
                 iso_lab_text(t->r->pool, "line %" PRIu64 " says another verdict of this file and level", last->line),
                 NULL);
        }
    }
    p->n_records = n;
}

void iso_referee_recorded(iso_referee *r, const char *path, iso_level level) {
    size_t size, room[ISO_PARTIES] = {0};
    const char *slash = strrchr(path, '/');
    table t = {.r = r, .path = path, .level = level, .line = 1};
    t.folder = iso_lab_text(r->pool, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path);
    char *text = iso_source_text(r->pool, path, 0, &size), *rest = text;
    if (strlen(text) != size) {
        fail(&t, "a zero byte", NULL);
    }
    read_header(&t, iso_lab_text(r->pool, "%.*s", (int)strcspn(text, "\n"), text));
    if (r->n_files == 0) {
        take_files(&t, text);
        t.line = 1;
    }
    t.formats = ISO_ZNEW(r->pool, const iso_format *, r->n_files + 1);
    if (r->formats != NULL) {
        memcpy(t.formats, r->formats, r->n_files * sizeof *t.formats);
    }
    r->formats = t.formats;
    sort_places(&t);
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        t.line++;
        if (*line != '\0' && *line != '\r') {
            read_row(&t, line, room);
        }
    }
    bool any = false;
    for (unsigned i = 0; i < r->n_parties; i++) {
        if (r->party[i].table == path) {
            sort_records(&t, &r->party[i]);
            any = true;
        }
    }
    if (!any) {
        iso_throw(r->env, ISOLAB_E_USAGE, "--verdicts: %s says nothing about any of the FILEs", path);
    }
}

const iso_record *iso_recorded(const iso_party *p, const iso_origin *origin, iso_level level) {
    if (origin->kind != ISO_FROM_FILE) {
        return NULL;
    }
    size_t low = 0, high = p->n_records;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const iso_record *record = &p->records[middle];
        bool before = record->file < origin->at || (record->file == origin->at && record->level < level);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    bool found = low < p->n_records && p->records[low].file == origin->at && p->records[low].level == level;
    return found ? &p->records[low] : NULL;
}
