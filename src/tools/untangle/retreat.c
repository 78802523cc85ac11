/*
  Bodies that move apart as wholes, without deformation. Pair by pair, both bodies move along the direction of the pair, by the measures of
  their volumes; against obstacles, planes and bodies that stay, one body moves by itself.
*/
#include "boundary.h"

#define MAX_SWEEPS 40   /* over all pairs */
#define MAX_FIXED  10   /* sweeps after which directions are found anew: those at the start may contradict each other */
#define MAX_STEPS  20   /* steps on the way apart along a direction */
#define LEAST      1e-3 /* shortest displacement [gap] */
#define SHALLOW    0.5  /* depth over the size of the smaller body, up to which bodies that overlap all around count as crossed */

typedef struct {
  PetscReal  gap;
  Boundary  *b;
  Pairs     *pairs;
  PetscReal *part;   /* [num_bodies] */
  PetscReal *way;    /* [dim * num_bodies] */
  PetscReal *volume; /* [num_bodies] 2D: areas */
} Retreat;

/* Volume within a closed surface; 2D: area. */
static PetscReal Volume(const Boundary *b, PetscInt body)
{
  PetscReal sum = 0;

  for (PetscInt e = b->element_start[body]; e < b->element_start[body + 1]; e++) {
    const int32_t *v = &b->element[b->dim * e];
    PetscReal      n[3];

    ElementNormal(b, v, n);
    for (PetscInt k = 0; k < b->dim; k++) sum += n[k] * (b->x[b->dim * v[0] + k] - b->x[b->dim * b->vertex_start[body] + k]);
  }
  return PetscAbsReal(sum) / (b->dim == 3 ? 6 : 2);
}

static PetscReal Part(const Retreat *r, PetscInt party)
{
  return BoundaryIsRigid(r->b, party) ? 0 : r->part[party];
}

/* Moves the vertices of a body along a unit vector. */
static void Shift(const Boundary *b, PetscInt body, PetscReal distance, const PetscReal along[3])
{
  for (PetscInt v = b->vertex_start[body]; v < b->vertex_start[body + 1]; v++)
    for (PetscInt k = 0; k < b->dim; k++) b->x[b->dim * v + k] += distance * along[k];
}

static PetscReal PlaneDepth(const Boundary *b, const Pair *pair)
{
  const AbutPlaneSpec *plane = &b->planes[pair->party[1] - b->num_bodies];
  PetscReal            depth = 0;

  for (PetscInt v = b->vertex_start[pair->party[0]]; v < b->vertex_start[pair->party[0] + 1]; v++)
    depth = PetscMax(depth, -AbutPlaneHeight(b->dim, plane->normal, plane->point, &b->x[b->dim * v]));
  return depth;
}

/*
  BoundaryDepthOf: the distance along the direction by which the pair must retreat. BoundaryDepth() sees the elements in the common box
  alone; others can meet on the way, so it is asked again there.
*/
static PetscErrorCode Depth(const Boundary *b, const Pair *pair, PetscReal most, PetscReal *depth)
{
  PetscReal  more = PETSC_MAX_REAL;
  PetscReal *x;
  PetscInt   first = b->dim * b->vertex_start[pair->party[0]], num = b->dim * b->vertex_start[pair->party[0] + 1] - first;

  PetscFunctionBegin;
  *depth = pair->party[1] < b->num_bodies ? 0 : PlaneDepth(b, pair);
  if (pair->party[1] >= b->num_bodies) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(num, &x));
  PetscCall(PetscArraycpy(x, &b->x[first], num));
  for (int step = 0; step < MAX_STEPS && more > 0 && *depth <= most; step++) {
    PetscCall(BoundaryDepth(b, pair, &more));
    *depth += more;
    Shift(b, pair->party[0], more, pair->direction);
  }
  if (more > 0) *depth = PetscMax(*depth, most);
  PetscCall(PetscArraycpy(&b->x[first], x, num));
  PetscCall(PetscFree(x));
  PetscFunctionReturn(0);
}

/* Largest extent of a body [m]. */
static PetscReal Size(const Boundary *b, PetscInt body)
{
  PetscReal size = 0;

  for (PetscInt k = 0; k < b->dim; k++) size = PetscMax(size, b->bodies[body].box[1][k] - b->bodies[body].box[0][k]);
  return size;
}

