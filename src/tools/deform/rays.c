/*
  Hits of rays along the mapping direction. All decisions are exact for the rounded coordinates (a, b), with side 1 translated by the
  infinitesimal vector (e, e^2): a ray between two neighbouring triangles hits exactly one of them, and no ray hits a triangle parallel to
  d.

  A face of a fold with vertices on both sides of the cut between two regions belongs to each side where it is front-facing. So hits change
  continuously when the cut passes to other edges.
*/
#include <abut/geom.h>
#include "pairimpl.h"
#include <math.h>

PetscErrorCode AbutRaysCreate(AbutDeformPair *pair)
{
  struct _p_AbutRays *rays;

  PetscFunctionBegin;
  PetscCall(PetscNew(&pair->rays));
  rays = pair->rays;
  for (PetscInt s = 0; s < 2; s++) PetscCall(PetscMalloc1(3 * pair->surface[s]->num_vertices, &rays->position[s]));
  PetscCall(AbutRayGridsCreate(pair));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRaysDestroy(AbutDeformPair *pair)
{
  PetscFunctionBegin;
  if (!pair->rays) PetscFunctionReturn(0);
  for (PetscInt s = 0; s < 2; s++) PetscCall(PetscFree(pair->rays->position[s]));
  PetscCall(AbutRayGridsDestroy(pair));
  PetscCall(PetscFree(pair->rays));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRaysSet(AbutDeformPair *pair, const PetscReal *const x[2])
{
  struct _p_AbutRays *rays = pair->rays;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(rays->axis[2], pair->direction, 3));
  rays->tolerance = 1e-12 * (pair->surface[0]->size + pair->surface[1]->size);
  AbutTangents(3, pair->direction, rays->axis);
  for (PetscInt s = 0; s < 2; s++) {
    const AbutDeformSurface surface = pair->surface[s];

    for (PetscInt i = 0; i < surface->num_vertices; i++)
      for (PetscInt k = 0; k < 3; k++) rays->position[s][3 * i + k] = AbutDot(3, rays->axis[k], &x[s][3 * i]);
  }
  PetscCall(AbutRayGridsSet(pair));
  PetscFunctionReturn(0);
}

/* AbutShiftedOrientation(); *area is the rounded determinant, the area of a parallelogram with a sign. */
static inline int OrientedArea(const PetscReal p[2], const PetscReal q[2], const PetscReal r[2], int shift, PetscReal *area)
{
  /* most signs exceed the error bound of the rounded determinant, which is below this */
  const PetscReal left = (p[0] - r[0]) * (q[1] - r[1]), right = (p[1] - r[1]) * (q[0] - r[0]);
  const PetscReal bound = 4e-16 * (PetscAbsReal(left) + PetscAbsReal(right));
  int             sign;

  *area = left - right;
  if (PetscLikely(PetscAbsReal(*area) > bound)) return *area > 0 ? 1 : -1;
  sign = (p[0] == r[0] && p[1] == r[1]) || (q[0] == r[0] && q[1] == r[1]) ? 0 : AbutOrient2D(p, q, r);
  if (sign) return sign;
  if (p[1] != q[1]) return p[1] > q[1] ? shift : -shift;
  if (p[0] != q[0]) return q[0] > p[0] ? shift : -shift;
  return 0;
}

int AbutShiftedOrientation(const PetscReal p[2], const PetscReal q[2], const PetscReal r[2], int shift)
{
  PetscReal area;

  return OrientedArea(p, q, r, shift, &area);
}

/* Receives each hit of a ray, in any order. */
typedef void (*RayFn)(void *ctx, const AbutRayHit *hit);

typedef struct {
  const AbutDeformPair *pair;
  const PetscReal      *position; /* of the other side */
  const PetscBool      *part;     /* of the other side, NULL: all vertices */
  const int32_t        *faces;    /* of the other side */
  const PetscReal      *start;    /* a, b, c of the ray */
  PetscInt              side;     /* where the ray starts */
  RayFn                 fn;       /* receives the hits */
  void                 *ctx;
} RayQuery;

static void TestFace(const RayQuery *q, int32_t face)
{
  const int32_t   *v    = &q->faces[3 * face];
  const PetscReal *x[3] = {&q->position[3 * v[0]], &q->position[3 * v[1]], &q->position[3 * v[2]]};
  PetscReal        area[3];
  const int        shift = q->side ? 1 : -1, sign = OrientedArea(x[0], x[1], q->start, shift, &area[2]);
  const PetscBool  cut = (PetscBool)(q->part && !(q->part[v[0]] && q->part[v[1]] && q->part[v[2]]));
  AbutRayHit       hit = {.face = face, .leaves = q->side ? -sign : sign};
  PetscReal        sum = 0, facing = 0;

  if (!sign || OrientedArea(x[1], x[2], q->start, shift, &area[0]) != sign || OrientedArea(x[2], x[0], q->start, shift, &area[1]) != sign)
    return;
  for (PetscInt k = 0; k < 3; k++) sum += hit.bary[k] = PetscAbsReal(area[k]);
  for (PetscInt k = 0; k < 3; k++) {
    hit.bary[k] = sum > 0 ? hit.bary[k] / sum : 1. / 3;
    hit.height += hit.bary[k] * AbutRayHeight(q->side, x[k]);
  }
  for (PetscInt k = 0; k < 3 && cut; k++) facing += hit.bary[k] * AbutPairFacing(q->pair, 1 - q->side, v[k]);
  if (facing > 0) return;
  q->fn(q->ctx, &hit);
}

/*
  Visits the hits with faces of the other side of the ray along d_s from a point of side s = `side` with coordinates start = (a, b, c). Hits
  before the start may be among them.
*/
static void VisitHits(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], RayFn fn, void *ctx)
{
  const PetscInt     other = 1 - side;
  const AbutRayGrid *grid  = &pair->rays->grid[other];
  const RayQuery     query = {pair, pair->rays->position[other], pair->part[other], pair->surface[other]->tree_input.face, start, side, fn,
                              ctx};
  const PetscReal    a = start[0], b = start[1], low = AbutRayHeight(side, start) - 2 * pair->rays->tolerance;
  const PetscInt    *cell;

  if (!(a >= grid->lo[0] && a <= grid->hi[0] && b >= grid->lo[1] && b <= grid->hi[1])) return;
  cell = &grid->start[AbutRayGridCell(grid, 1, b) * grid->cells[0] + AbutRayGridCell(grid, 0, a)];
  for (PetscInt i = cell[0]; i < cell[1]; i++) {
    const AbutRayFace *face = &grid->face[grid->item[i]];

    /* one branch: most faces of a cell are elsewhere */
    if ((a >= face->lo[0]) & (a <= face->hi[0]) & (b >= face->lo[1]) & (b <= face->hi[1]) & (face->top >= low))
      TestFace(&query, face->face);
  }
}

