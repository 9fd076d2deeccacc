/* See ci.h. */
#include "cli/ci.h"

#include <string.h>

#include "cli/output.h"
#include "explain/story.h"

enum { LINES_SHOWN = 8 };

static void sarif_rules(iso_json *j) {
    iso_json_open(j, "rules", '[');
    for (int kind = 0; kind < ISO_A_KINDS; kind++) {
        const iso_anomaly_info *info = iso_anomaly_get((iso_anomaly_kind)kind);
        iso_json_open(j, NULL, '{');
        iso_json_text(j, "id", info->name);
        iso_json_open(j, "shortDescription", '{');
        iso_json_text(j, "text", info->meaning);
        iso_json_close(j, '}');
        iso_json_close(j, '}');
    }
    iso_json_close(j, ']');
}

void iso_ci_begin(iso_ci *ci, iso_env *env, const char *junit, const char *sarif) {
    *ci = (iso_ci){.env = env};
    if (junit != NULL) {
        ci->junit = (iso_printer){.out = iso_output_open(env, junit), .target = ISO_HTML};
        iso_print(&ci->junit, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"isolab\">\n");
    }
    if (sarif == NULL) {
        return;
    }
    ci->sarif.out = iso_output_open(env, sarif);
    iso_json *j = &ci->sarif;
    iso_json_open(j, NULL, '{');
    iso_json_text(j, "version", "2.1.0");
    iso_json_text(j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    iso_json_open(j, "runs", '[');
    iso_json_open(j, NULL, '{');
    iso_json_open(j, "tool", '{');
    iso_json_open(j, "driver", '{');
    iso_json_text(j, "name", "isolab");
    iso_json_text(j, "version", ISOLAB_VERSION);
    sarif_rules(j);
    iso_json_close(j, '}');
    iso_json_close(j, '}');
    iso_json_open(j, "results", '[');
}

/* ---- JUnit ---- */

static void junit_step(void *arg, const iso_word_step *s) {
    iso_print((iso_printer *)arg, "%s%s %s.\n", s->number, s->depth > 0 ? " because" : "", s->sentence);
}

static void junit_failure(iso_ci *ci, const isolab_history *h, const iso_answer *a, uint64_t most) {
    char sentence[ISO_SENTENCE_SIZE], name[ISO_WORD_SIZE], place[ISO_PLACE_SIZE];
    const iso_result *r = &a->result;
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        const iso_anomaly *one = &r->anomalies[i];
        uint32_t n, *txn = iso_anomaly_cast(r->pool, h, r, one, &n);
        iso_print(&ci->junit, "      <failure type=\"%s\" message=\"%s\">\n",
                  iso_anomaly_get((iso_anomaly_kind)one->kind)->name, iso_word_anomaly(h, r, one, sentence));
        iso_each_step(h, r, one, junit_step, &ci->junit);
        for (uint32_t k = 0; k < n; k++) {
            iso_print(&ci->junit, "%s: %s\n", iso_word_txn(h, txn[k], name), iso_word_place(h, txn[k], place));
        }
        iso_print(&ci->junit, "      </failure>\n");
        iso_free(r->pool, txn);
    }
    if (r->n_anomalies == 0 || most == 0) {
        iso_print(&ci->junit, "      <failure type=\"violated\" message=\"violated%s%s\"/>\n",
                  a->implied_by != ISO_NO_LEVEL ? ", follows from " : "",
                  a->implied_by != ISO_NO_LEVEL ? iso_level_get(a->implied_by)->name : "");
    }
}

static void junit_history(iso_ci *ci, const char *path, const isolab_history *h, const iso_answer *const *answer,
                          size_t n, uint64_t most) {
    size_t failures = 0, skipped = 0;
    for (size_t i = 0; i < n; i++) {
        failures += answer[i]->result.verdict == ISOLAB_VIOLATED;
        skipped += answer[i]->result.verdict == ISOLAB_UNKNOWN;
    }
    iso_print(&ci->junit, "  <testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
              path, n, failures, skipped);
    for (size_t i = 0; i < n; i++) {
        const iso_answer *a = answer[i];
        const iso_level_info *level = iso_level_get(a->level);
        iso_print(&ci->junit, "    <testcase classname=\"%s\" name=\"%s (%s)\" time=\"%.6f\">\n", path, level->name,
                  level->title, (double)a->ns / 1e9);
        if (a->result.verdict == ISOLAB_VIOLATED) {
            junit_failure(ci, h, a, most);
        } else if (a->result.verdict == ISOLAB_UNKNOWN) {
            iso_print(&ci->junit, "      <skipped message=\"%s\"/>\n", a->result.reason);
        }
        iso_print(&ci->junit, "    </testcase>\n");
    }
    iso_print(&ci->junit, "  </testsuite>\n");
}

