/*
  Warns of surfaces that lie wholly inside the material of another body. No edge crosses a face there, so that the check of intersections
  does not see them. A connected component of a surface that crosses no other one lies on one side of it: the winding number of each body
  around one vertex of the component decides. The surface of a body has a cavity as a component of its own, so the number is 0 in a cavity.

  The winding number is the signed number of elements that a ray from the vertex crosses: along z, in 2D along x. Exact predicates and
  half-open edges count each crossing once, also where the ray meets an edge or a vertex of the surface.
*/
#include "app.h"
#include <abut/bvh.h>
#include <abut/containers.h>
#include <stdlib.h>

/* One vertex of a connected component of a surface. */
typedef struct {
  PetscReal x[3];
  PetscInt  id, body;
} Component;

/* A crossing of the ray from a component with the surface of a body. */
typedef struct {
  PetscInt id, body; /* of the component */
  PetscInt holder, winding;
} Crossing;

typedef struct {
  PetscInt  n, capacity;
  Crossing *a;
} Crossings;

typedef struct {
  const AbutMeshLocal *m;
  const PetscReal     *x;        /* [num_local * dim] */
  PetscReal           *box;      /* [6 * num_bodies] lower corner, then the upper corner negated */
  PetscInt             num;      /* elements of bodies on this rank */
  int32_t             *elements; /* [num * dim] */
  AbutBVH              tree;
  const Component     *at;
  Crossings            found;
  PetscErrorCode       code;
} Search;

/* ---- Winding number */

/* Crossings of the ray from p along +x with the edge ab: 1 upward, -1 downward, else 0. The lower end belongs to the edge. */
static int CrossEdge(const PetscReal p[], const PetscReal a[], const PetscReal b[])
{
  if (a[1] <= p[1] && p[1] < b[1]) return AbutOrient2D(a, b, p) > 0;
  if (b[1] <= p[1] && p[1] < a[1]) return -(AbutOrient2D(a, b, p) < 0);
  return 0;
}

/* Crossings of the ray from p along +z with a triangle: 1 from inside to outside, -1 the other way, else 0. */
static int CrossTriangle(const PetscReal p[], const PetscReal a[], const PetscReal b[], const PetscReal c[])
{
  const int around = CrossEdge(p, a, b) + CrossEdge(p, b, c) + CrossEdge(p, c, a);

  return around * AbutOrient3D(a, b, c, p) < 0 ? around : 0;
}

static PetscBool IsInBox(const Search *s, PetscInt body, const PetscReal p[])
{
  const PetscReal *box = &s->box[6 * body];

  for (PetscInt k = 0; k < s->m->dim; k++)
    if (p[k] < box[k] || p[k] > -box[3 + k]) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Records a crossing with an element of another body whose box holds the component. */
static void Cross(void *ctx, int32_t element)
{
  Search          *s   = (Search *)ctx;
  const PetscInt   dim = s->m->dim, body = s->m->vertex_body[s->elements[dim * element]];
  const PetscReal *corner[3] = {NULL, NULL, NULL};
  int              winding;

  if (s->code || body == s->at->body || !IsInBox(s, body, s->at->x)) return;
  for (PetscInt k = 0; k < dim; k++) corner[k] = &s->x[dim * s->elements[dim * element + k]];
  winding = dim == 3 ? CrossTriangle(s->at->x, corner[0], corner[1], corner[2]) : CrossEdge(s->at->x, corner[0], corner[1]);
  if (!winding) return;
  s->code = AbutReserve(s->found.n + 1, &s->found.capacity, &s->found.a);
  if (!s->code) s->found.a[s->found.n++] = (Crossing){s->at->id, s->at->body, body, winding};
}

/* ---- Search */

/* Enlarges the boxes by the owned vertices. */
static void AddToBoxes(Search *s)
{
  const PetscInt dim = s->m->dim;

  for (PetscInt i = 0; i < dim * s->m->num_owned; i++) {
    PetscReal *box = &s->box[6 * s->m->vertex_body[i / dim] + i % dim];

    box[0] = PetscMin(box[0], s->x[i]);
    box[3] = PetscMin(box[3], -s->x[i]);
  }
}

/* Boxes of all bodies at x. Collective. */
static PetscErrorCode SetBoxes(const Model *model, Search *s)
{
  const PetscInt num = 6 * s->m->num_bodies;
  PetscMPIInt    length;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(num, &length));
  PetscCall(PetscMalloc1(num, &s->box));
  for (PetscInt i = 0; i < num; i++) s->box[i] = PETSC_MAX_REAL;
  AddToBoxes(s);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, s->box, length, MPIU_REAL, MPIU_MIN, model->comm));
  PetscFunctionReturn(0);
}

