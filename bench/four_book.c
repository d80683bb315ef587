/* The book of Four in a Row: for each position that the robot's own search could not solve in time, the best column.

   gcc -O3 -o four_book bench/four_book.c && ./four_book 200000 > pbm/bots/four.txt

   Whoever follows the book, as either side, meets at each of their turns a position that is in it or that a search of
   LIMIT positions solves, whatever the other side does. It takes half an hour of processor time and a gigabyte. A line
   of the output is a position, the digit of a column, from 0, and the value for the side to move: 1, 0 or -1. A
   position is its key in hexadecimal; of a position and its mirror image it is that with the smaller key. Of several
   best columns the one nearest to the middle is taken; if all lose, it is one that is not lost at once.
*/
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t Cells; /* a bit for each square: column * 7 + row, the seventh row empty */
typedef struct { Cells own, taken; int plies; } Board; /* own: of the side to move */

enum { WIDTH = 7, HEIGHT = 6, STRIDE = 7, BITS = 27, SMALL_BITS = 20 };
static const int ORDER[WIDTH] = {3, 2, 4, 1, 5, 0, 6};
static Cells bottom, full;

static Cells column(int x) { return ((1ULL << HEIGHT) - 1) << x * STRIDE; }

/* The free squares that would complete four of these stones. */
static Cells completing(Cells own, Cells taken) {
    Cells found = own << 1 & own << 2 & own << 3;
    for (int step = HEIGHT; step <= HEIGHT + 2; step++) {
        Cells two = own << step & own << 2 * step;
        found |= two & own << 3 * step;
        found |= two & own >> step;
        two = own >> step & own >> 2 * step;
        found |= two & own << step;
        found |= two & own >> 3 * step;
    }
    return found & (full ^ taken);
}

static Cells playable(Cells taken) { return (taken + bottom) & full; }

static Cells key_of(Board at) { return at.own + at.taken + bottom; }

static Cells mirrored(Cells cells) {
    Cells found = 0;
    for (int x = 0; x < WIDTH; x++) found |= (cells >> x * STRIDE & 0x7f) << (WIDTH - 1 - x) * STRIDE;
    return found;
}

static Cells canonical(Board at) {
    Board other = {mirrored(at.own), mirrored(at.taken), at.plies};
    Cells key = key_of(at), image = key_of(other);
    return key < image ? key : image;
}

/* A table of what is known: the key, and four bits for the bounds. */
typedef struct { uint64_t *rows; int bits; uint64_t nodes, limit; int full_up; } Table;
static Table large, small;

static uint64_t *row_of(Table *table, Cells key) { return table->rows + (key * 0x9E3779B97F4A7C15ULL >> (64 - table->bits)); }

static Board after(Board at, Cells move) { Board next = {at.own ^ at.taken, at.taken | move, at.plies + 1}; return next; }

static int value(Table *table, Board at, int low, int high) {
    if (table->full_up) return 0;
    if (++table->nodes > table->limit) { table->full_up = 1; return 0; }
    Cells others = at.own ^ at.taken, moves = playable(at.taken);
    if (completing(at.own, at.taken) & moves) return 1;
    Cells threats = completing(others, at.taken), forced = threats & moves;
    if (forced) {
        if (forced & (forced - 1)) return -1;
        moves = forced;
    }
    moves &= ~(threats >> 1);
    if (!moves) return at.plies == WIDTH * HEIGHT ? 0 : -1;
    if (at.plies >= WIDTH * HEIGHT - 2) return 0;
    Cells key = at.plies < 22 ? canonical(at) : key_of(at);
    uint64_t *row = row_of(table, key);
    int least = -1, most = 1;
    if (*row >> 8 == key) { least = (int)(*row & 3) - 1; most = (int)(*row >> 2 & 3) - 1; }
    if (low < least) low = least;
    if (high > most) high = most;
    if (low >= high) return least >= high ? least : most;
    Cells order[WIDTH];
    int worth[WIDTH], count = 0;
    for (int i = 0; i < WIDTH; i++) {
        Cells move = moves & column(ORDER[i]);
        if (!move) continue;
        int worthy = __builtin_popcountll(completing(at.own | move, at.taken | move)), place = count++;
        for (; place && worth[place - 1] < worthy; place--) { worth[place] = worth[place - 1]; order[place] = order[place - 1]; }
        worth[place] = worthy;
        order[place] = move;
    }
    int best = -1, floor = low;
    for (int i = 0; i < count; i++) {
        int got = -value(table, after(at, order[i]), -high, -floor);
        if (table->full_up) return 0;
        if (got > best) best = got;
        if (best >= high) break;
        if (best > floor) floor = best;
    }
    if (best >= high) least = best > least ? best : least;
    else if (best <= low) most = best < most ? best : most;
    else least = most = best;
    *row = key << 8 | (uint64_t)(least + 1) | (uint64_t)(most + 1) << 2;
    return best;
}

