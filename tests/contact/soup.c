#include "soup.h"
#include <stdlib.h>
#include <string.h>

struct _p_AbutMesh {
  MPI_Comm      comm;
  AbutMeshLocal local;
  AbutBody     *bodies;
  PetscInt     *ints[8];
  PetscReal    *rest;
};

/* Makes room for one more entry of an array that grows by powers of two. */
static void *Grow(void *array, PetscInt n, size_t size)
{
  return n & (n - 1) ? array : realloc(array, (n ? 2 * (size_t)n : 1) * size);
}

void SoupInit(Soup *soup, PetscInt dim)
{
  memset(soup, 0, sizeof(*soup));
  soup->dim = dim;
}

void SoupFree(Soup *soup)
{
  free(soup->rest);
  free(soup->body);
  free(soup->faces);
  free(soup->edges);
  free(soup->points);
}

void SoupAddBody(Soup *soup, PetscBool obstacle)
{
  soup->obstacle[soup->num_bodies++] = obstacle;
}

PetscInt SoupAddVertex(Soup *soup, PetscReal x, PetscReal y, PetscReal z)
{
  const PetscReal at[3] = {x, y, z};
  const PetscInt  n     = soup->num_vertices++;

  soup->body    = Grow(soup->body, n, sizeof(*soup->body));
  soup->rest    = Grow(soup->rest, n, sizeof(*soup->rest) * 3);
  soup->body[n] = soup->num_bodies - 1;
  memcpy(soup->rest + soup->dim * n, at, sizeof(*at) * (size_t)soup->dim);
  return n;
}

void SoupAddPoint(Soup *soup, PetscInt a)
{
  for (PetscInt i = soup->num_points - 1; i >= 0 && i >= soup->num_points - 2000; i--) {
    if (soup->points[i] == a) return;
  }
  soup->points                     = Grow(soup->points, soup->num_points, sizeof(*soup->points));
  soup->points[soup->num_points++] = a;
}

void SoupAddEdge(Soup *soup, PetscInt a, PetscInt b)
{
  if (soup->dim == 3 && a > b) {
    SoupAddEdge(soup, b, a);
    return;
  }
  for (PetscInt i = soup->num_edges - 1; i >= 0 && i >= soup->num_edges - 6000; i--) {
    if (soup->edges[i][0] == a && soup->edges[i][1] == b) return;
  }
  soup->edges                       = Grow(soup->edges, soup->num_edges, sizeof(*soup->edges));
  soup->edges[soup->num_edges][0]   = a;
  soup->edges[soup->num_edges++][1] = b;
  SoupAddPoint(soup, a);
  SoupAddPoint(soup, b);
}

void SoupAddFace(Soup *soup, PetscInt a, PetscInt b, PetscInt c)
{
  const PetscInt face[3] = {a, b, c};

  soup->faces = Grow(soup->faces, soup->num_faces, sizeof(*soup->faces));
  memcpy(soup->faces[soup->num_faces++], face, sizeof(face));
  for (int k = 0; k < 3; k++) SoupAddEdge(soup, face[k], face[(k + 1) % 3]);
}

void SoupAddGrid(Soup *soup, PetscInt n, PetscInt m, const PetscReal o[3], const PetscReal u[3], const PetscReal v[3])
{
  const PetscInt first = soup->num_vertices, rows = soup->dim == 3 ? m : 0;

  for (PetscInt j = 0; j <= rows; j++) {
    for (PetscInt i = 0; i <= n; i++) {
      const PetscReal s = (PetscReal)i / n, t = rows ? (PetscReal)j / m : 0;

      SoupAddVertex(soup, o[0] + s * u[0] + t * v[0], o[1] + s * u[1] + t * v[1], o[2] + s * u[2] + t * v[2]);
    }
  }
  for (PetscInt i = 0; i < n && !rows; i++) SoupAddEdge(soup, first + i, first + i + 1);
  for (PetscInt j = 0; j < rows; j++) {
    for (PetscInt i = 0; i < n; i++) {
      const PetscInt a = first + j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;

      SoupAddFace(soup, a, b, d);
      SoupAddFace(soup, a, d, c);
    }
  }
}

void SoupAddRandom(Soup *soup, PetscReal size, PetscBool thin, uint64_t *seed)
{
  PetscReal o[3], d[2][3];
  PetscInt  v[3];

  for (int k = 0; k < 3; k++) o[k] = AbutTestRandom(seed);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) d[i][k] = size * AbutTestRandom(seed) * (thin && i ? 1e-3 : 1);
  }
  v[0] = SoupAddVertex(soup, o[0], o[1], o[2]);
  v[1] = SoupAddVertex(soup, o[0] + d[0][0], o[1] + d[0][1], o[2] + d[0][2]);
  if (soup->dim == 2) {
    SoupAddEdge(soup, v[0], v[1]);
    return;
  }
  v[2] = SoupAddVertex(soup, o[0] + d[1][0], o[1] + d[1][1], o[2] + d[1][2]);
  SoupAddFace(soup, v[0], v[1], v[2]);
}