/* Surface elements of bodies, without obstacles, on this rank. */
static PetscErrorCode SetElements(Search *s)
{
  const AbutMeshLocal *m   = s->m;
  const PetscInt       dim = m->dim, num = dim == 3 ? m->num_faces : m->num_edges, *v = dim == 3 ? m->faces : m->edges;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(dim * num, &s->elements));
  for (PetscInt e = 0; e < num; e++) {
    if (m->bodies[m->vertex_body[v[dim * e]]].obstacle) continue;
    for (PetscInt k = 0; k < dim; k++) s->elements[dim * s->num + k] = (int32_t)v[dim * e + k];
    s->num++;
  }
  PetscFunctionReturn(0);
}

/* Boxes of the local vertices: single points up to rounding. */
static void BoxVertices(const Search *s, AbutBox box[])
{
  const PetscInt dim = s->m->dim;

  for (PetscInt i = 0; i < dim * s->m->num_local; i++) {
    box[i / dim].lo[i % dim] = AbutFloatBelow(s->x[i]);
    box[i / dim].hi[i % dim] = AbutFloatAbove(s->x[i]);
  }
}

/* Tree of the elements. */
static PetscErrorCode BuildTree(Search *s)
{
  const int dim = (int)s->m->dim;
  AbutBox  *box;

  PetscFunctionBegin;
  PetscCall(SetElements(s));
  PetscCall(PetscCalloc1(s->m->num_local, &box));
  BoxVertices(s, box);
  PetscCall(AbutBVHSetSize(&s->tree, (int32_t)s->num));
  PetscCall(AbutBVHBuild(&s->tree, dim, s->elements, box));
  AbutBVHRefit(&s->tree, dim, s->elements, box, 0);
  PetscCall(PetscFree(box));
  PetscFunctionReturn(0);
}

/* Whether a vertex represents its component. */
static PetscBool IsFirst(const AbutMeshLocal *m, const PetscReal label[], PetscInt v)
{
  return (PetscBool)(label[v] == (PetscReal)m->vertex_id[v]);
}

/* Collects a vertex of each component from all ranks. Collective. */
static PetscErrorCode GatherComponents(const Model *model, const Search *s, PetscInt *num, Component **all)
{
  const AbutMeshLocal *m = s->m;
  AbutExchange         exchange;
  PetscMPIInt          size, *to;
  PetscReal           *label;
  Component           *send;
  PetscInt             n = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(model->comm, &size));
  PetscCall(PetscMalloc1(m->num_local, &label));
  PetscCall(SurfaceComponents(model->sim.mesh, label));
  for (PetscInt i = 0; i < m->num_points; i++) n += IsFirst(m, label, m->points[i]);
  PetscCall(PetscMalloc2(size * n, &send, size * n, &to));
  n = 0;
  for (PetscInt i = 0; i < m->num_points; i++) {
    const PetscInt v = m->points[i];

    if (!IsFirst(m, label, v)) continue;
    for (PetscMPIInt r = 0; r < size; r++, n++) {
      to[n]   = r;
      send[n] = (Component){.id = m->vertex_id[v], .body = m->vertex_body[v]};
      PetscCall(PetscArraycpy(send[n].x, &s->x[m->dim * v], m->dim));
    }
  }
  PetscCall(AbutExchangeRecords(AbutMeshGetComm(model->sim.mesh), sizeof(*send), n, to, send, NULL, &exchange, all));
  *num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(send, to));
  PetscCall(PetscFree(label));
  PetscFunctionReturn(0);
}