/* ---- SARIF ---- */

static void sarif_place(iso_json *j, const char *path, uint32_t line) {
    iso_json_open(j, NULL, '{');
    iso_json_open(j, "physicalLocation", '{');
    iso_json_open(j, "artifactLocation", '{');
    iso_json_text(j, "uri", path);
    iso_json_close(j, '}');
    if (line != ISO_NONE && line > 0) {
        iso_json_open(j, "region", '{');
        iso_json_count(j, "startLine", line);
        iso_json_close(j, '}');
    }
    iso_json_close(j, '}');
    iso_json_close(j, '}');
}

static void sarif_result(iso_json *j, const char *rule, const char *text) {
    iso_json_open(j, NULL, '{');
    iso_json_text(j, "ruleId", rule);
    iso_json_text(j, "level", "error");
    iso_json_open(j, "message", '{');
    iso_json_text(j, "text", text);
    iso_json_close(j, '}');
    iso_json_open(j, "locations", '[');
}

static void sarif_answer(iso_json *j, const char *path, const isolab_history *h, const iso_answer *a, uint64_t most) {
    char sentence[ISO_SENTENCE_SIZE], text[ISO_SENTENCE_SIZE + 64];
    const iso_result *r = &a->result;
    for (uint32_t i = 0; i < r->n_anomalies && i < most; i++) {
        uint32_t n, *txn = iso_anomaly_cast(r->pool, h, r, &r->anomalies[i], &n);
        snprintf(text, sizeof text, "%s is violated: %s", iso_level_get(a->level)->name,
                 iso_word_anomaly(h, r, &r->anomalies[i], sentence));
        sarif_result(j, iso_anomaly_get((iso_anomaly_kind)r->anomalies[i].kind)->name, text);
        for (uint32_t k = 0; k < n && k < LINES_SHOWN; k++) {
            sarif_place(j, path, h->txn_line != NULL ? h->txn_line[txn[k]] : ISO_NONE);
        }
        iso_json_close(j, ']');
        iso_json_close(j, '}');
        iso_free(r->pool, txn);
    }
}

void iso_ci_history(iso_ci *ci, const char *path, const isolab_history *h, const iso_answer *const *answer, size_t n,
                    uint64_t most) {
    if (ci->junit.out != NULL) {
        junit_history(ci, path, h, answer, n, most);
    }
    for (size_t i = 0; ci->sarif.out != NULL && i < n; i++) {
        sarif_answer(&ci->sarif, path, h, answer[i], most);
    }
}

void iso_ci_failed(iso_ci *ci, const char *path, const isolab_error *error) {
    if (ci->junit.out != NULL) {
        iso_print(
            &ci->junit,
            "  <testsuite name=\"%s\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    <testcase "
            "classname=\"%s\" name=\"reading\">\n      <error message=\"%s\"/>\n    </testcase>\n  </testsuite>\n",
            path, path, error->message);
    }
    if (ci->sarif.out != NULL) {
        sarif_result(&ci->sarif, "unreadable", error->message);
        sarif_place(&ci->sarif, path, error->line < ISO_ID_MAX ? (uint32_t)error->line : ISO_NONE);
        iso_json_close(&ci->sarif, ']');
        iso_json_close(&ci->sarif, '}');
    }
}

void iso_ci_end(iso_ci *ci) {
    if (ci->junit.out != NULL) {
        iso_print(&ci->junit, "</testsuites>\n");
        iso_output_close(ci->env, ci->junit.out);
    }
    if (ci->sarif.out != NULL) {
        static const char closing[] = "]}]}"; /* results, the run, runs, and all */
        for (const char *at = closing; *at != '\0'; at++) {
            iso_json_close(&ci->sarif, *at);
        }
        iso_json_end(&ci->sarif);
        iso_output_close(ci->env, ci->sarif.out);
    }
}
