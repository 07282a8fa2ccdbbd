// The child of the floor: static, without anything that hides what a start costs.
//
//   child exit                 ends at once
//   child echo                 reads stdin to its end, then writes it to stdout
//   child blocks COUNT [each]  writes that many blocks, with `each` in one write per block
//   child stamped COUNT        writes blocks 2 ms apart, each with the time of its write in nanoseconds
//   child sleep MILLIS         sleeps
//   child hold                 leaves a grandchild on its pipes, then both wait to be killed
//   child ... manifest, ... tools list, ... tools describe NAME, ... call NAME
//                          answers as a provider of one tool; a file name with `sleeper` in it takes 50 ms to
//                          answer, one with `hung` never does
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// 587 bytes with its line end.
static const char BLOCK[] =
    "{\"schema_version\":\"lonis.block/v1\",\"provenance\":{\"tool_version\":\"1.4.0\",\"input_hash\":"
    "\"0000000000000000000000000000000000000000000000000000000000000000\"},\"attribution\":{\"identity\":"
    "\"tool:bench:blocks\",\"provenance\":{\"when\":\"2026-03-01T12:00:00Z\",\"producer\":\"bench:blocks\"}},"
    "\"payload\":{\"kind\":\"result\",\"data\":{\"output\":{\"path\":\"src/process/machine.rs\",\"line\":128,\"text\":"
    "\"the order in which a call moves\",\"tags\":[\"process\",\"machine\",\"order\"],\"matched\":true,"
    "\"context\":{\"before\":\"nothing is judged before it was seen\",\"after\":\"only then a deadline acts\"}},"
    "\"score\":1.0,\"duration_micros\":1250}}}\n";

static void put(const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(1, bytes, length);
        if (count <= 0) _exit(1);
        bytes += count;
        length -= (size_t)count;
    }
}

static void echo(void) {
    size_t capacity = 1 << 16, length = 0;
    char *bytes = malloc(capacity);
    for (;;) {
        if (length == capacity) bytes = realloc(bytes, capacity *= 2);
        if (bytes == NULL) _exit(1);
        ssize_t count = read(0, bytes + length, capacity - length);
        if (count < 0) _exit(1);
        if (count == 0) break;
        length += (size_t)count;
    }
    put(bytes, length);
}

static void blocks(long count, int each) {
    static char buffer[1 << 16];
    size_t one = sizeof BLOCK - 1, filled = 0;
    for (long written = 0; written < count; written++) {
        if (each) {
            put(BLOCK, one);
            continue;
        }
        if (filled + one > sizeof buffer) {
            put(buffer, filled);
            filled = 0;
        }
        memcpy(buffer + filled, BLOCK, one);
        filled += one;
    }
    put(buffer, filled);
}

static void pause_millis(long millis) {
    struct timespec time = {millis / 1000, millis % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void stamped(long count) {
    char line[512];
    for (long written = 0; written < count; written++) {
        pause_millis(2);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        int length = snprintf(line, sizeof line,
            "{\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"tool:bench:stamped\",\"provenance\":"
            "{\"when\":\"2026-03-01T12:00:00Z\",\"producer\":\"bench:stamped\"}},\"payload\":{\"kind\":\"result\","
            "\"data\":{\"output\":%lld}}}\n",
            (long long)now.tv_sec * 1000000000 + now.tv_nsec);
        put(line, (size_t)length);
    }
}

static void hold(void) {
    if (fork() >= 0)
        for (;;) pause();
}

// The answers of a provider that is named after its file: many copies offer tools of different names.
static void answer(const char *name, const char *format) {
    char text[512];
    if (strstr(name, "sleeper") != NULL) pause_millis(50);
    if (strstr(name, "hung") != NULL) for (;;) pause();
    int length = snprintf(text, sizeof text, format, name, name);
    put(text, (size_t)length);
}

static const char MANIFEST[] =
    "{\"name\":\"%s\",\"version\":\"1.0.0\",\"description\":\"Answers at once.\",\"provider_type\":"
    "\"external-executable\",\"protocol_version\":\"lonis.provider/v1\",\"tools\":[\"%s.echo\"]}\n";
static const char LIST[] =
    "{\"provider\":\"%s\",\"tools\":[{\"name\":\"%s.echo\",\"description\":\"Gives its input back.\"}]}\n";
static const char CONTRACT[] =
    "{\"name\":\"%s.echo\",\"description\":\"Gives its input back.\",\"determinism\":\"deterministic\",\"side_effects\":\"none\"}\n";

int main(int count, char **words) {
    const char *mode = count > 1 ? words[1] : "exit";
    long number = count > 2 ? atol(words[2]) : 0;
    if (strcmp(mode, "exit") == 0) return 0;
    if (strcmp(mode, "echo") == 0) return echo(), 0;
    if (strcmp(mode, "blocks") == 0) return blocks(number, count > 3), 0;
    if (strcmp(mode, "stamped") == 0) return stamped(number), 0;
    if (strcmp(mode, "sleep") == 0) return pause_millis(number), 0;
    if (strcmp(mode, "hold") == 0) return hold(), 0;
    const char *name = strrchr(words[0], '/');
    name = name == NULL ? words[0] : name + 1;
    if (strncmp(name, "lonis-", 6) == 0) name += 6;
    const char *last = words[count - 1];
    if (strcmp(last, "manifest") == 0) return answer(name, MANIFEST), 0;
    if (strcmp(last, "list") == 0) return answer(name, LIST), 0;
    if (count > 2 && strcmp(words[count - 2], "describe") == 0) return answer(name, CONTRACT), 0;
    if (count > 2 && strcmp(words[count - 2], "call") == 0) return echo(), 0;
    return 64;
}
