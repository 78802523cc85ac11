/* Ties: faces of both surfaces, closest points, integrals of the mean gaps. See tie.h. */
#include "tieimpl.h"
#include <abut/bvh.h>
#include <abut/geom.h>
#include <stdlib.h>

#define PARTS 4   /* each side of a face of the first surface is divided into so many parts, with three points in a part (2D: two) */
#define REACH 0.5 /* farthest that a point may be from the second surface, over the longest edge of its face */

/* Functions of a face of the first surface that are biorthogonal to its linear functions: (dim + 1) N - 1. */
static inline PetscReal Dual(PetscInt dim, PetscReal N)
{
  return (PetscReal)(dim + 1) * N - 1;
}

static PetscBool AllMarked(PetscInt n, const PetscInt v[], const PetscReal marked[])
{
  PetscBool all = PETSC_TRUE;

  for (PetscInt i = 0; i < n; i++) all = (PetscBool)(all && marked[v[i]] > 0);
  return all;
}

static void SetKey(const AbutMeshLocal *ml, const PetscInt v[], PetscInt key[3])
{
  key[2] = -1;
  for (PetscInt i = 0; i < ml->dim; i++) key[i] = ml->vertex_id[v[i]];
  (void)PetscSortInt(ml->dim, key);
}

/* Compares the keys that faces begin with. */
static int CompareKeys(const void *a, const void *b)
{
  return AbutCompareInts(3, (const PetscInt *)a, (const PetscInt *)b);
}

/* Keys of the marked surface entities of bodies, of all ranks, ascending. */
static PetscErrorCode GatherKeys(AbutMesh mesh, const PetscReal marked[], PetscInt *total, PetscInt **keys)
{
  const AbutMeshLocal *ml  = AbutMeshGetLocal(mesh);
  const PetscInt       dim = ml->dim, num = AbutNumFacets(ml), *entities = AbutFacets(ml);
  AbutInts             own = {0};

  PetscFunctionBegin;
  for (PetscInt f = 0; f < num; f++) {
    PetscInt key[3];
    if (ml->bodies[ml->vertex_body[entities[dim * f]]].obstacle || !AllMarked(dim, &entities[dim * f], marked)) continue;
    SetKey(ml, &entities[dim * f], key);
    PetscCall(AbutIntsPush(&own, 3, key));
  }
  PetscCall(AbutGatherRecords(AbutMeshGetComm(mesh), 3 * sizeof(PetscInt), own.n / 3, own.a, total, keys));
  PetscCall(PetscFree(own.a));
  PetscCall(AbutSortRecords(*total, 3 * sizeof(PetscInt), 3, *keys));
  PetscFunctionReturn(0);
}

/* Corner of cell s / (dim + 1) that is not on its side s. */
static PetscInt Opposite(const AbutMeshLocal *ml, PetscInt s)
{
  const PetscInt  n    = ml->dim + 1;
  const PetscInt *cell = &ml->cells[s / n * n];
  PetscInt        side[3];

  AbutSideVertices(ml->dim, ml->cells, s, side);
  for (PetscInt i = 0; i < n; i++) {
    PetscBool on = PETSC_FALSE;
    for (PetscInt k = 0; k < ml->dim; k++) on = (PetscBool)(on || side[k] == cell[i]);
    if (!on) return cell[i];
  }
  return -1;
}

static void SetFace(AbutMesh mesh, const PetscInt part[], PetscInt opposite, TieFace *face)
{
  const AbutMeshLocal *ml    = AbutMeshGetLocal(mesh);
  const PetscReal     *start = AbutMeshGetStart(mesh);

  *face = (TieFace){.body = ml->vertex_body[opposite]};
  SetKey(ml, part, face->key);
  for (PetscInt i = 0; i <= ml->dim; i++) {
    const PetscInt v = i < ml->dim ? part[i] : opposite;
    face->id[i]      = ml->vertex_id[v];
    face->global[i]  = ml->vertex_global[v];
    for (PetscInt d = 0; d < ml->dim; d++) face->x[ml->dim * i + d] = start[ml->dim * v + d];
  }
}