/* Rank of every vertex. */
static PetscMPIInt *Deal(const Soup *soup, PetscMPIInt size, SoupWay way)
{
  PetscMPIInt *owner = malloc(sizeof(*owner) * (size_t)(soup->num_vertices + 1));
  PetscReal    lo = 0, hi = 0;
  uint64_t     seed = 5;

  for (PetscInt i = 0; i < soup->num_vertices; i++) {
    const PetscReal x = soup->rest[soup->dim * i];

    if (!i || x < lo) lo = x;
    if (!i || x > hi) hi = x;
  }
  for (PetscInt i = 0; i < soup->num_vertices; i++) {
    const PetscReal s = hi > lo ? (soup->rest[soup->dim * i] - lo) / (hi - lo) : 0, r = 0.5 * (1 + AbutTestRandom(&seed));

    owner[i] = way == SOUP_LAST_RANK ? size - 1 : (PetscMPIInt)((way == SOUP_SLABS ? s : r) * size);
    if (owner[i] >= size) owner[i] = size - 1;
  }
  return owner;
}

/* Data from which the local part of one rank is built. */
typedef struct {
  const Soup        *soup;
  const PetscMPIInt *owner;
  PetscMPIInt        rank;
  PetscInt          *local_of, *local_to_id, num_local;
} Dealing;

static PetscInt LocalIndex(Dealing *d, PetscInt id)
{
  if (d->local_of[id] < 0) {
    d->local_to_id[d->num_local] = id;
    d->local_of[id]              = d->num_local++;
  }
  return d->local_of[id];
}

/* Entities of nv vertices whose vertex number (id mod nv) is on this rank. */
static PetscInt DealEntities(Dealing *d, PetscInt n, PetscInt nv, const PetscInt v[], PetscInt **entities, PetscInt **ids)
{
  PetscInt count = 0;

  *entities = malloc(sizeof(**entities) * (size_t)(n * nv + 1));
  *ids      = malloc(sizeof(**ids) * (size_t)(n + 1));
  for (PetscInt i = 0; i < n; i++) {
    if (d->owner[v[nv * i + i % nv]] != d->rank) continue;
    for (PetscInt j = 0; j < nv; j++) (*entities)[nv * count + j] = LocalIndex(d, v[nv * i + j]);
    (*ids)[count++] = i;
  }
  return count;
}

static void SetVertices(AbutMesh mesh, Dealing *d)
{
  const Soup    *soup   = d->soup;
  AbutMeshLocal *m      = &mesh->local;
  PetscInt      *global = malloc(sizeof(*global) * (size_t)(soup->num_vertices + 1)), next = 0;
  const size_t   n = (size_t)d->num_local;

  for (PetscMPIInt r = 0, size = (MPI_Comm_size(mesh->comm, &size), size); r < size; r++) {
    if (r == d->rank) m->first = next;
    for (PetscInt i = 0; i < soup->num_vertices; i++) {
      if (d->owner[i] == r) global[i] = next++;
    }
  }
  for (int i = 0; i < 3; i++) mesh->ints[i] = malloc(sizeof(PetscInt) * (n + 1));
  mesh->rest = malloc(sizeof(PetscReal) * (n + 1) * (size_t)soup->dim);
  for (PetscInt i = 0; i < d->num_local; i++) {
    const PetscInt id = d->local_to_id[i];

    mesh->ints[0][i] = global[id];
    mesh->ints[1][i] = id;
    mesh->ints[2][i] = soup->body[id];
    for (PetscInt k = 0; k < soup->dim; k++) mesh->rest[soup->dim * i + k] = soup->rest[soup->dim * id + k];
  }
  free(global);
  m->num_local     = d->num_local;
  m->num_global    = soup->num_vertices;
  m->vertex_global = mesh->ints[0];
  m->vertex_id     = mesh->ints[1];
  m->vertex_body   = mesh->ints[2];
  m->rest          = mesh->rest;
}

void SoupAddOctahedron(Soup *soup, PetscReal radius, const PetscReal center[3])
{
  static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  const PetscInt   first       = soup->num_vertices;

  for (int i = 0; i < 6; i++) {
    PetscReal x[3] = {center[0], center[1], center[2]};

    x[i / 2] += i % 2 ? -radius : radius;
    SoupAddVertex(soup, x[0], x[1], x[2]);
  }
  for (int f = 0; f < 8; f++) SoupAddFace(soup, first + faces[f][0], first + faces[f][1], first + faces[f][2]);
  soup->closed[soup->num_bodies - 1] = PETSC_TRUE;
}

void SoupAddPentagon(Soup *soup, PetscReal radius, PetscReal x, PetscReal y)
{
  const PetscInt first = soup->num_vertices;

  for (int k = 0; k < 5; k++) SoupAddVertex(soup, x + radius * PetscCosReal(1.2 * k), y + radius * PetscSinReal(1.2 * k), 0);
  for (int k = 0; k < 5; k++) SoupAddEdge(soup, first + k, first + (k + 1) % 5);
  soup->closed[soup->num_bodies - 1] = PETSC_TRUE;
}

