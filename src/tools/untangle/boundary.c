/* Gathers the surfaces of all bodies and obstacles on every rank. */
#include "boundary.h"

/* Concatenates the rows of all ranks, in the order of ranks. Collective. */
static PetscErrorCode Gather(MPI_Comm comm, PetscInt n, PetscInt width, size_t bytes, const void *rows, PetscInt *total, void *all)
{
  PetscMPIInt  size, *count, *start, own;
  PetscInt     sum = 0;
  MPI_Datatype row;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(n, &own));
  PetscCall(PetscMalloc2(size, &count, size, &start));
  PetscCallMPI(MPI_Allgather(&own, 1, MPI_INT, count, 1, MPI_INT, comm));
  for (PetscMPIInt r = 0; r < size; r++) {
    PetscCall(PetscMPIIntCast(sum, &start[r]));
    sum += count[r];
  }
  *total = sum;
  PetscCall(PetscMalloc((size_t)PetscMax(sum, 1) * (size_t)width * bytes, all));
  PetscCallMPI(MPI_Type_contiguous((int)((size_t)width * bytes), MPI_BYTE, &row));
  PetscCallMPI(MPI_Type_commit(&row));
  PetscCallMPI(MPI_Allgatherv(rows, own, row, *(void **)all, count, start, row, comm));
  PetscCallMPI(MPI_Type_free(&row));
  PetscCall(PetscFree2(count, start));
  PetscFunctionReturn(0);
}

/* Order of rows of `width` integers by their first number, which is different for each row. */
static PetscErrorCode OrderRows(PetscInt n, PetscInt width, const PetscInt rows[], PetscInt **order)
{
  PetscInt *key;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &key));
  PetscCall(PetscMalloc1(n, order));
  for (PetscInt i = 0; i < n; i++) {
    key[i]      = rows[width * i];
    (*order)[i] = i;
  }
  PetscCall(PetscSortIntWithArray(n, key, *order));
  PetscCall(PetscFree(key));
  PetscFunctionReturn(0);
}

/* Stores gathered vertices in the order of their ids; rows: id, body. */
static PetscErrorCode StoreVertices(PetscInt n, const PetscInt order[], const PetscInt rows[], const PetscReal x[], Boundary *b)
{
  PetscFunctionBegin;
  b->num_vertices = n;
  PetscCall(PetscMalloc3(n, &b->id, n, &b->body, b->dim * n, &b->x));
  for (PetscInt i = 0; i < n; i++) {
    b->id[i]   = rows[2 * order[i]];
    b->body[i] = (int32_t)rows[2 * order[i] + 1];
    for (PetscInt k = 0; k < b->dim; k++) b->x[b->dim * i + k] = x[b->dim * order[i] + k];
  }
  PetscFunctionReturn(0);
}

/* Vertices with their ids, bodies and positions. */
static PetscErrorCode GatherVertices(AbutMesh mesh, Boundary *b)
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  const MPI_Comm       comm  = AbutMeshGetComm(mesh);
  const PetscReal     *start = AbutMeshGetStart(mesh);
  PetscInt            *rows, *all, *order, n;
  PetscReal           *x, *all_x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * m->num_points, &rows, m->dim * m->num_points, &x));
  for (PetscInt i = 0; i < m->num_points; i++) {
    rows[2 * i]     = m->vertex_id[m->points[i]];
    rows[2 * i + 1] = m->vertex_body[m->points[i]];
    for (PetscInt k = 0; k < m->dim; k++) x[m->dim * i + k] = start[m->dim * m->points[i] + k];
  }
  PetscCall(Gather(comm, m->num_points, 2, sizeof(PetscInt), rows, &n, &all));
  PetscCall(Gather(comm, m->num_points, m->dim, sizeof(PetscReal), x, &n, &all_x));
  PetscCall(PetscFree2(rows, x));
  PetscCall(OrderRows(n, 2, all, &order));
  PetscCall(StoreVertices(n, order, all, all_x, b));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree(all_x));
  PetscFunctionReturn(0);
}

/* Stores gathered elements in the order of their ids; rows: id, vertex ids. */
static PetscErrorCode StoreElements(const Boundary *b, PetscInt nv, PetscInt num, const PetscInt order[], const PetscInt rows[],
                                    int32_t **v)
{
  PetscInt at;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nv * num, v));
  for (PetscInt i = 0; i < nv * num; i++) {
    PetscCall(PetscFindInt(rows[(nv + 1) * order[i / nv] + 1 + i % nv], b->num_vertices, b->id, &at));
    (*v)[i] = (int32_t)at;
  }
  PetscFunctionReturn(0);
}