PetscErrorCode AbutTieFindFaces(AbutMesh mesh, const PetscReal marked[], TieFaces *faces)
{
  const AbutMeshLocal *ml  = AbutMeshGetLocal(mesh);
  const PetscInt       dim = ml->dim;
  PetscInt            *keys, num_keys, num = 0, capacity = 0, parts[3 * ABUT_SIDE_PARTS];
  TieFace             *own = NULL;

  PetscFunctionBegin;
  PetscCall(GatherKeys(mesh, marked, &num_keys, &keys));
  for (PetscInt s = 0; s < ml->num_cells * (dim + 1); s++) {
    const PetscInt num_parts = AbutSideParts(dim, ml->cells, ml->middles, s, parts);

    for (PetscInt k = 0; k < num_parts; k++) {
      PetscInt key[3];
      if (!AllMarked(dim, &parts[dim * k], marked)) continue;
      SetKey(ml, &parts[dim * k], key);
      if (!bsearch(key, keys, (size_t)num_keys, sizeof(key), CompareKeys)) continue;
      PetscCall(AbutReserve(num + 1, &capacity, &own));
      SetFace(mesh, &parts[dim * k], Opposite(ml, s), &own[num++]);
    }
  }
  PetscCall(AbutGatherRecords(AbutMeshGetComm(mesh), sizeof(TieFace), num, own, &faces->num, &faces->face));
  PetscCall(AbutSortRecords(faces->num, sizeof(TieFace), 3, faces->face));
  PetscCall(PetscFree(own));
  PetscCall(PetscFree(keys));
  PetscFunctionReturn(0);
}

/* Search for the face that is closest to a point. */
typedef struct {
  const TieFaces *faces;
  PetscInt        dim;
  AbutBVH         tree;
  PetscReal       x[12]; /* the point, then the vertices of a face */
  PetscReal       dist2; /* of the closest face so far */
  PetscInt        face;  /* -1: none */
} Closest;

static PetscErrorCode BuildTree(Closest *c)
{
  const PetscInt n = c->dim * c->faces->num;
  int32_t       *v;
  AbutBox       *box;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &v, n, &box));
  for (PetscInt i = 0; i < n; i++) {
    v[i]   = (int32_t)i;
    box[i] = AbutBoxAround(c->dim, &c->faces->face[i / c->dim].x[c->dim * (i % c->dim)], 0);
  }
  PetscCall(AbutBVHSetUp(&c->tree, c->faces->num, c->dim, v, box));
  PetscCall(PetscFree2(v, box));
  PetscFunctionReturn(0);
}

static void Visit(void *ctx, int32_t face)
{
  Closest  *c = (Closest *)ctx;
  PetscReal dist2;

  (void)PetscArraycpy(c->x + c->dim, c->faces->face[face].x, c->dim * c->dim);
  dist2 = AbutPairDist2(c->dim == 3 ? ABUT_PAIR_FV : ABUT_PAIR_EV, c->dim, c->x);
  if (c->face >= 0 && (dist2 > c->dist2 || (dist2 == c->dist2 && face > c->face))) return;
  c->dist2 = dist2;
  c->face  = face;
}

/* Finds the closest face within a distance of the point in c->x. */
static void FindClosest(Closest *c, PetscReal reach)
{
  c->face = -1;
  AbutBVHOverlapBox(&c->tree, AbutBoxAround(c->dim, c->x, reach), Visit, c);
}

/* Weights of the vertices of a face and of the corner opposite to it, of which a point is the mean. */
static void SetWeights(PetscInt dim, const TieFace *face, const PetscReal x[], PetscReal weight[4])
{
  PetscReal e[3][3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 1}}, r[3] = {0, 0, 0}, normal[3];

  for (PetscInt k = 0; k < dim * dim; k++) e[k / dim][k % dim] = face->x[dim + k] - face->x[k % dim];
  for (PetscInt d = 0; d < dim; d++) r[d] = x[d] - face->x[d];
  weight[0] = 1;
  for (PetscInt k = 0; k < dim; k++) {
    AbutCross(e[(k + 1) % 3], e[(k + 2) % 3], normal);
    weight[k + 1] = AbutDot(3, normal, r) / AbutDot(3, normal, e[k]);
    weight[0] -= weight[k + 1];
  }
}

/* A face of the first surface, and the integrals over it so far. */
typedef struct {
  PetscInt  v[3];
  PetscReal area, edge; /* edge: the longest one [m] */
  PetscInt  num, capacity;
  PetscInt *id, *global; /* [num] vertices of the second body */
  PetscReal (*sum)[3];   /* [num] integral of each dual function times the weight of the vertex */
} Patch;

static PetscErrorCode AddToPatch(Patch *patch, PetscInt id, PetscInt global, const PetscReal value[3])
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < patch->num && patch->id[k] != id) k++;
  if (k == patch->num) {
    const AbutColumn column[] = {
      {&patch->id, sizeof(*patch->id)}, {&patch->global, sizeof(*patch->global)}, {&patch->sum, sizeof(*patch->sum)}};
    PetscCall(AbutReserveColumns(++patch->num, &patch->capacity, 3, column));
    patch->id[k]     = id;
    patch->global[k] = global;
    for (int j = 0; j < 3; j++) patch->sum[k][j] = 0;
  }
  for (int j = 0; j < 3; j++) patch->sum[k][j] += value[j];
  PetscFunctionReturn(0);
}