AbutMesh SoupDistribute(const Soup *soup, MPI_Comm comm, SoupWay way)
{
  AbutMesh       mesh = calloc(1, sizeof(*mesh));
  AbutMeshLocal *m    = &mesh->local;
  Dealing        d    = {.soup = soup};
  PetscMPIInt    size;
  PetscMPIInt   *owner;

  mesh->comm = comm;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &d.rank);
  d.owner = owner = Deal(soup, size, way);
  d.local_of      = malloc(sizeof(PetscInt) * (size_t)(soup->num_vertices + 1));
  d.local_to_id   = malloc(sizeof(PetscInt) * (size_t)(soup->num_vertices + 1));
  for (PetscInt i = 0; i < soup->num_vertices; i++) d.local_of[i] = -1;
  for (PetscInt i = 0; i < soup->num_vertices; i++) {
    if (owner[i] == d.rank) (void)LocalIndex(&d, i);
  }
  m->dim       = soup->dim;
  m->num_owned = d.num_local;
  m->num_faces = DealEntities(&d, soup->num_faces, 3, (const PetscInt *)soup->faces, &mesh->ints[3], &mesh->ints[4]);
  m->num_edges = DealEntities(&d, soup->num_edges, 2, (const PetscInt *)soup->edges, &mesh->ints[5], &mesh->ints[6]);
  PetscInt *unused;
  m->num_points = DealEntities(&d, soup->num_points, 1, soup->points, &mesh->ints[7], &unused);
  free(unused);
  /* ghosts without local entities, as in meshes with cells */
  for (PetscInt i = d.rank; i < soup->num_vertices; i += 3) (void)LocalIndex(&d, i);
  m->faces      = mesh->ints[3];
  m->face_id    = mesh->ints[4];
  m->edges      = mesh->ints[5];
  m->edge_id    = mesh->ints[6];
  m->points     = mesh->ints[7];
  m->num_bodies = soup->num_bodies;
  mesh->bodies  = calloc((size_t)soup->num_bodies + 1, sizeof(AbutBody));
  for (PetscInt b = 0; b < soup->num_bodies; b++) {
    snprintf(mesh->bodies[b].name, sizeof(mesh->bodies[b].name), "body %ld", (long)b);
    mesh->bodies[b].obstacle = soup->obstacle[b];
    mesh->bodies[b].oriented = soup->closed[b] ? ABUT_ORIENTED_OUTWARD : ABUT_ORIENTED_NONE;
  }
  for (PetscInt i = 0; i < soup->num_edges; i++) mesh->bodies[soup->body[soup->edges[i][0]]].surface_dim = 1;
  for (PetscInt i = 0; i < soup->num_faces; i++) mesh->bodies[soup->body[soup->faces[i][0]]].surface_dim = 2;
  m->bodies = mesh->bodies;
  SetVertices(mesh, &d);
  free(owner);
  free(d.local_of);
  free(d.local_to_id);
  return mesh;
}

void SoupDestroyMesh(AbutMesh *mesh)
{
  for (int i = 0; i < 8; i++) free((*mesh)->ints[i]);
  free((*mesh)->rest);
  free((*mesh)->bodies);
  free(*mesh);
  *mesh = NULL;
}

PetscReal *SoupLocal(AbutMesh mesh, const PetscReal global[])
{
  const AbutMeshLocal *m     = &mesh->local;
  PetscReal           *local = malloc(sizeof(*local) * (size_t)(m->num_local * m->dim + 1));

  for (PetscInt i = 0; i < m->num_local; i++) {
    for (PetscInt k = 0; k < m->dim; k++) local[m->dim * i + k] = global[m->dim * m->vertex_id[i] + k];
  }
  return local;
}

MPI_Comm AbutMeshGetComm(AbutMesh mesh)
{
  return mesh->comm;
}

const AbutMeshLocal *AbutMeshGetLocal(AbutMesh mesh)
{
  return &mesh->local;
}

const PetscReal *AbutMeshGetStart(AbutMesh mesh)
{
  return AbutMeshGetLocal(mesh)->rest;
}

PetscErrorCode AbutMeshReduceAdd(AbutMesh mesh, PetscInt width, PetscReal values[])
{
  const AbutMeshLocal *m   = &mesh->local;
  PetscReal           *sum = calloc((size_t)(m->num_global * width + 1), sizeof(*sum));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < m->num_local; i++) {
    for (PetscInt k = 0; k < width; k++) sum[m->vertex_global[i] * width + k] += values[i * width + k];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum, (PetscMPIInt)(m->num_global * width), MPIU_REAL, MPI_SUM, mesh->comm));
  for (PetscInt i = 0; i < m->num_owned * width; i++) values[i] = sum[m->first * width + i];
  free(sum);
  PetscFunctionReturn(0);
}
