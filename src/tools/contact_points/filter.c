/*
  Post-filter of redundant points [Erleben 2018, section 8.1]. Contacts are visited in order; a contact is kept unless an earlier kept
  contact of the same bodies has the same position, normal and length of the normal up to the tolerances. Kept contacts are in
  a hash of grid cells with twice the tolerance as width, so that at most eight cells can contain an equal position.
*/
#include "contact_pointsimpl.h"
#include <math.h>
#include <petsc/private/hashmapi.h>

typedef struct {
  const AbutPointRules *rules;
  AbutPointContact     *kept;
  PetscHMapI            head; /* hash of grid cell and bodies -> last kept contact with this hash, -1 if none */
  PetscInt             *next; /* [n] previous kept contact with the same hash, -1 */
} Grid;

static PetscInt Hash(const PetscInt body[2], const PetscReal cell[3])
{
  uint64_t h = 0x9e3779b97f4a7c15u ^ (uint64_t)body[0] ^ ((uint64_t)body[1] << 32);

  for (int i = 0; i < 3; i++) {
    uint64_t bits;
    double   value = (double)cell[i] + 0.; /* no negative zero */

    memcpy(&bits, &value, sizeof(bits));
    h = (h ^ bits) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return (PetscInt)(h & 0x3fffffff);
}

static PetscBool AreEqual(const AbutPointRules *rules, const AbutPointContact *a, const AbutPointContact *b)
{
  PetscReal position = 0, normal = 0;

  if (a->body[0] != b->body[0] || a->body[1] != b->body[1]) return PETSC_FALSE;
  for (int i = 0; i < 3; i++) {
    position += PetscSqr(a->position[i] - b->position[i]);
    normal += PetscSqr(a->normal[i] - b->normal[i]);
  }
  return (PetscBool)(position <= PetscSqr(rules->merge) && normal <= PetscSqr(rules->merge_normal) &&
                     PetscAbsReal(a->length - b->length) <= rules->merge_normal * PetscMax(a->length, b->length));
}

/* Lowers *found to the first kept contact in a grid cell that equals c. */
static PetscErrorCode FindInCell(const Grid *grid, const AbutPointContact *c, const PetscReal cell[3], PetscInt *found)
{
  PetscInt k;

  PetscFunctionBegin;
  PetscCall(PetscHMapIGet(grid->head, Hash(c->body, cell), &k));
  for (; k >= 0; k = grid->next[k])
    if (k < *found && AreEqual(grid->rules, &grid->kept[k], c)) *found = k;
  PetscFunctionReturn(0);
}

/* Grid cell of a position, and in `side` the direction of the nearer neighbour along each axis. */
static void Locate(const Grid *grid, const AbutPointContact *c, PetscReal cell[3], PetscReal side[3])
{
  for (int i = 0; i < 3; i++) {
    const PetscReal s = c->position[i] / (2 * grid->rules->merge);

    cell[i] = floor(s);
    side[i] = s - cell[i] < 0.5 ? -1 : 1;
  }
}

/* The first kept contact that equals c; PETSC_MAX_INT if there is none. */
static PetscErrorCode Find(const Grid *grid, const AbutPointContact *c, PetscInt *found)
{
  PetscReal cell[3], side[3];

  PetscFunctionBegin;
  Locate(grid, c, cell, side);
  *found = PETSC_MAX_INT;
  for (int n = 0; n < 8; n++) {
    PetscReal at[3];

    for (int i = 0; i < 3; i++) at[i] = cell[i] + (n >> i & 1 ? side[i] : 0);
    PetscCall(FindInCell(grid, c, at, found));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Insert(Grid *grid, PetscInt k)
{
  PetscReal cell[3], side[3];
  PetscInt  hash;

  PetscFunctionBegin;
  Locate(grid, &grid->kept[k], cell, side);
  hash = Hash(grid->kept[k].body, cell);
  PetscCall(PetscHMapIGet(grid->head, hash, &grid->next[k]));
  PetscCall(PetscHMapISet(grid->head, hash, k));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutPointContactsFilter(const AbutPointRules *rules, PetscBool add_weights, AbutPointContacts *contacts)
{
  Grid     grid = {.rules = rules, .kept = contacts->a};
  PetscInt kept = 0;

  PetscFunctionBegin;
  if (!(rules->merge > 0)) PetscFunctionReturn(0);
  PetscCall(PetscHMapICreate(&grid.head));
  PetscCall(PetscMalloc1(contacts->n, &grid.next));
  for (PetscInt k = 0; k < contacts->n; k++) {
    const AbutPointContact c = contacts->a[k];
    PetscInt               found;

    PetscCall(Find(&grid, &c, &found));
    if (found < PETSC_MAX_INT) {
      if (add_weights) contacts->a[found].weight += c.weight;
      continue;
    }
    contacts->a[kept] = c;
    PetscCall(Insert(&grid, kept++));
  }
  contacts->n = kept;
  PetscCall(PetscFree(grid.next));
  PetscCall(PetscHMapIDestroy(&grid.head));
  PetscFunctionReturn(0);
}