/*
  ---- Hits that count: up to the point where the ray leaves the other body for a part of it that the own body does not meet, as the far
  side of a ring around a bar. A point that moved there would pierce its own body.
*/

/* The hits of a ray while they are found. */
typedef struct {
  AbutRayHits *hits;
  PetscReal    start; /* height of the start [m] */
} HitQuery;

/* Puts a hit into its place; of more than MAX_RAY_HITS the nearest are lost. */
static void KeepHit(void *ctx, const AbutRayHit *hit)
{
  const HitQuery *query = ctx;
  AbutRayHits    *hits  = query->hits;
  PetscInt        at    = hits->num;

  if (hit->height > query->start) hits->leaves += hit->leaves;
  if (hit->height < hits->low) return;
  while (at > 0 &&
         (hits->hit[at - 1].height > hit->height || (hits->hit[at - 1].height == hit->height && hits->hit[at - 1].face < hit->face)))
    at--;
  if (hits->num == MAX_RAY_HITS) {
    if (!at) return;
    at--;
    for (PetscInt i = 0; i < at; i++) hits->hit[i] = hits->hit[i + 1];
  } else {
    for (PetscInt i = hits->num++; i > at; i--) hits->hit[i] = hits->hit[i - 1];
  }
  hits->hit[at] = *hit;
}