/* The point of the first surface that is farthest from the second one, relative to the allowed distance. */
typedef struct {
  double share; /* distance over the allowed one; infinite if no face is close */
  int    rank;
} Farthest;

/* Adds the integration point with the linear functions N and a weight. Points out of reach only raise *share. */
static PetscErrorCode AddPoint(AbutMesh mesh, Closest *c, Patch *patch, const PetscReal N[3], PetscReal weight, TieSearch *search,
                               double *share)
{
  const AbutMeshLocal *ml    = AbutMeshGetLocal(mesh);
  const PetscReal     *start = AbutMeshGetStart(mesh);
  const PetscInt       dim = ml->dim, body = ml->vertex_body[patch->v[0]];
  TieFace             *face;
  PetscReal            w[4];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; d++) {
    c->x[d] = 0;
    for (PetscInt k = 0; k < dim; k++) c->x[d] += N[k] * start[dim * patch->v[k] + d];
  }
  FindClosest(c, REACH * patch->edge);
  *share = PetscMax(*share, c->face < 0 ? HUGE_VAL : (double)(PetscSqrtReal(c->dist2) / (REACH * patch->edge)));
  if (c->face < 0) PetscFunctionReturn(0);
  search->gap = PetscMax(search->gap, PetscSqrtReal(c->dist2));
  face        = &c->faces->face[c->face];
  if (!face->used) PetscCall(AbutIntsPush(&search->bodies, 2, (PetscInt[]){body, face->body}));
  face->used = 1;
  SetWeights(dim, face, c->x, w);
  search->lever -= weight * w[dim];
  for (PetscInt i = 0; i <= dim; i++) {
    PetscReal value[3] = {0, 0, 0};
    for (PetscInt k = 0; k < dim; k++) value[k] = weight * w[i] * Dual(dim, N[k]);
    PetscCall(AddToPatch(patch, face->id[i], face->global[i], value));
  }
  PetscFunctionReturn(0);
}

