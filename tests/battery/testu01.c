/* Runs a battery of TestU01 (Debian: libtestu01-0-dev, in non-free) over 32-bit words from standard input.

   cc -O2 tests/battery/testu01.c -ltestu01 -ltestu01probdist -ltestu01mylib -lm -o testu01
   python tests/battery/stream.py --seed 1 | ./testu01 SmallCrush

   With "reversed" as the second argument the bits of each word are reversed: the tests look at the upper ones most. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <testu01/bbattery.h>
#include <testu01/swrite.h>
#include <testu01/unif01.h>

static unsigned int words[1 << 18];
static size_t held, at;
static int reversed;

static unsigned int next_word(void) {
    if (at == held) {
        held = fread(words, sizeof *words, sizeof words / sizeof *words, stdin);
        at = 0;
        if (held == 0) {
            fprintf(stderr, "the stream ended\n");
            exit(1);
        }
    }
    unsigned int word = words[at++];
    if (!reversed) return word;
    unsigned int turned = 0;
    for (int bit = 0; bit < 32; bit++) turned |= (word >> bit & 1u) << (31 - bit);
    return turned;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "SmallCrush";
    reversed = count > 2 && strcmp(arguments[2], "reversed") == 0;
    unif01_Gen *generator = unif01_CreateExternGenBits("words of standard input", next_word);
    swrite_Basic = FALSE;
    if (strcmp(name, "SmallCrush") == 0) {
        bbattery_SmallCrush(generator);
    } else if (strcmp(name, "Crush") == 0) {
        bbattery_Crush(generator);
    } else if (strcmp(name, "BigCrush") == 0) {
        bbattery_BigCrush(generator);
    } else {
        fprintf(stderr, "SmallCrush, Crush or BigCrush, not %s\n", name);
        return 2;
    }
    unif01_DeleteExternGenBits(generator);
    return 0;
}