static int easy(Board at, uint64_t limit) {
    memset(small.rows, 0, sizeof(uint64_t) << small.bits);
    small.nodes = 0; small.limit = limit; small.full_up = 0;
    value(&small, at, -1, 1);
    return !small.full_up;
}

/* The positions that were visited: an open hash table. */
static Cells *met; static size_t room = 1 << 24;
static int is_new(Cells key) {
    size_t at = key * 0x9E3779B97F4A7C15ULL >> 40;
    while (met[at]) { if (met[at] == key) return 0; at = (at + 1) % room; }
    met[at] = key;
    return 1;
}

static uint64_t limit; static long entries, leaves; static long by_ply[43];

typedef struct { int column, value; } Best;

/* The first column that wins, else the first that draws, else the first that stops a win in one. */
static Best best_of(Board at) {
    Cells now = completing(at.own ^ at.taken, at.taken) & playable(at.taken);
    Best lost = {-1, -1};
    for (int wanted = 1; wanted >= 0; wanted--)
        for (int i = 0; i < WIDTH; i++) {
            Cells move = playable(at.taken) & column(ORDER[i]);
            if (!move) continue;
            if (-value(&large, after(at, move), -wanted, 1 - wanted) >= wanted) return (Best){ORDER[i], wanted};
            if (lost.column < 0 || now & move) lost.column = ORDER[i];
        }
    return lost;
}

static void visit(Board at) {
    Cells key = canonical(at);
    if (!is_new(key)) return;
    if (easy(at, limit)) { leaves++; return; }
    if (key != key_of(at)) at = (Board){mirrored(at.own), mirrored(at.taken), at.plies};
    Best best = best_of(at);
    printf("%llx %d %d\n", (unsigned long long)key, best.column, best.value);
    fflush(stdout);
    by_ply[at.plies]++;
    if (++entries % 1000 == 0) {
        fprintf(stderr, "%ld entries, %ld leaves, %.0fM nodes:", entries, leaves, large.nodes / 1e6);
        for (int i = 0; i < 30; i++) fprintf(stderr, " %ld", by_ply[i]);
        fprintf(stderr, "\n");
    }
    Board next = after(at, playable(at.taken) & column(best.column));
    for (int i = 0; i < WIDTH; i++) {
        Cells reply = playable(next.taken) & column(ORDER[i]);
        if (reply && !(completing(next.own, next.taken) & reply)) visit(after(next, reply));
    }
}

int main(int count, char **words) {
    if (count != 2) return fprintf(stderr, "four_book LIMIT\n"), 2;
    for (int x = 0; x < WIDTH; x++) { bottom |= 1ULL << x * STRIDE; full |= column(x); }
    large = (Table){calloc(1ULL << BITS, 8), BITS, 0, ~0ULL, 0};
    small = (Table){calloc(1ULL << SMALL_BITS, 8), SMALL_BITS, 0, 0, 0};
    met = calloc(room, 8);
    limit = strtoull(words[1], 0, 10);
    Board start = {0, 0, 0};
    visit(start);
    for (int x = 0; x <= WIDTH / 2; x++) visit(after(start, playable(0) & column(x)));
    fprintf(stderr, "%ld entries, %ld leaves\n", entries, leaves);
    return 0;
}
