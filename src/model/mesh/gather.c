/* Copies a distributed body to one rank. */
#include "blocks.h"
#include <abut/mesh_copy.h>

/* A vertex, cell or member of a group on its way. */
typedef struct {
  PetscReal x[3];   /* of a vertex */
  PetscInt  kind;   /* 0 vertex, 1 cell, 2 member of a group */
  PetscInt  id;     /* of the vertex or cell in the body; group */
  PetscInt  region; /* of the cell */
  PetscInt  v[10];  /* corners of the cell and nodes on its edges, or member of the group: numbers in the body; -1: none */
} Record;

/* The numbers from `begin` to before `end` of n ascending ones are [range[0], range[1]). */
static void FindRange(PetscInt n, const PetscInt numbers[], PetscInt begin, PetscInt end, PetscInt range[2])
{
  range[0] = AbutCountBelow(n, numbers, begin);
  range[1] = AbutCountBelow(n, numbers, end);
}

static void AddVertices(const AbutMeshLocal *m, PetscInt body, const PetscReal x[], PetscInt *n, Record records[])
{
  PetscInt range[2];

  FindRange(m->num_owned, m->vertex_id, m->bodies[body].vertex_start, m->bodies[body].vertex_end, range);
  for (PetscInt v = range[0]; v < range[1]; v++, ++*n) {
    if (!records) continue;
    records[*n] = (Record){.kind = 0, .id = m->vertex_id[v] - m->bodies[body].vertex_start};
    for (PetscInt k = 0; k < m->dim; k++) records[*n].x[k] = x[m->dim * v + k];
  }
}

static void AddCells(AbutMesh mesh, PetscInt body, PetscInt *n, Record records[])
{
  const AbutMeshLocal *m     = &mesh->local;
  const PetscInt       edges = AbutNumCellEdges(m->dim);
  PetscInt             range[2];

  FindRange(m->num_cells, m->cell_id, m->bodies[body].cell_start, m->bodies[body].cell_end, range);
  for (PetscInt c = range[0]; c < range[1]; c++, ++*n) {
    if (!records) continue;
    records[*n] = (Record){.kind = 1, .id = m->cell_id[c] - m->bodies[body].cell_start};
    if (m->bodies[body].num_regions) records[*n].region = mesh->region[c];
    for (PetscInt k = 0; k <= m->dim; k++) records[*n].v[k] = m->vertex_id[m->cells[(m->dim + 1) * c + k]] - m->bodies[body].vertex_start;
    for (PetscInt e = 0; e < edges; e++) {
      const PetscInt v              = m->middles ? m->middles[edges * c + e] : -1;
      records[*n].v[m->dim + 1 + e] = v < 0 ? -1 : m->vertex_id[v] - m->bodies[body].vertex_start;
    }
  }
}

/* Owned vertices have local indices in the order of their ids. */
static void AddMarks(AbutMesh mesh, PetscInt body, PetscInt *n, Record records[])
{
  const AbutMeshLocal *m     = &mesh->local;
  const PetscInt      *start = mesh->part.group_start;
  PetscInt             own[2], range[2];

  FindRange(m->num_owned, m->vertex_id, m->bodies[body].vertex_start, m->bodies[body].vertex_end, own);
  for (PetscInt g = 0; g < mesh->num_groups; g++) {
    const PetscInt *v = &mesh->part.group_vertex[start[g]];

    FindRange(start[g + 1] - start[g], v, own[0], own[1], range);
    for (PetscInt k = range[0]; k < range[1]; k++, ++*n)
      if (records) records[*n] = (Record){.kind = 2, .id = g, .v = {m->vertex_id[v[k]] - m->bodies[body].vertex_start}};
  }
}

/* Sends the parts of a body to a rank. Collective; `count` is 0 on other ranks. */
static PetscErrorCode GatherRecords(AbutMesh mesh, PetscInt body, PetscMPIInt rank, const PetscReal x[], PetscInt *count, Record **all)
{
  Record      *records = NULL;
  PetscMPIInt *to;
  AbutExchange exchange = {0};
  PetscInt     n        = 0;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    AddVertices(&mesh->local, body, x, &n, records);
    AddCells(mesh, body, &n, records);
    AddMarks(mesh, body, &n, records);
    if (!pass) PetscCall(PetscMalloc1(PetscMax(n, 1), &records));
  }
  PetscCall(PetscMalloc1(n, &to));
  for (PetscInt i = 0; i < n; i++) to[i] = rank;
  PetscCall(AbutExchangeRecords(mesh->comm, sizeof(*records), n, to, records, NULL, &exchange, all));
  *count = exchange.num_recv ? exchange.recv_start[exchange.num_recv] : 0;
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(records));
  PetscFunctionReturn(0);
}

