// The child of the floor: static, without anything that hides what a start costs.
//
// It stands alone, without a C library. The start of one asks the processor for its features a hundred times, which takes
// no time on a bare machine and longer than the whole rest of a start on a virtual one, where each question is answered by
// the host.
//
//   child exit                 ends at once
//   child echo                 reads stdin to its end, then writes it to stdout
//   child blocks COUNT [each]  writes that many blocks, with `each` in one write per block
//   child blocks COUNT timed   writes them with another time in each than in the one before
//   child stamped COUNT        writes blocks 2 ms apart, each with the time of its write in nanoseconds
//   child sleep MILLIS         sleeps
//   child hold                 leaves a grandchild on its pipes, then both wait to be killed
//   child ... manifest, ... tools list, ... tools describe NAME, ... call NAME
//                          answers as a provider of one tool; a file name with `sleeper` in it takes 50 ms to
//                          answer, one with `hung` never does
#include <asm/unistd.h>

typedef unsigned long size;

struct moment {
    long seconds, nanos;
};

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall begin\n");

static long call(long number, long a, long b, long c, long d, long e) {
    long answer;
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    __asm__ volatile("syscall"
                     : "=a"(answer)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
                     : "rcx", "r11", "memory");
    return answer;
}
#elif defined(__aarch64__)
__asm__(".globl _start\n_start:\n\tmov x29, xzr\n\tmov x0, sp\n\tbl begin\n");

static long call(long number, long a, long b, long c, long d, long e) {
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;
    register long x4 __asm__("x4") = e;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4) : "memory");
    return x0;
}
#else
#error "no entry code for this architecture"
#endif

// What is written at once.
static char buffer[1 << 16];

// The compiler makes calls of these two of its own accord.
void *memcpy(void *to, const void *from, size length) {
    for (size at = 0; at < length; at++) ((char *)to)[at] = ((const char *)from)[at];
    return to;
}

void *memset(void *to, int byte, size length) {
    for (size at = 0; at < length; at++) ((char *)to)[at] = (char)byte;
    return to;
}

static void leave(int code) {
    for (;;) call(__NR_exit_group, code, 0, 0, 0, 0);
}

static size length_of(const char *text) {
    size length = 0;
    while (text[length] != 0) length++;
    return length;
}

static int begins(const char *text, const char *start) {
    while (*start != 0)
        if (*text++ != *start++) return 0;
    return 1;
}

static int is(const char *text, const char *other) {
    return begins(text, other) && length_of(text) == length_of(other);
}

static int holds(const char *text, const char *part) {
    for (; *text != 0; text++)
        if (begins(text, part)) return 1;
    return 0;
}

static long number_of(const char *text) {
    long number = 0;
    for (; *text >= '0' && *text <= '9'; text++) number = number * 10 + *text - '0';
    return number;
}

static void put(const char *bytes, size length) {
    while (length > 0) {
        long count = call(__NR_write, 1, (long)bytes, (long)length, 0, 0);
        if (count <= 0) leave(1);
        bytes += count;
        length -= (size)count;
    }
}

// All is read before anything is written; no case gives it more than the buffer takes.
static void echo(void) {
    static char whole[1 << 21];
    size length = 0;
    for (;;) {
        if (length == sizeof whole) leave(1);
        long count = call(__NR_read, 0, (long)(whole + length), (long)(sizeof whole - length), 0, 0);
        if (count < 0) leave(1);
        if (count == 0) break;
        length += (size)count;
    }
    put(whole, length);
}

// 587 bytes with its line end.
static const char BLOCK[] =
    "{\"schema_version\":\"lonis.block/v1\",\"provenance\":{\"tool_version\":\"1.4.0\",\"input_hash\":"
    "\"0000000000000000000000000000000000000000000000000000000000000000\"},\"attribution\":{\"identity\":"
    "\"tool:bench:blocks\",\"provenance\":{\"when\":\"2026-03-01T12:00:00Z\",\"producer\":\"bench:blocks\"}},"
    "\"payload\":{\"kind\":\"result\",\"data\":{\"output\":{\"path\":\"src/process/machine.rs\",\"line\":128,\"text\":"
    "\"the order in which a call moves\",\"tags\":[\"process\",\"machine\",\"order\"],\"matched\":true,"
    "\"context\":{\"before\":\"nothing is judged before it was seen\",\"after\":\"only then a deadline acts\"}},"
    "\"score\":1.0,\"duration_micros\":1250}}}\n";

// The blocks of a full buffer are copied once, and written as often as it takes.
static void blocks(long count, int each) {
    size one = sizeof BLOCK - 1;
    long many = each ? 1 : (long)(sizeof buffer / one);
    for (long at = 0; at < many && at < count; at++) memcpy(buffer + (size)at * one, BLOCK, one);
    for (; count > many; count -= many) put(buffer, (size)many * one);
    put(buffer, (size)count * one);
}

