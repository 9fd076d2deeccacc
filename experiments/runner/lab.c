/* See lab.h. */
#include "experiments/runner/lab.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/file.h"

json_t *iso_lab_json(iso_pool *pool, const char *path) {
    size_t n;
    char *text = iso_file_content(pool, path, &n);
    json_t *json = text != NULL ? json_loadb(text, n, 0, NULL) : NULL;
    iso_free(pool, text);
    return json;
}

const char *iso_lab_half(iso_pool *pool, const char *path) {
    struct utsname name;
    return iso_lab_text(pool, "%s.%s.%ld", path, uname(&name) == 0 ? name.nodename : "", (long)getpid());
}

void iso_lab_folder(iso_pool *pool, const char *path) {
    size_t n = strlen(path);
    char *part = iso_copy_text(pool, path, n);
    for (size_t i = 1; i <= n; i++) {
        if (part[i] != '/' && part[i] != '\0') {
            continue;
        }
        part[i] = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST) {
            iso_throw(pool->env, ISOLAB_E_IO, "cannot make the folder %s: %s", part, strerror(errno));
        }
        part[i] = i < n ? '/' : '\0';
    }
}