/* Puts the records of a body in the order of its numbers. */
static PetscErrorCode Assemble(AbutMesh mesh, PetscInt body, PetscInt count, const Record all[], AbutShape *shape)
{
  const AbutBody *b = &mesh->local.bodies[body];
  const PetscInt  n = mesh->local.dim + 1, edges = AbutNumCellEdges(mesh->local.dim);
  PetscInt        num_marks;

  PetscFunctionBegin;
  shape->num_vertices = b->vertex_end - b->vertex_start;
  shape->num_cells    = b->cell_end - b->cell_start;
  PetscCall(PetscCalloc1(3 * shape->num_vertices, &shape->x));
  PetscCall(PetscCalloc1(n * shape->num_cells, &shape->cells));
  if (b->num_regions) PetscCall(PetscCalloc1(shape->num_cells, &shape->regions));
  for (PetscInt i = 0; i < count; i++) {
    const Record *r = &all[i];

    if (r->kind == 0) PetscCall(PetscArraycpy(&shape->x[3 * r->id], r->x, 3));
    if (r->kind == 1) PetscCall(PetscArraycpy(&shape->cells[n * r->id], r->v, n));
    if (r->kind == 1 && shape->regions) shape->regions[r->id] = r->region;
    if (r->kind == 1 && r->v[n] >= 0 && !shape->middles) PetscCall(PetscMalloc1(edges * shape->num_cells, &shape->middles));
    if (r->kind == 1 && r->v[n] >= 0) PetscCall(PetscArraycpy(&shape->middles[edges * r->id], r->v + n, edges));
    if (r->kind == 2) PetscCall(AbutIntsPush(&shape->groups.marks, 2, (PetscInt[]){r->id, r->v[0]}));
  }
  num_marks = shape->groups.marks.n / 2;
  PetscCall(AbutUniqueTuples(&num_marks, 2, PetscMax(shape->num_vertices, mesh->num_groups), shape->groups.marks.a));
  shape->groups.marks.n = 2 * num_marks;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshGatherBody(AbutMesh mesh, PetscInt body, PetscMPIInt rank, const PetscReal x[], AbutShape *shape)
{
  PetscInt    count = 0;
  PetscMPIInt mine;
  Record     *all;

  PetscFunctionBegin;
  *shape = (AbutShape){0};
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &mine));
  PetscCall(GatherRecords(mesh, body, rank, x, &count, &all));
  if (mine == rank) PetscCall(Assemble(mesh, body, count, all, shape));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(0);
}

static PetscErrorCode SpecOf(const AbutBody *body, AbutBodySpec *spec)
{
  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(spec));
  spec->material    = body->material;
  spec->num_regions = body->num_regions;
  spec->regions     = body->regions;
  spec->surface     = body->surface;
  spec->oriented    = body->oriented;
  PetscCall(PetscStrncpy(spec->name, body->name, sizeof(spec->name)));
  PetscFunctionReturn(0);
}

/* Mesh of one shape on this rank alone. Frees the shape. */
static PetscErrorCode MeshOfShape(AbutMesh mesh, PetscInt body, AbutShape *shape, AbutMesh *copy)
{
  AbutBlocks   blocks = {0};
  AbutBodySpec spec;

  PetscFunctionBegin;
  PetscCall(SpecOf(&mesh->local.bodies[body], &spec));
  PetscCall(AbutGroupsFree(&shape->groups));
  PetscCall(AbutMeshCreateEmpty(PETSC_COMM_SELF, copy));
  (*copy)->options = mesh->options;
  PetscCall(AbutBlocksCreateFromShape((*copy)->comm, mesh->local.dim, &spec, shape, &blocks));
  PetscCall(AbutMeshDistributeBlocks(*copy, &blocks, &spec));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshCopyBody(AbutMesh mesh, PetscInt body, PetscMPIInt rank, AbutMesh *copy)
{
  PetscMPIInt mine;
  AbutShape   shape;

  PetscFunctionBegin;
  *copy = NULL;
  PetscCallMPI(MPI_Comm_rank(mesh->comm, &mine));
  PetscCall(AbutMeshGatherBody(mesh, body, rank, mesh->local.rest, &shape));
  if (mine == rank) PetscCall(MeshOfShape(mesh, body, &shape, copy));
  PetscFunctionReturn(0);
}
