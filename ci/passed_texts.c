// Stands before a run-time compiler, NVRTC or hiprtc, and leaves out texts that have passed with the same options.
//
// ci/passed_texts.py builds it with what it needs to know: NVRTC or HIPRTC, and the texts COMPILER (the file of the
// compiler), VERSION, PASSED (the hashes of texts that have passed, a line each) and SEEN (gets a line for each text that
// passes now: its hash, and whether it was known or compiled). Only what CI compiles for a target and then throws away goes
// through here, since a known text has an image without code. Texts with headers or names to look up are always compiled.
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef NVRTC
#define NAME(function) nvrtc##function
#define IMAGE(function) nvrtcGetCUBIN##function
#define OTHERS(all) all(DestroyProgram) all(GetErrorString) all(GetLoweredName) all(GetProgramLog) all(GetProgramLogSize) \
    all(GetPTX) all(GetPTXSize) all(GetNumSupportedArchs) all(GetSupportedArchs)
#else
#define NAME(function) hiprtc##function
#define IMAGE(function) hiprtcGetCode##function
#define OTHERS(all) all(DestroyProgram) all(GetErrorString) all(GetLoweredName) all(GetProgramLog) all(GetProgramLogSize)
#endif
#define TEXT(word) TEXT_OF(word)
#define TEXT_OF(word) #word

static const char known_image[] = "\x7f" "ELF";

struct program {
    void *handle;
    uint64_t text;
    int kept, known;
    struct program *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct program *programs;
static uint64_t *passed;
static size_t count;

static void *original(const char *name) {
    static void *library;
    if (!library) library = dlopen(COMPILER, RTLD_NOW | RTLD_LOCAL);
    void *function = library ? dlsym(library, name) : NULL;
    if (!function) {
        fprintf(stderr, "error: %s\n", dlerror());
        abort();
    }
    return function;
}

// FNV-1a; the zero at the end separates texts.
static uint64_t add(uint64_t hash, const char *text) {
    do hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    while (*text++);
    return hash;
}

static int order(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int has_passed(uint64_t hash) {
    static int read;
    if (!read) {
        read = 1;
        FILE *file = fopen(PASSED, "r");
        for (uint64_t value; file && fscanf(file, "%" SCNx64, &value) == 1; count++) {
            passed = realloc(passed, (count + 1) * sizeof *passed);
            passed[count] = value;
        }
        if (file) fclose(file);
        qsort(passed, count, sizeof *passed, order);
    }
    return count && bsearch(&hash, passed, count, sizeof *passed, order);
}

static void note(uint64_t hash, const char *how) {
    FILE *file = fopen(SEEN, "a");
    if (!file) abort();
    fprintf(file, "%016" PRIx64 " %s\n", hash, how);
    fclose(file);
}

static struct program *find(void *handle) {
    struct program *at = programs;
    while (at && at->handle != handle) at = at->next;
    return at;
}

static int is_known(void *handle) {
    pthread_mutex_lock(&lock);
    struct program *program = find(handle);
    int known = program && program->known;
    pthread_mutex_unlock(&lock);
    return known;
}

// The compiler's own: integers or pointers, three at most.
#define FORWARD(function)                                           \
    void *NAME(function)(void *a, void *b, void *c) {               \
        void *(*call)(void *, void *, void *) = original(TEXT(NAME(function))); \
        return call(a, b, c);                                       \
    }
OTHERS(FORWARD)
FORWARD(Version)

int NAME(CreateProgram)(void **handle, const char *text, const char *name, int headers, const char *const *texts,
                        const char *const *names) {
    int (*call)(void **, const char *, const char *, int, const char *const *, const char *const *) =
        original(TEXT(NAME(CreateProgram)));
    int status = call(handle, text, name, headers, texts, names);
    if (status) return status;
    pthread_mutex_lock(&lock);
    // The handle of a program that is gone may come again.
    struct program *program = find(*handle);
    if (!program) {
        program = calloc(1, sizeof *program);
        program->next = programs;
        programs = program;
    }
    program->handle = *handle;
    program->text = add(add(0xcbf29ce484222325u, VERSION), text);
    program->kept = !headers;
    program->known = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

int NAME(AddNameExpression)(void *handle, const char *expression) {
    int (*call)(void *, const char *) = original(TEXT(NAME(AddNameExpression)));
    pthread_mutex_lock(&lock);
    struct program *program = find(handle);
    if (program) program->kept = 0;
    pthread_mutex_unlock(&lock);
    return call(handle, expression);
}

int NAME(CompileProgram)(void *handle, int options, const char *const *list) {
    int (*call)(void *, int, const char *const *) = original(TEXT(NAME(CompileProgram)));
    pthread_mutex_lock(&lock);
    struct program *program = find(handle);
    int kept = program && program->kept;
    uint64_t hash = program ? program->text : 0;
    for (int at = 0; at < options; at++) hash = add(hash, list[at]);
    if (kept && has_passed(hash)) {
        program->known = 1;
        note(hash, "known");
    }
    int known = kept && program->known;
    pthread_mutex_unlock(&lock);
    if (known) return 0;
    int status = call(handle, options, list);
    if (!status && kept) {
        pthread_mutex_lock(&lock);
        note(hash, "compiled");
        pthread_mutex_unlock(&lock);
    }
    return status;
}

int IMAGE(Size)(void *handle, size_t *size) {
    int (*call)(void *, size_t *) = original(TEXT(IMAGE(Size)));
    if (!is_known(handle)) return call(handle, size);
    *size = sizeof known_image - 1;
    return 0;
}

int IMAGE()(void *handle, char *image) {
    int (*call)(void *, char *) = original(TEXT(IMAGE()));
    if (!is_known(handle)) return call(handle, image);
    memcpy(image, known_image, sizeof known_image - 1);
    return 0;
}
