/* Pairs of bodies that intersect, by exact predicates. */
#include "boundary.h"

PetscErrorCode PairsFind(const Pairs *pairs, PetscInt first, PetscInt second, Pair **pair)
{
  const PetscHashIJKey key = {PetscMin(first, second), PetscMax(first, second)};
  PetscInt             at  = -1;

  PetscFunctionBegin;
  if (pairs->index) PetscCall(PetscHMapIJGet(pairs->index, key, &at));
  *pair = at < 0 ? NULL : &pairs->a[at];
  PetscFunctionReturn(0);
}

PetscErrorCode PairsAdd(Pairs *pairs, PetscInt first, PetscInt second, Pair **pair)
{
  const PetscHashIJKey key = {PetscMin(first, second), PetscMax(first, second)};

  PetscFunctionBegin;
  PetscCall(PairsFind(pairs, first, second, pair));
  if (*pair) PetscFunctionReturn(0);
  if (!pairs->index) PetscCall(PetscHMapIJCreate(&pairs->index));
  PetscCall(AbutReserve(pairs->n + 1, &pairs->capacity, &pairs->a));
  PetscCall(PetscHMapIJSet(pairs->index, key, pairs->n));
  *pair  = &pairs->a[pairs->n++];
  **pair = (Pair){.party = {(PetscInt)key.i, (PetscInt)key.j}};
  PetscFunctionReturn(0);
}

PetscErrorCode PairsDestroy(Pairs *pairs)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(pairs->a));
  PetscCall(PetscHMapIJDestroy(&pairs->index));
  *pairs = (Pairs){0};
  PetscFunctionReturn(0);
}

/* Counts a crossing of the vertex with another party. */
static PetscErrorCode AddCrossing(const Boundary *b, Pairs *pairs, PetscInt vertex, PetscInt other)
{
  const PetscInt party = b->body[vertex];
  Pair          *pair;

  PetscFunctionBegin;
  PetscCall(PairsAdd(pairs, party, other, &pair));
  if (!pair->crossings++ && party == pair->party[0]) pair->vertex = b->id[vertex];
  PetscFunctionReturn(0);
}

typedef struct {
  const Boundary *b;
  const int32_t  *edge;
  Pairs          *pairs;
  PetscErrorCode  code;
} Query;

static PetscErrorCode TestPair(Query *q, const int32_t e[2], const int32_t f[])
{
  const Boundary  *b   = q->b;
  const PetscInt   dim = b->dim;
  const PetscReal *x[5];
  PetscInt         at;

  PetscFunctionBegin;
  if (BoundaryIsRigid(b, b->body[e[0]]) && BoundaryIsRigid(b, b->body[f[0]])) PetscFunctionReturn(0);
  if (BoundaryIsTied(b, 2, e, dim, f)) PetscFunctionReturn(0);
  if (b->may_fold && b->body[e[0]] == b->body[f[0]]) PetscFunctionReturn(0);
  for (PetscInt k = 0; k < 2 + dim; k++) x[k] = &b->x[dim * (k < 2 ? e[k] : f[k - 2])];
  for (PetscInt k = 0; k < 2 * dim; k++)
    if (e[k % 2] == f[k / 2]) PetscFunctionReturn(0);
  if (!(dim == 3 ? AbutSegmentTriangleIntersect(x[0], x[1], x[2], x[3], x[4]) : AbutSegmentsIntersect2D(x[0], x[1], x[2], x[3])))
    PetscFunctionReturn(0);
  at = b->body[e[0]] <= b->body[f[0]] ? e[0] : f[0];
  PetscCall(AddCrossing(b, q->pairs, at, b->body[at == e[0] ? f[0] : e[0]]));
  PetscFunctionReturn(0);
}

static PetscBool Test(void *ctx, int count, const int32_t (*pairs)[2])
{
  Query         *q   = (Query *)ctx;
  const PetscInt dim = q->b->dim;

  for (int i = 0; i < count && !q->code; i++) q->code = TestPair(q, &q->edge[2 * pairs[i][0]], &q->b->element[dim * pairs[i][1]]);
  return (PetscBool)!q->code;
}

static PetscErrorCode AddPlanes(const Boundary *b, Pairs *pairs)
{
  PetscFunctionBegin;
  for (PetscInt p = 0; p < b->num_planes; p++) {
    for (PetscInt v = 0; v < b->num_vertices; v++) {
      if (BoundaryIsRigid(b, b->body[v])) continue;
      if (AbutPlaneHeight(b->dim, b->planes[p].normal, b->planes[p].point, &b->x[b->dim * v]) > 0) continue;
      PetscCall(AddCrossing(b, pairs, v, b->num_bodies + p));
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode FindCrossings(const Boundary *b, Pairs *pairs, PetscInt *count)
{
  const PetscInt num_edges = b->dim == 3 ? b->num_edges : b->num_elements;
  Query          q         = {.b = b, .edge = b->dim == 3 ? b->edge : b->element, .pairs = pairs};
  AbutBVH        edges = {0}, faces = {0};
  AbutBox       *box;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < pairs->n; i++) pairs->a[i].crossings = 0;
  PetscCall(BoundaryBoxes(b, 0, NULL, NULL, &box));
  PetscCall(AbutBVHSetUp(&edges, num_edges, 2, q.edge, box));
  PetscCall(AbutBVHSetUp(&faces, b->num_elements, b->dim, b->element, box));
  AbutBVHOverlap(&edges, b->dim == 3 ? &faces : &edges, Test, &q);
  PetscCall(AbutBVHDestroy(&edges));
  PetscCall(AbutBVHDestroy(&faces));
  PetscCall(PetscFree(box));
  PetscCall(q.code);
  PetscCall(AddPlanes(b, pairs));
  for (PetscInt i = *count = 0; i < pairs->n; i++) *count += pairs->a[i].crossings;
  PetscFunctionReturn(0);
}
