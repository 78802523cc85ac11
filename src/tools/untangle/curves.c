/* Runs the contact deformer for curves on the pairs of bodies that intersect in 2D. */
#include "boundary.h"

typedef struct {
  Boundary            *b;
  Pairs               *pairs;
  PetscInt            *index;               /* [bodies and planes] into the arrays below, -1: intersects nothing */
  PetscInt             num;                 /* curves */
  AbutUntangleSurface *surface;             /* [num] */
  PetscReal           *extent;              /* [num] */
  PetscInt           **elements, **contact; /* [num] edges; numbers of pairs */
  PetscReal          **x, **y;              /* [num] positions */
  PetscInt             num_pairs;
  AbutUntanglePair    *pair; /* [num_pairs] */
} Curves;

/* The curve of a body, or a segment on a plane whose ends are outside of all bodies. */
static PetscErrorCode CreateCurve(Curves *c, PetscInt party)
{
  const Boundary *b = c->b;
  const PetscInt  i = c->num, plane = party - b->num_bodies;
  const PetscInt  first = plane < 0 ? b->vertex_start[party] : 0, from = plane < 0 ? b->element_start[party] : 0;
  const PetscInt  num = plane < 0 ? b->vertex_start[party + 1] - first : 2, count = plane < 0 ? b->element_start[party + 1] - from : 1;
  PetscReal       size = 0;

  PetscFunctionBegin;
  AbutCheck(count > 0, ABUT_ERR_INPUT, "obstacle '%s' intersects a body; only curves can be moved apart, it has points",
            BoundaryName(b, party));
  PetscCall(PetscMalloc4(2 * count, &c->elements[i], num, &c->contact[i], 2 * num, &c->x[i], 2 * num, &c->y[i]));
  for (PetscInt k = 0; k < 2 * count; k++) c->elements[i][k] = plane < 0 ? b->element[2 * from + k] - first : 1 - k;
  if (plane < 0) PetscCall(PetscArraycpy(c->x[i], &b->x[2 * first], 2 * num));
  for (PetscInt v = 0; v < 2 * b->num_vertices && plane >= 0; v++)
    size = PetscMax(size, PetscAbsReal(b->x[v] - b->planes[plane].point[v % 2]));
  for (PetscInt v = 0; v < 2 && plane >= 0; v++) {
    c->x[i][2 * v]     = b->planes[plane].point[0] + (v ? 4 : -4) * size * b->planes[plane].normal[1];
    c->x[i][2 * v + 1] = b->planes[plane].point[1] - (v ? 4 : -4) * size * b->planes[plane].normal[0];
  }
  c->surface[i]   = (AbutUntangleSurface){.name         = BoundaryName(b, party),
                                          .num_vertices = num,
                                          .num_elements = count,
                                          .elements     = c->elements[i],
                                          .ids          = plane < 0 ? &b->id[first] : NULL,
                                          .stiffness    = plane < 0 ? b->stiffness[party] : 0,
                                          .x            = c->x[i]};
  c->extent[i]    = 0;
  c->index[party] = c->num++;
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateCurves(Curves *c)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < c->pairs->n; i++) {
    const Pair *pair = &c->pairs->a[i];

    if (!PairIsActive(pair)) continue;
    for (int s = 0; s < 2; s++) {
      if (c->index[pair->party[s]] < 0) PetscCall(CreateCurve(c, pair->party[s]));
      c->pair[c->num_pairs].surface[s]    = c->index[pair->party[s]];
      c->extent[c->index[pair->party[s]]] = PetscMax(c->extent[c->index[pair->party[s]]], PairExtent(c->b, pair));
    }
    c->num_pairs++;
  }
  PetscFunctionReturn(0);
}

/* Displaced positions and contact zones of the bodies. */
static void TakeBodies(Curves *c)
{
  for (PetscInt p = 0; p < c->b->num_bodies; p++) {
    const PetscInt first = c->b->vertex_start[p], curve = c->index[p];

    for (PetscInt v = 0; curve >= 0 && !BoundaryIsRigid(c->b, p) && v < c->surface[curve].num_vertices; v++) {
      for (PetscInt k = 0; k < 2; k++) c->b->x[2 * (first + v) + k] = c->y[curve][2 * v + k];
      if (c->contact[curve][v] >= 0) c->b->zone[first + v] = PETSC_TRUE;
    }
  }
}

/* Largest displacement of a party; 0 if it is rigid. */
static PetscReal Moved(const Curves *c, PetscInt party)
{
  const PetscInt i       = c->index[party];
  PetscReal      largest = 0;

  for (PetscInt v = 0; v < c->surface[i].num_vertices && !BoundaryIsRigid(c->b, party); v++)
    largest = PetscMax(largest, PetscSqr(c->y[i][2 * v] - c->x[i][2 * v]) + PetscSqr(c->y[i][2 * v + 1] - c->x[i][2 * v + 1]));
  return PetscSqrtReal(largest);
}

/* Results of the bodies; directions and depths of the pairs. */
static void TakeResults(Curves *c, const AbutDeformPairReport reports[])
{
  PetscInt next = 0;

  for (PetscInt i = 0; i < c->pairs->n; i++) {
    Pair *pair = &c->pairs->a[i];

    if (!PairIsActive(pair)) continue;
    for (PetscInt k = 0; k < 2; k++) pair->direction[k] = reports[next].direction[k];
    pair->depth = PairDepth(reports[next++].depth, Moved(c, pair->party[0]) + Moved(c, pair->party[1]));
  }
  TakeBodies(c);
}

PetscErrorCode BoundaryDeformCurves(Boundary *b, Pairs *pairs)
{
  const PetscInt        total = b->num_bodies + b->num_planes;
  Curves                c     = {.b = b, .pairs = pairs};
  AbutDeformPairReport *reports;
  PetscErrorCode        code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(total, &c.index, total, &c.surface, total, &c.extent, total, &c.elements));
  PetscCall(PetscMalloc5(total, &c.contact, total, &c.x, total, &c.y, pairs->n, &c.pair, pairs->n, &reports));
  for (PetscInt i = 0; i < total; i++) c.index[i] = -1;
  code = CreateCurves(&c);
  if (!code) code = AbutUntangleCurves(c.num, c.surface, c.num_pairs, c.pair, c.extent, c.y, c.contact, reports);
  if (!code) TakeResults(&c, reports);
  for (PetscInt i = 0; i < c.num; i++) PetscCall(PetscFree4(c.elements[i], c.contact[i], c.x[i], c.y[i]));
  PetscCall(PetscFree4(c.index, c.surface, c.extent, c.elements));
  PetscCall(PetscFree5(c.contact, c.x, c.y, c.pair, reports));
  PetscFunctionReturn(code);
}
