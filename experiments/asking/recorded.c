/* Tables of recorded verdicts, such as a paper publishes with its histories. See recorded.h.
 *
 * A table is text of lines with fields separated by tabs, of which the first names the columns: `file` and `verdict`,
 * and possibly `level`, `format`, `seconds` and `source`; other columns are ignored. Paths of files are relative to the
 * table's folder. */
#define _GNU_SOURCE
#include "experiments/asking/recorded.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

typedef enum { FILE_NAME, LEVEL, VERDICT, FORMAT, SECONDS, SOURCE, COLUMNS } column;
static const char *const column_names[COLUMNS] = {"file", "level", "verdict", "format", "seconds", "source"};

#define ISO_TABLE_FIELDS 64

/* A file by its path without links, so that it is found whatever its operand is called. */
typedef struct place {
    const char *real;
    uint32_t at;
} place;

typedef struct table {
    iso_pool *pool;
    iso_history_files *files;
    iso_party *parties;
    unsigned *n_parties;
    const char *path, *folder;
    iso_level level; /* of every row; ISO_NO_LEVEL: a column has it */
    int place_of[COLUMNS];
    uint64_t line;
    place *places; /* the histories of the run, sorted */
    size_t n_places;
    const iso_format **formats;
} table;

static _Noreturn void fail(const table *t, const char *what, const char *found) {
    isolab_error *e = &t->pool->env->error;
    e->code = ISOLAB_E_INPUT;
    e->line = t->line;
    e->offset = ISOLAB_NO_OFFSET;
    snprintf(e->file, sizeof e->file, "%s", t->path);
    snprintf(e->message, sizeof e->message, "%s%s%.100s%s", what, found != NULL ? ", found \"" : "",
             found != NULL ? found : "", found != NULL ? "\"" : "");
    iso_rethrow(t->pool->env);
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
    char *line = iso_alloc(t->pool, strlen(first) + 1, 1);
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
    const char *kept = iso_format_text(t->pool, "%s", real != NULL ? real : path);
    free(real);
    return kept;
}

static void sort_places(table *t) {
    t->n_places = t->files->n;
    t->places = ISO_NEW(t->pool, place, t->n_places + 1);
    for (unsigned i = 0; i < t->n_places; i++) {
        t->places[i] = (place){real_path(t, t->files->list[i]), i};
    }
    qsort(t->places, t->n_places, sizeof *t->places, by_path);
}

/* Returns a row's path. */
static const char *path_of(const table *t, const char *name, int length) {
    return iso_format_text(t->pool, "%s%.*s", name[0] == '/' ? "" : t->folder, length, name);
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
    iso_pool *pool = t->pool;
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
        ISO_GROW(pool, files, n_rows, room);
        files[n_rows] = path;
        ISO_GROW(pool, rows, n_rows, rows_room);
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
    t->files->list = files;
    t->files->n = (unsigned)n;
}

/* Takes the answers from the table, which are about levels with session order. */
static void look_up(iso_party *self, const iso_party_question *q, iso_judgement *answers) {
    for (size_t i = 0; i < q->n; i++) {
        const iso_record *record =
            q->files != NULL && !q->no_session_order ? iso_recorded(self->records, q->files[i], q->level) : NULL;
        char where[240];
        if (record == NULL) {
            iso_set_answer(&answers[i * q->stride], ISO_TOOL_UNSUPPORTED, ISOLAB_UNKNOWN, "nothing is recorded");
        } else {
            snprintf(where, sizeof where, "%.200s, line %" PRIu64, self->records->table, record->line);
            iso_set_answer(&answers[i * q->stride], record->state, record->verdict, where);
        }
    }
}

static void close_nothing(iso_party *self) { (void)self; }

