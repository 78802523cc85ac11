/*
  Reads the vertex positions of one body or obstacle from a file: of a sequence (prescribed motion), or at the start. The positions of a
  body are read in blocks on all ranks. The positions of an obstacle are read on rank 0: its surface vertices follow from the whole file.
  The file of a body with quadratic cells may have the corners alone, if they are the first vertices of the body; the nodes on the edges
  then have the mean displacement of the two corners.
*/
#include "meshimpl.h"
#include <string.h>

/* Specification of a shape that is the file. */
static PetscErrorCode SpecOfFile(const AbutBody *body, const char path[], const char place[], AbutBodySpec *spec)
{
  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(spec));
  PetscCall(PetscStrncpy(spec->name, body->name, sizeof(spec->name)));
  PetscCall(PetscStrncpy(spec->place, place, sizeof(spec->place)));
  spec->obstacle = body->obstacle;
  AbutSpecCheck(strlen(path) < sizeof(spec->shape.path), spec, "the path of a file has %zu characters; at most %zu are read", strlen(path),
                sizeof(spec->shape.path) - 1);
  PetscCall(PetscStrncpy(spec->shape.path, path, sizeof(spec->shape.path)));
  PetscFunctionReturn(0);
}

/* The surface vertices of an obstacle in the order of the file; rank 0. */
static PetscErrorCode ReadSurface(const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  MPI_Comm       self;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscCommDuplicate(PETSC_COMM_SELF, &self, NULL));
  ierr = AbutShapeReadFile(self, spec, dim, ABUT_FILE_ALL, shape);
  if (!ierr) ierr = AbutShapeKeepSurface(spec, dim, shape);
  PetscCall(PetscCommDestroy(&self));
  PetscFunctionReturn(ierr);
}

/* Number of corners of quadratic cells if they are the first vertices of the body; the number of its vertices otherwise. Collective. */
static PetscErrorCode CountCorners(AbutMesh mesh, PetscInt b, PetscInt *num)
{
  const AbutMeshLocal *m      = &mesh->local;
  const AbutBody      *body   = &m->bodies[b];
  const PetscInt       edges  = AbutNumCellEdges(m->dim);
  PetscInt             lowest = PETSC_MAX_INT, highest = -1; /* node on an edge; corner */

  PetscFunctionBegin;
  for (PetscInt c = 0; c < m->num_cells && m->middles; c++) {
    if (m->cell_body[c] != b || !AbutCellIsQuadratic(m, c)) continue;
    for (PetscInt e = 0; e < edges; e++) lowest = PetscMin(lowest, m->vertex_id[m->middles[edges * c + e]]);
    for (PetscInt k = 0; k <= m->dim; k++) highest = PetscMax(highest, m->vertex_id[m->cells[(m->dim + 1) * c + k]]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lowest, 1, MPIU_INT, MPI_MIN, mesh->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &highest, 1, MPIU_INT, MPI_MAX, mesh->comm));
  *num = (highest < lowest ? PetscMin(lowest, body->vertex_end) : body->vertex_end) - body->vertex_start;
  PetscFunctionReturn(0);
}

/*
  Reads the vertices in the order of the body, all or the first `corners` ones: each rank gets consecutive ones. found: their number over
  all ranks. Collective.
*/
static PetscErrorCode ReadVertices(AbutMesh mesh, const AbutBody *body, PetscInt corners, const char path[], const char place[],
                                   AbutShape *shape, PetscInt *found)
{
  const PetscInt dim = mesh->local.dim, num = body->vertex_end - body->vertex_start;
  AbutBodySpec   spec;

  PetscFunctionBegin;
  PetscCall(SpecOfFile(body, path, place, &spec));
  if (body->obstacle)
    PetscCall(AbutAgree(mesh->comm, AbutIsRoot(mesh->comm) ? ReadSurface(&spec, dim, shape) : 0));
  else
    PetscCall(AbutShapeReadFile(mesh->comm, &spec, dim, ABUT_FILE_VERTICES, shape));
  PetscCallMPI(MPI_Allreduce(&shape->num_vertices, found, 1, MPIU_INT, MPI_SUM, mesh->comm));
  AbutSpecCheck(*found == num || *found == corners || corners == num, &spec,
                "%s has %" PetscInt_FMT " vertices; '%s' has %" PetscInt_FMT ", of which %" PetscInt_FMT " are corners of its cells", path,
                *found, body->name, num, corners);
  AbutSpecCheck(*found == num || *found == corners, &spec, "%s has %" PetscInt_FMT " vertices; '%s' has %" PetscInt_FMT, path, *found,
                body->name, num);
  PetscFunctionReturn(0);
}