/* Box of the ray from p. */
static AbutBox RayBox(PetscInt dim, const PetscReal p[])
{
  AbutBox box = {{0}, {0}};

  for (PetscInt k = 0; k < dim; k++) {
    box.lo[k] = AbutFloatBelow(p[k]);
    box.hi[k] = k == (dim == 3 ? 2 : 0) ? AbutFloatAbove(PETSC_MAX_REAL) : AbutFloatAbove(p[k]);
  }
  return box;
}

/* Crossings of the rays from all components with the elements of this rank. */
static PetscErrorCode FindCrossings(Search *s, PetscInt num, const Component components[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) {
    s->at = &components[i];
    AbutBVHOverlapBox(&s->tree, RayBox(s->m->dim, s->at->x), Cross, s);
  }
  PetscFunctionReturn(s->code);
}

/* ---- Verdict */

static int Compare(const void *a, const void *b)
{
  const Crossing *p = (const Crossing *)a, *q = (const Crossing *)b;

  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return p->holder < q->holder ? -1 : p->holder > q->holder;
}

/* Sums the crossings of each component and body; returns the number of components inside a body and the first of them. On rank 0. */
static PetscInt CountInside(PetscInt num, Crossing all[], Crossing *first)
{
  PetscInt count = 0;

  qsort(all, (size_t)num, sizeof(*all), Compare);
  for (PetscInt i = 0, end; i < num; i = end) {
    PetscInt winding = 0;

    for (end = i; end < num && !Compare(&all[i], &all[end]); end++) winding += all[end].winding;
    if (winding <= 0) continue;
    if (!count++) *first = all[i];
  }
  return count;
}

static PetscErrorCode Print(const Model *model, const Crossing *first, PetscInt count)
{
  const AbutBody *bodies      = model->sim.local->bodies;
  char            command[64] = "";

  PetscFunctionBegin;
  CommandThatSeparates("", sizeof(command), command);
  PetscCall(PetscFPrintf(model->comm, PETSC_STDERR,
                         "abut: warning: a surface of '%s' (vertex %" PetscInt_FMT
                         ") lies wholly inside the material of '%s': the surfaces do not cross, so contact keeps it there%s%s%s (surfaces "
                         "inside bodies: %" PetscInt_FMT ")\n",
                         bodies[first->body].name, first->id, bodies[first->holder].name,
                         command[0] ? "; if bodies overlap all around, as a press fit does, " : "", command,
                         command[0] ? " moves them apart" : "", count));
  PetscFunctionReturn(0);
}

/* Rank 0 prints the warning. Collective. */
static PetscErrorCode Warn(const Model *model, const Search *s)
{
  AbutExchange exchange = {0};
  PetscMPIInt *to;
  Crossing    *all, first = {0};
  PetscInt     count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(s->found.n, &to));
  PetscCall(AbutExchangeRecords(AbutMeshGetComm(model->sim.mesh), sizeof(Crossing), s->found.n, to, s->found.a, NULL, &exchange, &all));
  count = CountInside(exchange.recv_start[exchange.num_recv], all, &first);
  if (count) PetscCall(Print(model, &first, count));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(to));
  PetscFunctionReturn(0);
}

static PetscErrorCode SearchDestroy(Search *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(s->found.a));
  PetscCall(PetscFree(s->elements));
  PetscCall(PetscFree(s->box));
  PetscCall(AbutBVHDestroy(&s->tree));
  PetscFunctionReturn(0);
}

PetscErrorCode ModelWarnOfNested(const Model *model, const PetscReal x[])
{
  Search     s          = {.m = model->sim.local, .x = x};
  PetscInt   num        = 0;
  Component *components = NULL;

  PetscFunctionBegin;
  if (AbutPotentialGetInfo(model->sim.potential)->oriented || s.m->num_bodies < 2) PetscFunctionReturn(0);
  PetscCall(SetBoxes(model, &s));
  PetscCall(BuildTree(&s));
  PetscCall(GatherComponents(model, &s, &num, &components));
  PetscCall(FindCrossings(&s, num, components));
  PetscCall(Warn(model, &s));
  PetscCall(PetscFree(components));
  PetscCall(SearchDestroy(&s));
  PetscFunctionReturn(0);
}