/* Returns the records of a source. If it is new, it becomes a party. */
static iso_records *records_of(const table *t, const char *source) {
    const char *name = iso_format_text(t->pool, "recorded:%s", source);
    for (unsigned i = 0; i < *t->n_parties; i++) {
        if (strcmp(t->parties[i].name, name) == 0) {
            if (t->parties[i].records == NULL || t->parties[i].records->table != t->path) {
                fail(t, "another table has this source", source);
            }
            return t->parties[i].records;
        }
    }
    if (*t->n_parties == ISO_PARTIES) {
        fail(t, "more parties than the referee compares", source);
    }
    iso_records *records = ISO_ZNEW(t->pool, iso_records, 1);
    records->table = t->path;
    t->parties[(*t->n_parties)++] =
        (iso_party){.name = name, .records = records, .ask = look_up, .close = close_nothing};
    return records;
}

static void read_row(table *t, char *line) {
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
    iso_records *r = records_of(t, value[SOURCE][0] != '\0' ? value[SOURCE] : iso_base_name(t->path));
    ISO_GROW(t->pool, r->list, r->n, r->room);
    r->list[r->n++] = record;
}

static int by_question(const void *a, const void *b) {
    const iso_record *one = a, *other = b;
    return one->file != other->file     ? (one->file > other->file) - (one->file < other->file)
           : one->level != other->level ? (one->level > other->level) - (one->level < other->level)
                                        : (one->line > other->line) - (one->line < other->line);
}

/* Sorts the records of a source. Two rows of one question must have the same verdict. */
static void sort_records(table *t, iso_records *r) {
    size_t n = 0;
    qsort(r->list, r->n, sizeof *r->list, by_question);
    for (size_t i = 0; i < r->n; i++) {
        const iso_record *last = n > 0 ? &r->list[n - 1] : NULL, *next = &r->list[i];
        if (last == NULL || last->file != next->file || last->level != next->level) {
            r->list[n++] = *next;
        } else if (last->state != next->state || last->verdict != next->verdict) {
            t->line = next->line;
            fail(t,
                 iso_format_text(t->pool, "line %" PRIu64 " says another verdict of this file and level", last->line),
                 NULL);
        }
    }
    r->n = n;
}

void iso_recorded_read(iso_pool *pool, const char *path, iso_level level, iso_history_files *files,
                       iso_party parties[ISO_PARTIES], unsigned *n_parties) {
    size_t size;
    const char *slash = strrchr(path, '/');
    table t = {.pool = pool,
               .files = files,
               .parties = parties,
               .n_parties = n_parties,
               .path = path,
               .level = level,
               .line = 1};
    t.folder = iso_format_text(pool, "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path);
    char *text = iso_source_text(pool, path, 0, &size), *rest = text;
    if (strlen(text) != size) {
        fail(&t, "a zero byte", NULL);
    }
    read_header(&t, iso_format_text(pool, "%.*s", (int)strcspn(text, "\n"), text));
    if (files->n == 0) {
        take_files(&t, text);
        t.line = 1;
    }
    t.formats = ISO_ZNEW(pool, const iso_format *, files->n + 1);
    if (files->formats != NULL) {
        memcpy(t.formats, files->formats, files->n * sizeof *t.formats);
    }
    files->formats = t.formats;
    sort_places(&t);
    strsep(&rest, "\n");
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        t.line++;
        if (*line != '\0' && *line != '\r') {
            read_row(&t, line);
        }
    }
    bool any = false;
    for (unsigned i = 0; i < *n_parties; i++) {
        if (parties[i].records != NULL && parties[i].records->table == path) {
            sort_records(&t, parties[i].records);
            any = true;
        }
    }
    if (!any) {
        iso_throw(pool->env, ISOLAB_E_USAGE, "--verdicts: %s says nothing about any of the FILEs", path);
    }
}

bool iso_records_have(const iso_records *records, iso_level level) {
    bool any = false;
    for (size_t i = 0; i < records->n; i++) {
        any |= records->list[i].level == level;
    }
    return any;
}

const iso_record *iso_recorded(const iso_records *records, uint32_t file, iso_level level) {
    size_t low = 0, high = file == ISO_NONE ? 0 : records->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const iso_record *record = &records->list[middle];
        bool before = record->file < file || (record->file == file && record->level < level);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    bool found = low < records->n && records->list[low].file == file && records->list[low].level == level;
    return found ? &records->list[low] : NULL;
}
