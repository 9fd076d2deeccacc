/* Counts the reports that earlier parts of a continued run have written. It reads the folder, since a killed run may
 * have written reports that DIR/state does not count. Every report has its class in verdicts.json. See referee.h. */
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/print.h"
#include "experiments/referee/run.h"

const char *iso_class_text(const iso_referee *r, const iso_class *class, iso_pool *pool) {
    char question[64];
    iso_printer out = {.pool = pool};
    iso_print(&out, "%s:", iso_referee_question_text(&r->questions[class->question], question));
    for (unsigned i = 0; i < r->n_parties; i++) {
        if (class->signs[i] != '-') {
            iso_print(&out, " %s=%c", r->party[i].name, class->signs[i]);
        }
    }
    iso_print(&out, "%s%s", class->kind == ISO_A_KINDS ? "" : ", ",
              class->kind == ISO_A_KINDS ? "" : iso_anomaly_get(class->kind)->name);
    if (class->plain_party >= 0) {
        iso_print(&out, "; %s told %s as it is", r->party[class->plain_party].name, iso_trait_text[class->plain_trait]);
    }
    return iso_printed(&out);
}

void iso_referee_told(const iso_referee *r, iso_class *class) {
    iso_pool pool;
    iso_pool_init(&pool, r->env);
    const char *text = r->n_told > 0 ? iso_class_text(r, class, &pool) : "";
    class->reported = 0;
    for (size_t i = 0; i < r->n_told; i++) {
        if (strcmp(r->told[i], text) == 0) {
            class->reported++;
            iso_class_cause(class, r->told_cause[i]);
        }
    }
    iso_pool_free(&pool);
}

void iso_referee_read_reports(iso_referee *r) {
    DIR *folder = opendir(r->options.out);
    size_t room = 0, room_causes = 0, size;
    for (struct dirent *e; folder != NULL && (e = readdir(folder)) != NULL;) {
        const char *path = iso_format_text(r->pool, "%s/%s/verdicts.json", r->options.out, e->d_name);
        const char *text = e->d_name[0] != '.' ? iso_file_content(r->pool, path, &size) : NULL;
        json_t *verdicts = text != NULL ? json_loadb(text, size, 0, NULL) : NULL;
        const char *class = json_string_value(json_object_get(verdicts, "class"));
        if (class != NULL) {
            ISO_GROW(r->pool, r->told, r->n_told, room);
            r->told[r->n_told] = iso_format_text(r->pool, "%s", class);
            ISO_GROW(r->pool, r->told_cause, r->n_told, room_causes);
            const json_t *cause = json_object_get(verdicts, "cause");
            r->told_cause[r->n_told++] = json_is_integer(cause) ? (uint32_t)json_integer_value(cause) : UINT32_MAX;
        }
        json_decref(verdicts);
    }
    if (folder != NULL) {
        closedir(folder);
    }
}