static void two_digits(char *at, long number) {
    at[0] = (char)('0' + number / 10);
    at[1] = (char)('0' + number % 10);
}

// The same, where each block has a minute and second of its own within an hour.
static void timed_blocks(long count) {
    size one = sizeof BLOCK - 1, minute = 0;
    long many = (long)(sizeof buffer / one), second = 0;
    while (!begins(BLOCK + minute, ":00:00Z")) minute++;
    minute++;
    for (long at = 0; at < many; at++) memcpy(buffer + (size)at * one, BLOCK, one);
    for (; count > 0; count -= many) {
        if (many > count) many = count;
        for (long at = 0; at < many; at++, second = (second + 1) % 3600) {
            char *time = buffer + (size)at * one + minute;
            two_digits(time, second / 60);
            two_digits(time + 3, second % 60);
        }
        put(buffer, (size)many * one);
    }
}

static void pause_millis(long millis) {
    struct moment time = {millis / 1000, millis % 1000 * 1000000};
    call(__NR_nanosleep, (long)&time, 0, 0, 0, 0);
}

static void wait_for_ever(void) {
    for (;;) pause_millis(1000000000);
}

static char *append(char *end, const char *text) {
    size length = length_of(text);
    memcpy(end, text, length);
    return end + length;
}

static void stamped(long count) {
    for (long written = 0; written < count; written++) {
        pause_millis(2);
        struct moment now;
        call(__NR_clock_gettime, 1, (long)&now, 0, 0, 0);
        char digits[24];
        char *first = digits + sizeof digits - 1;
        *first = 0;
        for (long left = now.seconds * 1000000000 + now.nanos; left > 0; left /= 10) *--first = (char)('0' + left % 10);
        char *end = append(buffer,
            "{\"schema_version\":\"lonis.block/v1\",\"attribution\":{\"identity\":\"tool:bench:stamped\",\"provenance\":"
            "{\"when\":\"2026-03-01T12:00:00Z\",\"producer\":\"bench:stamped\"}},\"payload\":{\"kind\":\"result\","
            "\"data\":{\"output\":");
        end = append(append(end, first), "}}}\n");
        put(buffer, (size)(end - buffer));
    }
}

static void hold(void) {
    // A copy with the usual signal at its end, on every architecture.
    if (call(__NR_clone, 17, 0, 0, 0, 0) >= 0) wait_for_ever();
}

// The answers of a provider that is named after its file: many copies offer tools of different names.
static void answer(const char *name, const char *const *parts) {
    if (holds(name, "sleeper")) pause_millis(50);
    if (holds(name, "hung")) wait_for_ever();
    char *end = buffer;
    for (; *parts != 0; parts++) end = append(append(end, *parts), parts[1] == 0 ? "" : name);
    put(buffer, (size)(end - buffer));
}

static const char *const MANIFEST[] = {
    "{\"name\":\"",
    "\",\"version\":\"1.0.0\",\"description\":\"Answers at once.\",\"provider_type\":\"external-executable\","
    "\"protocol_version\":\"lonis.provider/v1\",\"tools\":[\"",
    ".echo\"]}\n", 0};
static const char *const LIST[] = {
    "{\"provider\":\"", "\",\"tools\":[{\"name\":\"", ".echo\",\"description\":\"Gives its input back.\"}]}\n", 0};
static const char *const CONTRACT[] = {
    "{\"name\":\"",
    ".echo\",\"description\":\"Gives its input back.\",\"determinism\":\"deterministic\",\"side_effects\":\"none\"}\n",
    0};

static int act(long count, char **words) {
    const char *mode = count > 1 ? words[1] : "exit";
    long number = count > 2 ? number_of(words[2]) : 0;
    if (is(mode, "exit")) return 0;
    if (is(mode, "echo")) return echo(), 0;
    if (is(mode, "blocks") && count > 3 && is(words[3], "timed")) return timed_blocks(number), 0;
    if (is(mode, "blocks")) return blocks(number, count > 3), 0;
    if (is(mode, "stamped")) return stamped(number), 0;
    if (is(mode, "sleep")) return pause_millis(number), 0;
    if (is(mode, "hold")) return hold(), 0;
    const char *name = words[0];
    for (const char *at = words[0]; *at != 0; at++)
        if (*at == '/') name = at + 1;
    if (begins(name, "lonis-")) name += 6;
    const char *last = words[count - 1];
    if (is(last, "manifest")) return answer(name, MANIFEST), 0;
    if (is(last, "list")) return answer(name, LIST), 0;
    if (count > 2 && is(words[count - 2], "describe")) return answer(name, CONTRACT), 0;
    if (count > 2 && is(words[count - 2], "call")) return echo(), 0;
    return 64;
}

// The stack as the system leaves it: the count of words, then their addresses.
__attribute__((used, noreturn)) void begin(long *stack) {
    leave(act(stack[0], (char **)(stack + 1)));
    __builtin_unreachable();
}