/* Elements with nv vertices: faces or edges, in the order of their ids. */
static PetscErrorCode GatherElements(AbutMesh mesh, const Boundary *b, PetscInt nv, PetscInt *num, int32_t **element)
{
  const AbutMeshLocal *m     = AbutMeshGetLocal(mesh);
  const PetscInt       count = nv == 3 ? m->num_faces : m->num_edges, *v = nv == 3 ? m->faces : m->edges;
  const PetscInt      *ids = nv == 3 ? m->face_id : m->edge_id;
  PetscInt            *rows, *all, *order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((nv + 1) * count, &rows));
  for (PetscInt e = 0; e < count; e++) {
    rows[(nv + 1) * e] = ids[e];
    for (PetscInt k = 0; k < nv; k++) rows[(nv + 1) * e + 1 + k] = m->vertex_id[v[nv * e + k]];
  }
  PetscCall(Gather(AbutMeshGetComm(mesh), count, nv + 1, sizeof(PetscInt), rows, num, &all));
  PetscCall(PetscFree(rows));
  PetscCall(OrderRows(*num, nv + 1, all, &order));
  PetscCall(StoreElements(b, nv, *num, order, all, element));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

/* Sorts entities with nv vertices by body, stably, and sets the first entity of each body. */
static PetscErrorCode SortByBody(const Boundary *b, PetscInt nv, PetscInt num, int32_t **v, PetscInt start[])
{
  PetscInt *next;
  int32_t  *sorted;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(start, b->num_bodies + 1));
  for (PetscInt e = 0; e < num; e++) start[b->body[(*v)[nv * e]] + 1]++;
  for (PetscInt i = 0; i < b->num_bodies; i++) start[i + 1] += start[i];
  PetscCall(PetscMalloc1(b->num_bodies, &next));
  PetscCall(PetscArraycpy(next, start, b->num_bodies));
  PetscCall(PetscMalloc1(nv * num, &sorted));
  for (PetscInt e = 0; e < num; e++) PetscCall(PetscArraycpy(&sorted[nv * next[b->body[(*v)[nv * e]]]++], &(*v)[nv * e], nv));
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(*v));
  *v = sorted;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetPlanes(Boundary *b, const AbutPlaneSpec planes[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(b->num_planes, &b->planes));
  PetscCall(PetscArraycpy(b->planes, planes, b->num_planes));
  for (PetscInt p = 0; p < b->num_planes; p++) {
    if (b->dim == 2) b->planes[p].normal[2] = 0;
    (void)Normalize(3, b->planes[p].normal);
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode SetStarts(Boundary *b)
{
  const PetscInt n = b->num_bodies + 1;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(n, &b->vertex_start, n, &b->element_start, n, &b->edge_start));
  for (PetscInt v = 0; v < b->num_vertices; v++) b->vertex_start[b->body[v] + 1]++;
  for (PetscInt i = 0; i < b->num_bodies; i++) b->vertex_start[i + 1] += b->vertex_start[i];
  PetscCall(SortByBody(b, b->dim, b->num_elements, &b->element, b->element_start));
  PetscCall(SortByBody(b, 2, b->num_edges, &b->edge, b->edge_start));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryCreate(AbutMesh mesh, const PetscReal young[], PetscInt num_planes, const AbutPlaneSpec planes[], Boundary *b)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(mesh);

  PetscFunctionBegin;
  *b = (Boundary){.dim = m->dim, .num_bodies = m->num_bodies, .bodies = m->bodies, .num_planes = num_planes};
  PetscCall(SetPlanes(b, planes));
  PetscCall(PetscMalloc1(m->num_bodies, &b->stiffness));
  for (PetscInt i = 0; i < m->num_bodies; i++) b->stiffness[i] = m->bodies[i].obstacle ? 0 : young[m->bodies[i].material];
  PetscCall(GatherVertices(mesh, b));
  PetscCall(GatherElements(mesh, b, m->dim, &b->num_elements, &b->element));
  if (m->dim == 3) PetscCall(GatherElements(mesh, b, 2, &b->num_edges, &b->edge));
  PetscCall(SetStarts(b));
  PetscCall(PetscCalloc1(b->num_vertices, &b->zone));
  PetscFunctionReturn(0);
}

PetscErrorCode BoundaryDestroy(Boundary *b)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(b->id, b->body, b->x));
  PetscCall(PetscFree(b->element));
  PetscCall(PetscFree(b->edge));
  PetscCall(PetscFree(b->stiffness));
  PetscCall(PetscFree(b->zone));
  PetscCall(PetscFree(b->planes));
  PetscCall(PetscFree3(b->vertex_start, b->element_start, b->edge_start));
  PetscFunctionReturn(0);
}

void ElementNormal(const Boundary *b, const int32_t v[], PetscReal normal[3])
{
  PetscReal u[2][3] = {{0}};

  for (PetscInt i = 0; i < b->dim - 1; i++)
    for (PetscInt k = 0; k < b->dim; k++) u[i][k] = b->x[b->dim * v[1 + i] + k] - b->x[b->dim * v[0] + k];
  if (b->dim == 3) {
    AbutCross(u[0], u[1], normal);
  } else { /* the body is on the left of the edge */
    normal[0] = u[0][1];
    normal[1] = -u[0][0];
  }
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
  for (PetscInt i = 0; i < num; i++) (void)Normalize(dim, &normal[dim * i]);
}