/* The direction along which a pair of bodies parts soonest. Open obstacles have a side of their own. */
static PetscErrorCode DirectPair(const Retreat *r, Pair *pair)
{
  const PetscInt *party = pair->party;
  Pair            least = *pair;
  PetscReal       depth = 0;

  PetscFunctionBegin;
  if (!pair->around) PetscCall(Depth(r->b, pair, PETSC_MAX_REAL, &depth));
  pair->depth = PetscMax(depth, TOUCHING * r->gap);
  if (party[1] >= r->b->num_bodies || PetscMax(Part(r, party[0]), Part(r, party[1])) <= 0) PetscFunctionReturn(0);
  for (int s = 0; s < 2; s++)
    if (BoundaryIsRigid(r->b, party[s]) && BoundaryIsSheet(r->b, party[s])) PetscFunctionReturn(0);
  least.depth  = depth;
  least.around = PETSC_FALSE;
  PetscCall(BoundaryLeast(r->b, Depth, &least));
  if (least.depth > 0 && (!pair->around || least.depth <= SHALLOW * PetscMin(Size(r->b, party[0]), Size(r->b, party[1])))) *pair = least;
  PetscFunctionReturn(0);
}

/* Gives the pairs that cross, and have none yet, directions and the depths along them. */
static PetscErrorCode DirectNew(const Retreat *r)
{
  PetscBool *active;

  PetscFunctionBegin;
  if (!PairsAreActive(r->pairs)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(r->pairs->n, &active));
  for (PetscInt i = 0; i < r->pairs->n; i++) active[i] = PairIsActive(&r->pairs->a[i]);
  PetscCall(BoundaryDirect(r->gap, r->b, r->pairs));
  for (PetscInt i = 0; i < r->pairs->n; i++) {
    if (active[i]) PetscCall(DirectPair(r, &r->pairs->a[i]));
  }
  PetscCall(PetscFree(active));
  PetscFunctionReturn(0);
}

/* Moves a body along a unit vector. */
static void Move(const Retreat *r, PetscInt body, PetscReal distance, const PetscReal along[3])
{
  const PetscInt dim = r->b->dim;

  if (distance == 0) return;
  for (PetscInt k = 0; k < dim; k++) {
    r->way[dim * body + k] += distance * along[k];
    for (int s = 0; s < 2; s++) r->b->bodies[body].box[s][k] += distance * along[k];
  }
  Shift(r->b, body, distance, along);
}

/* Moves the bodies of a pair, also the one that stays if `both`. *moved: they had to move. */
static PetscErrorCode RetreatPair(const Retreat *r, const Pair *pair, PetscBool both, PetscBool *moved)
{
  const PetscInt *party = pair->party;
  const PetscReal part  = PetscMax(Part(r, party[0]), Part(r, party[1]));
  PetscReal       depth, distance, share;

  PetscFunctionBegin;
  if (!part || !pair->crossings || pair->around || party[0] == party[1]) PetscFunctionReturn(0);
  PetscCall(Depth(r->b, pair, PETSC_MAX_REAL, &depth));
  if (depth >= PETSC_MAX_REAL) PetscFunctionReturn(0); /* no way apart */
  distance = part < 1 ? depth - (1 - part) * pair->depth : depth + r->gap;
  if (distance < LEAST * r->gap) PetscFunctionReturn(0);
  for (int s = 0; s < 2 && both; s++)
    if (!BoundaryIsRigid(r->b, party[s])) r->part[party[s]] = part;
  share = Part(r, party[0]) > 0 ? 1 : 0;
  if (share > 0 && Part(r, party[1]) > 0) share = r->volume[party[1]] / (r->volume[party[0]] + r->volume[party[1]]);
  Move(r, party[0], share * distance, pair->direction);
  Move(r, party[1], (share - 1) * distance, pair->direction);
  *moved = PETSC_TRUE;
  PetscFunctionReturn(0);
}

static PetscErrorCode Sweeps(const Retreat *r)
{
  PetscBool moved = PETSC_TRUE;

  PetscFunctionBegin;
  for (int sweep = 0; sweep < MAX_SWEEPS && moved; sweep++) {
    PetscInt count;

    PetscCall(FindCrossings(r->b, r->pairs, &count));
    if (sweep >= MAX_FIXED) PairsForget(r->pairs);
    PetscCall(DirectNew(r));
    moved = PETSC_FALSE;
    for (PetscInt i = 0; i < r->pairs->n; i++) PetscCall(RetreatPair(r, &r->pairs->a[i], (PetscBool)(sweep > 0), &moved));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryRetreat(PetscReal gap, Boundary *b, Pairs *pairs, PetscReal part[], PetscReal way[])
{
  Retreat r = {gap, b, pairs, part, way, NULL};

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(way, b->dim * b->num_bodies));
  PetscCall(PetscMalloc1(b->num_bodies, &r.volume));
  for (PetscInt i = 0; i < b->num_bodies; i++) r.volume[i] = Volume(b, i);
  b->may_fold = PETSC_TRUE;
  PetscCall(Sweeps(&r));
  PetscCall(PetscFree(r.volume));
  PetscFunctionReturn(0);
}