/*
  Copies positions of the first `num` vertices of the body from the ranks that have read them, three numbers for each vertex of the file, to
  the owned vertices.
*/
static PetscErrorCode SendPositions(AbutMesh mesh, PetscInt body, PetscInt num, const AbutShape *shape, PetscReal x[])
{
  const AbutMeshLocal *local = &mesh->local;
  const PetscInt       dim = local->dim, start = local->bodies[body].vertex_start;
  PetscReal           *rows;
  PetscInt             n = 0, *vertices, *numbers;
  PetscSF              sf;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(local->num_owned, &vertices, local->num_owned, &numbers));
  for (PetscInt v = 0; v < local->num_owned; v++) {
    if (local->vertex_body[v] != body || local->vertex_id[v] >= start + num) continue;
    numbers[n]    = local->vertex_id[v] - start;
    vertices[n++] = v;
  }
  PetscCall(AbutSFCreate(mesh->comm, shape->num_vertices, n, numbers, &sf));
  PetscCall(PetscMalloc1(3 * n, &rows));
  PetscCall(AbutSFBcastRows(sf, MPIU_REAL, 3, shape->x, rows));
  for (PetscInt i = 0; i < n * dim; i++) x[dim * vertices[i / dim] + i % dim] = rows[3 * (i / dim) + i % dim];
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscFree(rows));
  PetscCall(PetscFree2(vertices, numbers));
  PetscFunctionReturn(0);
}

static PetscReal Mean(PetscReal a, PetscReal b, PetscReal vertex)
{
  (void)vertex;
  return (a + b) / 2;
}

/*
  Moves the vertices on the edges of a body: by the mean displacement of the two corners if the file has `only_corners`, else to the places
  that belong to the nodes of the file. Collective.
*/
static PetscErrorCode MoveEdges(AbutMesh mesh, PetscInt body, PetscBool only_corners, PetscReal x[])
{
  const AbutMeshLocal *m = &mesh->local;
  PetscReal           *u, *result;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(m->num_owned * m->dim, &u, m->num_owned * m->dim, &result));
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++) u[i] = x[i] - (only_corners ? m->rest[i] : 0);
  PetscCall(AbutMeshConvertEdges(mesh, only_corners ? Mean : AbutEdgeVertex, u, result));
  for (PetscInt i = 0; i < m->num_owned * m->dim; i++)
    if (m->vertex_body[i / m->dim] == body && result[i] != u[i]) x[i] = result[i] + (only_corners ? m->rest[i] : 0);
  PetscCall(PetscFree2(u, result));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshReadPositions(AbutMesh mesh, PetscInt body, const char path[], const char place[], PetscReal x[])
{
  AbutShape       shape   = {0};
  const AbutBody *b       = &mesh->local.bodies[body];
  PetscInt        corners = 0, found = 0;
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(CountCorners(mesh, body, &corners));
  ierr = ReadVertices(mesh, b, corners, path, place, &shape, &found);
  if (!ierr) PetscCall(SendPositions(mesh, body, found, &shape, x));
  if (!ierr && b->order == 2) PetscCall(MoveEdges(mesh, body, (PetscBool)(found < b->vertex_end - b->vertex_start), x));
  PetscCall(AbutShapeFree(&shape));
  PetscFunctionReturn(ierr);
}
