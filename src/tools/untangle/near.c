/* Pairs of elements of different bodies that are close to each other, or opposite each other along a direction. */
#include "boundary.h"

PetscErrorCode NearDestroy(Near *near)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(near->vertex.a));
  PetscCall(PetscFree(near->edge.a));
  *near = (Near){{0}};
  PetscFunctionReturn(0);
}

/* Box of a vertex, enlarged by `margin`. With a direction: the box of the vertex's projection along it. */
static AbutBox VertexBox(PetscInt dim, const PetscReal x[], PetscReal margin, const PetscReal direction[3])
{
  const PetscReal along = direction ? AbutDot(dim, x, direction) : 0;
  PetscReal       at[3];

  for (PetscInt k = 0; k < dim; k++) at[k] = direction ? x[k] - along * direction[k] : x[k];
  return AbutBoxAround(dim, at, margin);
}

PetscErrorCode BoundaryBoxes(const Boundary *b, PetscReal margin, const PetscReal direction[3], const PetscInt bodies[2], AbutBox **box)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->num_vertices, box));
  for (int s = 0; s < (bodies ? 2 : 1); s++) {
    const PetscInt from = bodies ? b->vertex_start[bodies[s]] : 0, to = bodies ? b->vertex_start[bodies[s] + 1] : b->num_vertices;

    for (PetscInt v = from; v < to; v++) (*box)[v] = VertexBox(b->dim, &b->x[b->dim * v], margin, direction);
  }
  PetscFunctionReturn(0);
}

typedef struct {
  const Boundary *b;
  int             n[2];  /* vertices of the entities of both trees */
  const int32_t  *v[2];  /* entities of both trees */
  PetscReal       dist2; /* larger squared distances are left out; PETSC_MAX_REAL: no limit */
  Stencils       *found;
  PetscErrorCode  code;
} Query;

static AbutPairKind KindOf(const Query *q)
{
  return q->n[0] == 2 ? ABUT_PAIR_EE : q->b->dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV;
}

static PetscErrorCode Add(Query *q, const int32_t u[], const int32_t w[])
{
  const Boundary *b = q->b;
  Stencil         s = {{0}};
  PetscReal       x[12];

  PetscFunctionBegin;
  if (b->body[u[0]] == b->body[w[0]] || (BoundaryIsRigid(b, b->body[u[0]]) && BoundaryIsRigid(b, b->body[w[0]]))) PetscFunctionReturn(0);
  if (BoundaryIsTied(b, q->n[0], u, q->n[1], w)) PetscFunctionReturn(0);
  for (int k = 0; k < q->n[0] + q->n[1]; k++) {
    s.v[k] = k < q->n[0] ? u[k] : w[k - q->n[0]];
    for (PetscInt l = 0; l < b->dim; l++) x[b->dim * k + l] = b->x[b->dim * s.v[k] + l];
  }
  if (q->dist2 < PETSC_MAX_REAL && AbutPairDist2(KindOf(q), b->dim, x) > q->dist2) PetscFunctionReturn(0);
  PetscCall(AbutReserve(q->found->n + 1, &q->found->capacity, &q->found->a));
  q->found->a[q->found->n++] = s;
  PetscFunctionReturn(0);
}

static PetscBool AddAll(void *ctx, int count, const int32_t (*pairs)[2])
{
  Query *q = (Query *)ctx;

  for (int i = 0; i < count && !q->code; i++) q->code = Add(q, &q->v[0][q->n[0] * pairs[i][0]], &q->v[1][q->n[1] * pairs[i][1]]);
  return (PetscBool)!q->code;
}

/* Finds the overlapping pairs of two lists of entities; of one list with itself if both are the same. */
static PetscErrorCode Overlap(Query *q, const PetscInt num[2], const AbutBox box[])
{
  const PetscBool same    = (PetscBool)(q->v[0] == q->v[1]);
  AbutBVH         tree[2] = {{0}, {0}};

  PetscFunctionBegin;
  for (int s = 0; s < (same ? 1 : 2); s++) PetscCall(AbutBVHSetUp(&tree[s], num[s], q->n[s], q->v[s], box));
  AbutBVHOverlap(&tree[0], &tree[same ? 0 : 1], AddAll, q);
  for (int s = 0; s < 2; s++) PetscCall(AbutBVHDestroy(&tree[s]));
  PetscFunctionReturn(q->code);
}

/* Vertices, elements and edges of a body or of all. */
typedef struct {
  PetscInt       num[3]; /* vertices, elements, edges */
  const int32_t *v[3];   /* their vertices */
} Part;

static Part PartOf(const Boundary *b, PetscInt first_body, PetscInt last_body)
{
  const PetscInt *start[3] = {b->vertex_start, b->element_start, b->edge_start}, width[3] = {1, b->dim, 2};
  const int32_t  *all[3] = {b->self, b->element, b->edge};
  Part            part;

  for (int kind = 0; kind < 3; kind++) {
    part.num[kind] = start[kind][last_body + 1] - start[kind][first_body];
    part.v[kind]   = all[kind] ? all[kind] + width[kind] * start[kind][first_body] : NULL;
  }
  return part;
}

/* Pairs between two parts, or within one if both are the same. Larger squared distances than dist2 are left out. */
static PetscErrorCode FindBetween(const Boundary *b, const Part *first, const Part *second, PetscReal dist2, const AbutBox box[],
                                  Near *near)
{
  const Part *part[2] = {first, second};

  PetscFunctionBegin;
  for (int s = 0; s < (first == second ? 1 : 2); s++)
    PetscCall(Overlap(&(Query){b, {1, (int)b->dim}, {part[s]->v[0], part[1 - s]->v[1]}, dist2, &near->vertex, 0},
                      (PetscInt[]){part[s]->num[0], part[1 - s]->num[1]}, box));
  if (b->dim == 3)
    PetscCall(
      Overlap(&(Query){b, {2, 2}, {first->v[2], second->v[2]}, dist2, &near->edge, 0}, (PetscInt[]){first->num[2], second->num[2]}, box));
  PetscFunctionReturn(0);
}