/* Adds the integration points of part (a, b) of a triangle divided into PARTS^2 triangles, turned by `half`: middles of its edges. */
static PetscErrorCode AddTriangle(AbutMesh mesh, Closest *c, Patch *patch, PetscInt a, PetscInt b, PetscBool turned, TieSearch *search,
                                  double *share)
{
  const PetscReal sign = turned ? -1 : 1, weight = patch->area / (3 * PARTS * PARTS);

  PetscFunctionBegin;
  for (int k = 0; k < 3; k++) {
    const PetscReal u = ((PetscReal)(a + (turned ? 1 : 0)) + sign * (k == 1 ? 0 : 0.5)) / PARTS,
                    v = ((PetscReal)(b + (turned ? 1 : 0)) + sign * (k == 0 ? 0 : 0.5)) / PARTS;
    PetscCall(AddPoint(mesh, c, patch, (PetscReal[]){1 - u - v, u, v}, weight, search, share));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode Integrate(AbutMesh mesh, Closest *c, Patch *patch, TieSearch *search, double *share)
{
  PetscFunctionBegin;
  for (PetscInt a = 0; a < PARTS && c->dim == 3; a++)
    for (PetscInt b = 0; a + b < PARTS; b++) {
      PetscCall(AddTriangle(mesh, c, patch, a, b, PETSC_FALSE, search, share));
      if (a + b + 1 < PARTS) PetscCall(AddTriangle(mesh, c, patch, a, b, PETSC_TRUE, search, share));
    }
  for (PetscInt a = 0; a < 2 * PARTS * PARTS && c->dim == 2; a++) { /* Gauss points of PARTS^2 parts */
    const PetscReal u = ((PetscReal)(a / 2) + 0.5 + (a % 2 ? 0.5 : -0.5) / PetscSqrtReal(3)) / (PARTS * PARTS);
    PetscCall(AddPoint(mesh, c, patch, (PetscReal[]){1 - u, u, 0}, patch->area / (2 * PARTS * PARTS), search, share));
  }
  PetscFunctionReturn(0);
}

static void Measure(AbutMesh mesh, Patch *patch)
{
  const PetscInt   dim   = AbutMeshGetLocal(mesh)->dim;
  const PetscReal *start = AbutMeshGetStart(mesh), *x[3];

  patch->edge = 0;
  for (PetscInt i = 0; i < dim; i++) x[i] = start + dim * patch->v[i];
  for (PetscInt i = 0; i < dim; i++) {
    const PetscReal *a = x[i], *b = x[(i + 1) % dim];
    PetscReal        square = 0;
    for (PetscInt d = 0; d < dim; d++) square += PetscSqr(a[d] - b[d]);
    patch->edge = PetscMax(patch->edge, PetscSqrtReal(square));
  }
  patch->area = dim == 3 ? AbutTriangleArea(x[0], x[1], x[2]) : patch->edge;
}

/* Moves the integrals of a face to the entries, with minus for the second surface. */
static PetscErrorCode Finish(const AbutMeshLocal *ml, Patch *patch, TieSearch *search)
{
  PetscFunctionBegin;
  PetscCall(AbutReserve(search->num + (patch->num + 1) * ml->dim, &search->capacity, &search->entry));
  for (PetscInt j = 0; j < ml->dim; j++) {
    const PetscInt v = patch->v[j], row = ml->vertex_global[v];

    search->entry[search->num++] = (TieEntry){row, ml->vertex_id[v], row, patch->area / (PetscReal)ml->dim};
    for (PetscInt k = 0; k < patch->num; k++)
      search->entry[search->num++] = (TieEntry){row, patch->id[k], patch->global[k], -patch->sum[k][j]};
    PetscCall(AbutIntsPush(&search->vertices, 1, &ml->vertex_id[v]));
  }
  patch->num = 0;
  PetscFunctionReturn(0);
}

/* The error for the face with the farthest point, which is on rank far.rank. */
static PetscErrorCode Refuse(AbutMesh mesh, const AbutTieSpec *spec, const Farthest *far, const Patch *worst)
{
  const AbutMeshLocal *ml = AbutMeshGetLocal(mesh);
  PetscInt             v[4]; /* ids in the body, body */
  PetscReal            edge = worst->edge;
  PetscMPIInt          rank;
  char                 where[32] = "";

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(AbutMeshGetComm(mesh), &rank));
  if (rank == far->rank) {
    v[3] = ml->vertex_body[worst->v[0]];
    for (PetscInt i = 0; i < ml->dim; i++) v[i] = ml->vertex_id[worst->v[i]] - ml->bodies[v[3]].vertex_start;
  }
  PetscCallMPI(MPI_Bcast(v, 4, MPIU_INT, far->rank, AbutMeshGetComm(mesh)));
  PetscCallMPI(MPI_Bcast(&edge, 1, MPIU_REAL, far->rank, AbutMeshGetComm(mesh)));
  if (ml->dim == 3) PetscCall(PetscSNPrintf(where, sizeof(where), " %" PetscInt_FMT, v[2]));
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                   "%s: the face with the vertices %" PetscInt_FMT " %" PetscInt_FMT "%s of '%s' is farther than %.3g m, "
                                   "half its longest edge, from the surface that it is tied `to`: select only the part to be tied, or "
                                   "exchange `select` and `to`",
                                   spec->place, v[0], v[1], where, ml->bodies[v[3]].name, (double)(REACH * edge)));
}

PetscErrorCode AbutTieSearch(AbutMesh mesh, const AbutTieSpec *spec, const PetscReal marked[], TieFaces *faces, TieSearch *search)
{
  const AbutMeshLocal *ml  = AbutMeshGetLocal(mesh);
  const PetscInt       dim = ml->dim, num = AbutNumFacets(ml), *entities = AbutFacets(ml);
  Closest              c     = {.faces = faces, .dim = dim};
  Patch                patch = {.num = 0}, worst = {.num = 0};
  Farthest             far  = {.share = 0}, all;
  PetscErrorCode       code = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(AbutMeshGetComm(mesh), &far.rank));
  PetscCall(BuildTree(&c));
  for (PetscInt f = 0; f < num; f++) {
    double share = 0;

    if (ml->bodies[ml->vertex_body[entities[dim * f]]].obstacle || !AllMarked(dim, &entities[dim * f], marked)) continue;
    (void)PetscArraycpy(patch.v, &entities[dim * f], dim);
    Measure(mesh, &patch);
    PetscCall(Integrate(mesh, &c, &patch, search, &share));
    PetscCall(Finish(ml, &patch, search));
    if (share > far.share) worst = patch;
    far.share = PetscMax(far.share, share);
  }
  PetscCall(AbutBVHDestroy(&c.tree));
  PetscCallMPI(MPI_Allreduce(&far, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC, AbutMeshGetComm(mesh)));
  if (all.share > 1) code = Refuse(mesh, spec, &all, &worst);
  PetscCall(PetscFree(patch.id));
  PetscCall(PetscFree(patch.global));
  PetscCall(PetscFree(patch.sum));
  PetscFunctionReturn(code);
}