/* The own body on a part of a ray. Its rays run backwards, from the upper end. */
typedef struct {
  PetscReal from;   /* start of the ray, from which an open surface has a body [m] */
  PetscReal low;    /* lower end of the part [m] */
  PetscBool closed; /* the own surface is closed: all hits count */
  PetscBool meets;  /* a hit lies on the part */
  int       inside; /* the lower end is inside the own body, if above 0 */
} OwnBody;

static void AddOwnHit(void *ctx, const AbutRayHit *hit)
{
  OwnBody        *own    = ctx;
  const PetscReal height = -hit->height;

  if (height >= own->low)
    own->meets = PETSC_TRUE;
  else if (own->closed || height > own->from)
    own->inside += hit->leaves;
}

/*
  Whether the body of side `side` meets the part low <= height <= high of a ray. The body of an open surface, or of a region, has no other
  side: a ray is inside of it from its start to the first hit.
*/
static PetscBool OwnBodyMeets(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], PetscReal low, PetscReal high)
{
  const PetscBool closed = (PetscBool)(pair->surface[side]->closed && !pair->part[side]);
  const PetscReal from   = AbutRayHeight(side, start) + pair->rays->tolerance;
  OwnBody         own    = {from, low, closed, PETSC_FALSE, closed ? 0 : 1};

  VisitHits(pair, 1 - side, (PetscReal[]){start[0], start[1], side ? -high : high}, AddOwnHit, &own);
  return (PetscBool)(own.meets || own.inside > 0);
}

void AbutRaysHits(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayHits *hits)
{
  HitQuery query = {hits, AbutRayHeight(side, start)};
  int      inside;

  hits->num    = 0;
  hits->leaves = 0;
  hits->low    = query.start - pair->rays->tolerance;
  VisitHits(pair, side, start, KeepHit, &query);
  if (hits->num < 2 || pair->crease) return;
  inside = hits->hit[0].leaves > 0;
  for (PetscInt i = 0; i < hits->num; i++) {
    const PetscReal low = hits->hit[i].height, high = hits->hit[PetscMin(i + 1, hits->num - 1)].height;

    if (i && inside <= 0 && hits->hit[i].leaves < 0 && !OwnBodyMeets(pair, side, start, low, high)) {
      hits->num = i;
      return;
    }
    inside -= hits->hit[i].leaves;
  }
}

PetscBool AbutRaysFarthest(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3], AbutRayHit *hit)
{
  AbutRayHits hits;

  AbutRaysHits(pair, side, start, &hits);
  *hit = hits.num ? hits.hit[hits.num - 1] : (AbutRayHit){.face = -1};
  return (PetscBool)(hits.num > 0);
}

/* Counts the faces beyond the start through which a ray leaves the other body, minus those through which it enters. */
typedef struct {
  PetscReal low; /* start of the ray along d_s [m] */
  int       count;
} InsideQuery;

static void CountHit(void *ctx, const AbutRayHit *hit)
{
  InsideQuery *query = ctx;

  if (hit->height > query->low) query->count += hit->leaves;
}

PetscBool AbutRaysInside(const AbutDeformPair *pair, PetscInt side, const PetscReal start[3])
{
  InsideQuery query = {.low = AbutRayHeight(side, start)};

  VisitHits(pair, side, start, CountHit, &query);
  return (PetscBool)(query.count > 0);
}

void AbutRaysSetInside(AbutDeformPair *pair, PetscInt side)
{
  const AbutDeformSurface surface = pair->surface[side];
  const PetscReal        *d       = pair->mapping[side].direction;

  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    const PetscBool faces = (PetscBool)((!pair->part[side] || pair->part[side][v]) && AbutDot(3, &surface->normal[3 * v], d) <= 0);

    pair->curve.inside[side][v] = (PetscBool)(faces && AbutRaysInside(pair, side, &pair->rays->position[side][3 * v]));
  }
}
