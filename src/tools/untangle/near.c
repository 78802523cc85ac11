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

/* Box of a vertex, enlarged by `margin`; with a direction the box of its projection along that. */
static AbutBox VertexBox(PetscInt dim, const PetscReal x[], PetscReal margin, const PetscReal direction[3])
{
  const PetscReal along = direction ? AbutDot(dim, x, direction) : 0;
  AbutBox         box   = {{0}, {0}};

  for (PetscInt k = 0; k < dim; k++) {
    const PetscReal at = direction ? x[k] - along * direction[k] : x[k];

    box.lo[k] = AbutFloatBelow(at - margin);
    box.hi[k] = AbutFloatAbove(at + margin);
  }
  return box;
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

PetscErrorCode BoundaryTree(int nv, PetscInt n, const int32_t v[], const AbutBox box[], AbutBVH *tree)
{
  PetscFunctionBegin;
  PetscCall(AbutBVHSetSize(tree, (int32_t)n));
  PetscCall(AbutBVHBuild(tree, nv, v, box));
  AbutBVHRefit(tree, nv, v, box, 0);
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

/* Overlapping pairs of two lists of entities; a list that is given twice pairs with itself. */
static PetscErrorCode Overlap(Query *q, const PetscInt num[2], const AbutBox box[])
{
  const PetscBool same    = (PetscBool)(q->v[0] == q->v[1]);
  AbutBVH         tree[2] = {{0}, {0}};

  PetscFunctionBegin;
  for (int s = 0; s < (same ? 1 : 2); s++) PetscCall(BoundaryTree(q->n[s], num[s], q->v[s], box, &tree[s]));
  AbutBVHOverlap(&tree[0], &tree[same ? 0 : 1], AddAll, q);
  for (int s = 0; s < 2; s++) PetscCall(AbutBVHDestroy(&tree[s]));
  PetscFunctionReturn(q->code);
}

PetscErrorCode FindNear(const Boundary *b, PetscReal distance, Near *near)
{
  const PetscReal dist2 = distance * distance;
  int32_t        *all;
  AbutBox        *box;

  PetscFunctionBegin;
  *near = (Near){{0}};
  PetscCall(BoundaryBoxes(b, distance / 2, NULL, NULL, &box));
  PetscCall(PetscMalloc1(b->num_vertices, &all));
  for (PetscInt v = 0; v < b->num_vertices; v++) all[v] = (int32_t)v;
  PetscCall(Overlap(&(Query){b, {1, (int)b->dim}, {all, b->element}, dist2, &near->vertex, 0},
                    (PetscInt[]){b->num_vertices, b->num_elements}, box));
  if (b->dim == 3) PetscCall(Overlap(&(Query){b, {2, 2}, {b->edge, b->edge}, dist2, &near->edge, 0}, (PetscInt[]){b->num_edges, 0}, box));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

PetscErrorCode FindNearOf(const Boundary *b, const Pair *pair, PetscReal distance, Near *near)
{
  const PetscReal dist2 = distance * distance;
  const int32_t  *edges[2];
  int32_t        *all;
  PetscInt        num[2];
  AbutBox        *box;

  PetscFunctionBegin;
  *near = (Near){{0}};
  PetscCall(BoundaryBoxes(b, distance / 2, NULL, pair->party, &box));
  PetscCall(PetscMalloc1(b->num_vertices, &all));
  for (int s = 0; s < 2; s++)
    for (PetscInt v = b->vertex_start[pair->party[s]]; v < b->vertex_start[pair->party[s] + 1]; v++) all[v] = (int32_t)v;
  for (int s = 0; s < 2; s++) {
    const PetscInt own = pair->party[s], other = pair->party[1 - s], *start[2] = {b->vertex_start, b->element_start};
    const int32_t *v[2] = {all + start[0][own], b->element + b->dim * start[1][other]};

    PetscCall(Overlap(&(Query){b, {1, (int)b->dim}, {v[0], v[1]}, dist2, &near->vertex, 0},
                      (PetscInt[]){start[0][own + 1] - start[0][own], start[1][other + 1] - start[1][other]}, box));
  }
  for (int s = 0; s < 2; s++) {
    const PetscInt *start = &b->edge_start[pair->party[s]];

    edges[s] = b->edge + 2 * start[0];
    num[s]   = start[1] - start[0];
  }
  if (b->dim == 3) PetscCall(Overlap(&(Query){b, {2, 2}, {edges[0], edges[1]}, dist2, &near->edge, 0}, num, box));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

/* ---- Opposite elements */

/* Vertices, elements and edges of one body that may lie opposite the other. */
typedef struct {
  PetscInt num[3]; /* vertices, elements, edges */
  int32_t *v[3];   /* their vertices */
} Part;

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

/* Whether the entity meets the box and a vertex of it faces the other body; `facing` is indexed from the first vertex of the body. */
static PetscBool IsPart(const Boundary *b, PetscReal box[2][3], PetscInt first, const PetscBool facing[], PetscInt n, const int32_t v[])
{
  for (PetscInt i = 0; i < n; i++)
    if (facing[v[i] - first]) return BoundaryMeetsBox(b, box, n, v);
  return PETSC_FALSE;
}

/* Surfaces of side s face the other side where their normal opposes the direction in which they retreat. */
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

static PetscErrorCode PartCreate(const Boundary *b, const Pair *pair, int s, PetscReal box[2][3], Part *part)
{
  const PetscInt body = pair->party[s], first = b->vertex_start[body], num_vertices = b->vertex_start[body + 1] - first;
  const PetscInt width[3] = {1, b->dim, 2}, from[3] = {first, b->element_start[body], b->edge_start[body]};
  const PetscInt to[3] = {first + num_vertices, b->element_start[body + 1], b->edge_start[body + 1]};
  PetscBool     *facing;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num_vertices, &facing));
  PetscCall(SetFacing(b, pair, s, facing));
  for (int kind = 0; kind < 3; kind++) {
    const PetscInt w = width[kind];

    part->num[kind] = 0;
    PetscCall(PetscMalloc1(w * (to[kind] - from[kind]), &part->v[kind]));
    for (PetscInt e = from[kind]; e < to[kind]; e++) {
      const int32_t  vertex = (int32_t)e;
      const int32_t *v      = kind == 0 ? &vertex : kind == 1 ? &b->element[w * e] : &b->edge[w * e];

      if (IsPart(b, box, first, facing, w, v)) PetscCall(PetscArraycpy(&part->v[kind][w * part->num[kind]++], v, w));
    }
  }
  PetscCall(PetscFree(facing));
  PetscFunctionReturn(0);
}

PetscErrorCode FindOpposite(const Boundary *b, const Pair *pair, PetscReal margin, Near *near)
{
  Part      part[2];
  PetscReal common[2][3];
  AbutBox  *box;

  PetscFunctionBegin;
  *near = (Near){{0}};
  PairCommonBox(b, pair, margin, common);
  PetscCall(BoundaryBoxes(b, 0, pair->direction, pair->party, &box));
  for (int s = 0; s < 2; s++) PetscCall(PartCreate(b, pair, s, common, &part[s]));
  for (int s = 0; s < 2; s++)
    PetscCall(Overlap(&(Query){b, {1, (int)b->dim}, {part[s].v[0], part[1 - s].v[1]}, PETSC_MAX_REAL, &near->vertex, 0},
                      (PetscInt[]){part[s].num[0], part[1 - s].num[1]}, box));
  if (b->dim == 3)
    PetscCall(Overlap(&(Query){b, {2, 2}, {part[0].v[2], part[1].v[2]}, PETSC_MAX_REAL, &near->edge, 0},
                      (PetscInt[]){part[0].num[2], part[1].num[2]}, box));
  for (int s = 0; s < 2; s++)
    for (int kind = 0; kind < 3; kind++) PetscCall(PetscFree(part[s].v[kind]));
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}