PetscErrorCode FindNear(const Boundary *b, const PetscInt parties[2], PetscReal distance, Near *near)
{
  const Part first  = parties ? PartOf(b, parties[0], parties[0]) : PartOf(b, 0, b->num_bodies - 1);
  const Part second = parties ? PartOf(b, parties[1], parties[1]) : first;
  AbutBox   *box;

  PetscFunctionBegin;
  *near = (Near){{0}};
  PetscCall(BoundaryBoxes(b, distance / 2, NULL, parties, &box));
  PetscCall(FindBetween(b, &first, parties ? &second : &first, distance * distance, box, near));
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

/* ---- Opposite elements */

void PairCommonBox(const Boundary *b, const Pair *pair, PetscReal margin, PetscReal box[2][3])
{
  for (PetscInt k = 0; k < b->dim; k++) {
    box[0][k] = -PETSC_MAX_REAL;
    box[1][k] = PETSC_MAX_REAL;
    for (int s = 0; s < 2; s++) {
      PetscReal range[2] = {PETSC_MAX_REAL, -PETSC_MAX_REAL};

      for (PetscInt v = b->vertex_start[pair->party[s]]; v < b->vertex_start[pair->party[s] + 1]; v++) {
        range[0] = PetscMin(range[0], b->x[b->dim * v + k]);
        range[1] = PetscMax(range[1], b->x[b->dim * v + k]);
      }
      box[0][k] = PetscMax(box[0][k], range[0] - margin);
      box[1][k] = PetscMin(box[1][k], range[1] + margin);
    }
  }
}

PetscBool BoundaryMeetsBox(const Boundary *b, PetscReal box[2][3], PetscInt n, const int32_t v[])
{
  for (PetscInt k = 0; k < b->dim; k++) {
    PetscReal range[2] = {PETSC_MAX_REAL, -PETSC_MAX_REAL};

    for (PetscInt i = 0; i < n; i++) {
      range[0] = PetscMin(range[0], b->x[b->dim * v[i] + k]);
      range[1] = PetscMax(range[1], b->x[b->dim * v[i] + k]);
    }
    if (range[0] > box[1][k] || range[1] < box[0][k]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* Whether the entity meets the box and has a vertex that faces the other body. `facing` starts at the first vertex of the body. */
static PetscBool IsPart(const Boundary *b, PetscReal box[2][3], PetscInt first, const PetscBool facing[], PetscInt n, const int32_t v[])
{
  for (PetscInt i = 0; i < n; i++)
    if (facing[v[i] - first]) return BoundaryMeetsBox(b, box, n, v);
  return PETSC_FALSE;
}

/* Marks the vertices of side s that face the other side: their normal opposes the direction in which side s retreats. */
static PetscErrorCode SetFacing(const Boundary *b, const Pair *pair, int s, PetscBool facing[])
{
  const PetscInt body = pair->party[s], num = b->vertex_start[body + 1] - b->vertex_start[body];
  PetscReal     *normal;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->dim * num, &normal));
  BoundaryNormals(b, body, normal);
  for (PetscInt i = 0; i < num; i++) facing[i] = (PetscBool)((s ? 1 : -1) * AbutDot(b->dim, &normal[b->dim * i], pair->direction) > -1e-3);
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(0);
}

/* Lists the part of the body on side s that may lie opposite the other body. The caller frees the vertices list[3]. */
static PetscErrorCode PartCreate(const Boundary *b, const Pair *pair, int s, PetscReal box[2][3], int32_t *list[3], Part *part)
{
  const PetscInt body = pair->party[s], width[3] = {1, b->dim, 2};
  const Part     whole = PartOf(b, body, body);
  PetscBool     *facing;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(whole.num[0], &facing));
  PetscCall(SetFacing(b, pair, s, facing));
  for (int kind = 0; kind < 3; kind++) {
    const PetscInt w = width[kind];

    part->num[kind] = 0;
    PetscCall(PetscMalloc1(w * whole.num[kind], &list[kind]));
    for (PetscInt e = 0; e < whole.num[kind]; e++) {
      const int32_t *v = &whole.v[kind][w * e];

      if (IsPart(b, box, b->vertex_start[body], facing, w, v)) PetscCall(PetscArraycpy(&list[kind][w * part->num[kind]++], v, w));
    }
    part->v[kind] = list[kind];
  }
  PetscCall(PetscFree(facing));
  PetscFunctionReturn(0);
}

PetscErrorCode FindOpposite(const Boundary *b, const Pair *pair, PetscReal margin, Near *near)
{
  Part      part[2];
  int32_t  *list[2][3];
  PetscReal common[2][3];
  AbutBox  *box;

  PetscFunctionBegin;
  *near = (Near){{0}};
  PairCommonBox(b, pair, margin, common);
  PetscCall(BoundaryBoxes(b, 0, pair->direction, pair->party, &box));
  for (int s = 0; s < 2; s++) PetscCall(PartCreate(b, pair, s, common, list[s], &part[s]));
  PetscCall(FindBetween(b, &part[0], &part[1], PETSC_MAX_REAL, box, near));
  for (int k = 0; k < 6; k++) PetscCall(PetscFree(list[k / 3][k % 3]));
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}
