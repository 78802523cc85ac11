/* Gathers the surfaces of all bodies and obstacles on every rank. */
#include "boundary.h"

/* A vertex, or an element with the ids of its vertices. */
typedef struct {
  PetscInt  body, id, v[3];
  PetscReal x[3];
} Entity;

/* Concatenates the entities of all ranks, sorted by body and id; sets the first entity of each body; frees the input. Collective. */
static PetscErrorCode GatherEntities(MPI_Comm comm, PetscInt num_bodies, PetscInt n, Entity *entities, PetscInt *num, Entity **all,
                                     PetscInt start[])
{
  PetscFunctionBegin;
  PetscCall(AbutGatherRecords(comm, sizeof(*entities), n, entities, num, all));
  PetscCall(PetscFree(entities));
  PetscCall(AbutSortRecords(*num, sizeof(**all), 2, *all));
  for (PetscInt i = 0; i < *num; i++) start[(*all)[i].body + 1]++;
  for (PetscInt i = 0; i < num_bodies; i++) start[i + 1] += start[i];
  PetscFunctionReturn(0);
}

/* Vertices with their ids, bodies and positions. */
static PetscErrorCode GatherVertices(AbutMesh mesh, Boundary *b)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);
  Entity              *points, *all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->num_points, &points));
  for (PetscInt i = 0; i < m->num_points; i++) {
    const PetscInt v = m->points[i];

    points[i].id   = m->vertex_id[v];
    points[i].body = m->vertex_body[v];
    PetscCall(PetscArraycpy(points[i].x, &AbutMeshGetStart(mesh)[m->dim * v], m->dim));
  }
  PetscCall(GatherEntities(AbutMeshGetComm(mesh), m->num_bodies, m->num_points, points, &b->num_vertices, &all, b->vertex_start));
  PetscCall(PetscMalloc4(b->num_vertices, &b->id, b->num_vertices, &b->body, b->num_vertices, &b->self, m->dim * b->num_vertices, &b->x));
  for (PetscInt i = 0; i < b->num_vertices; i++) {
    b->id[i]   = all[i].id;
    b->body[i] = (int32_t)all[i].body;
    b->self[i] = (int32_t)i;
    PetscCall(PetscArraycpy(&b->x[m->dim * i], all[i].x, m->dim));
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/* Elements with nv vertices: faces or edges. */
static PetscErrorCode GatherElements(AbutMesh mesh, const Boundary *b, PetscInt nv, PetscInt *num, int32_t **element, PetscInt start[])
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  const PetscInt       count = nv == 3 ? m->num_faces : m->num_edges, *v = nv == 3 ? m->faces : m->edges;
  Entity              *own, *all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(count, &own));
  for (PetscInt e = 0; e < count; e++) {
    own[e].id   = nv == 3 ? m->face_id[e] : m->edge_id[e];
    own[e].body = m->vertex_body[v[nv * e]];
    for (PetscInt k = 0; k < nv; k++) own[e].v[k] = m->vertex_id[v[nv * e + k]];
  }
  PetscCall(GatherEntities(AbutMeshGetComm(mesh), m->num_bodies, count, own, num, &all, start));
  PetscCall(PetscMalloc1(nv * *num, element));
  for (PetscInt i = 0; i < nv * *num; i++) {
    PetscInt at;

    PetscCall(PetscFindInt(all[i / nv].v[i % nv], b->num_vertices, b->id, &at));
    (*element)[i] = (int32_t)at;
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetPlanes(Boundary *b, const AbutPlaneSpec planes[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->num_planes, &b->planes));
  PetscCall(PetscArraycpy(b->planes, planes, b->num_planes));
  for (PetscInt p = 0; p < b->num_planes; p++) {
    if (b->dim == 2) b->planes[p].normal[2] = 0;
    (void)AbutNormalize(3, b->planes[p].normal);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryCreate(AbutMesh mesh, const PetscReal young[], PetscInt num_planes, const AbutPlaneSpec planes[], Boundary *b)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);

  PetscFunctionBegin;
  *b = (Boundary){.dim = m->dim, .num_bodies = m->num_bodies, .num_planes = num_planes, .comm = AbutMeshGetComm(mesh)};
  PetscCall(PetscMalloc1(m->num_bodies, &b->bodies));
  PetscCall(PetscArraycpy(b->bodies, m->bodies, m->num_bodies));
  PetscCall(SetPlanes(b, planes));
  PetscCall(PetscMalloc1(m->num_bodies, &b->stiffness));
  for (PetscInt i = 0; i < m->num_bodies; i++) b->stiffness[i] = m->bodies[i].obstacle ? 0 : young[m->bodies[i].material];
  PetscCall(PetscCalloc3(m->num_bodies + 1, &b->vertex_start, m->num_bodies + 1, &b->element_start, m->num_bodies + 1, &b->edge_start));
  PetscCall(GatherVertices(mesh, b));
  PetscCall(GatherElements(mesh, b, m->dim, &b->num_elements, &b->element, b->element_start));
  if (m->dim == 3) PetscCall(GatherElements(mesh, b, 2, &b->num_edges, &b->edge, b->edge_start));
  PetscCall(PetscCalloc1(b->num_vertices, &b->zone));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryDestroy(Boundary *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(b->id, b->body, b->self, b->x));
  PetscCall(PetscFree(b->element));
  PetscCall(PetscFree(b->edge));
  PetscCall(PetscFree(b->bodies));
  PetscCall(PetscFree(b->stiffness));
  PetscCall(PetscFree(b->zone));
  PetscCall(PetscFree(b->planes));
  PetscCall(PetscFree3(b->vertex_start, b->element_start, b->edge_start));
  PetscFunctionReturn(0);
}

void ElementNormal(const Boundary *b, const int32_t v[], PetscReal normal[3])
{
  const PetscInt facet[3] = {v[0], v[1], b->dim == 3 ? v[2] : v[1]};

  AbutFacetNormal(b->dim, b->x, facet, normal);
}

void BoundaryNormals(const Boundary *b, PetscInt body, PetscReal normal[])
{
  const PetscInt dim = b->dim, first = b->vertex_start[body], num = b->vertex_start[body + 1] - first;

  for (PetscInt i = 0; i < dim * num; i++) normal[i] = 0;
  for (PetscInt e = b->element_start[body]; e < b->element_start[body + 1]; e++) {
    PetscReal n[3];

    ElementNormal(b, &b->element[dim * e], n);
    for (PetscInt i = 0; i < dim * dim; i++) normal[dim * (b->element[dim * e + i / dim] - first) + i % dim] += n[i % dim];
  }
  for (PetscInt i = 0; i < num; i++) (void)AbutNormalize(dim, &normal[dim * i]);
}

PetscErrorCode BoundaryAllNormals(const Boundary *b, PetscReal **normal)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->dim * b->num_vertices, normal));
  for (PetscInt i = 0; i < b->num_bodies; i++) BoundaryNormals(b, i, *normal + b->dim * b->vertex_start[i]);
  PetscFunctionReturn(0);
}
