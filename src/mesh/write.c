/* Writes a body with given positions as a Gmsh mesh file of version 2.2. */
#include "meshimpl.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A vertex, cell or member of a group on its way to rank 0. */
typedef struct {
  PetscReal x[3]; /* of a vertex */
  PetscInt  kind; /* 0 vertex, 1 cell, 2 member of a group */
  PetscInt  id;   /* of the vertex or cell in the body; group */
  PetscInt  v[4]; /* vertices of the cell, member of the group: numbers in the body */
} Record;

/* The body on rank 0. */
typedef struct {
  PetscInt   num_vertices, num_cells, num_marks;
  PetscReal *x;     /* [3 * num_vertices] */
  PetscInt  *cells; /* [4 * num_cells] */
  PetscInt  *marks; /* [2 * num_marks] group, vertex; ascending */
} Whole;

static void AddVertices(const AbutMeshLocal *m, PetscInt body, const PetscReal x[], PetscInt *n, Record records[])
{
  for (PetscInt v = 0; v < m->num_owned; v++) {
    if (m->vertex_body[v] != body) continue;
    if (records) {
      records[*n] = (Record){.kind = 0, .id = m->vertex_id[v] - m->bodies[body].vertex_start};
      for (PetscInt k = 0; k < m->dim; k++) records[*n].x[k] = x[m->dim * v + k];
    }
    ++*n;
  }
}

static void AddCells(const AbutMeshLocal *m, PetscInt body, PetscInt *n, Record records[])
{
  for (PetscInt c = 0; c < m->num_cells; c++) {
    if (m->cell_body[c] != body) continue;
    if (records) {
      records[*n] = (Record){.kind = 1, .id = m->cell_id[c] - m->bodies[body].cell_start};
      for (PetscInt k = 0; k <= m->dim; k++) records[*n].v[k] = m->vertex_id[m->cells[(m->dim + 1) * c + k]] - m->bodies[body].vertex_start;
    }
    ++*n;
  }
}

static void AddMarks(AbutMesh mesh, PetscInt body, PetscInt *n, Record records[])
{
  const AbutMeshLocal *m = &mesh->local;

  for (PetscInt g = 0; g < mesh->num_groups; g++) {
    for (PetscInt k = mesh->part.group_start[g]; k < mesh->part.group_start[g + 1]; k++) {
      const PetscInt v = mesh->part.group_vertex[k];

      if (m->vertex_body[v] != body) continue;
      if (records) records[*n] = (Record){.kind = 2, .id = g, .v = {m->vertex_id[v] - m->bodies[body].vertex_start}};
      ++*n;
    }
  }
}

/* Sends the parts of a body to rank 0. Collective; `count` is 0 on other ranks. */
static PetscErrorCode GatherRecords(AbutMesh mesh, PetscInt body, const PetscReal x[], PetscInt *count, Record **all)
{
  const AbutMeshLocal *m       = &mesh->local;
  Record              *records = NULL;
  PetscMPIInt         *to;
  AbutExchange         exchange = {0};
  PetscInt             n        = 0;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    n = 0;
    AddVertices(m, body, x, &n, records);
    AddCells(m, body, &n, records);
    AddMarks(mesh, body, &n, records);
    if (!pass) PetscCall(PetscMalloc1(PetscMax(n, 1), &records));
  }
  PetscCall(PetscCalloc1(n, &to));
  PetscCall(AbutExchangeRecords(mesh->comm, sizeof(*records), n, to, records, NULL, &exchange, all));
  *count = exchange.num_recv ? exchange.recv_start[exchange.num_recv] : 0;
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(records));
  PetscFunctionReturn(0);
}

static PetscErrorCode Assemble(AbutMesh mesh, PetscInt body, PetscInt count, const Record all[], Whole *w)
{
  const AbutBody *b     = &mesh->local.bodies[body];
  PetscInt        marks = 0, range;

  PetscFunctionBegin;
  *w    = (Whole){.num_vertices = b->vertex_end - b->vertex_start, .num_cells = b->cell_end - b->cell_start};
  range = PetscMax(w->num_vertices, mesh->num_groups);
  for (PetscInt i = 0; i < count; i++) w->num_marks += all[i].kind == 2;
  PetscCall(PetscCalloc3(3 * w->num_vertices, &w->x, 4 * w->num_cells, &w->cells, 2 * w->num_marks, &w->marks));
  for (PetscInt i = 0; i < count; i++) {
    const Record *r = &all[i];

    if (r->kind == 0) PetscCall(PetscArraycpy(&w->x[3 * r->id], r->x, 3));
    if (r->kind == 1) PetscCall(PetscArraycpy(&w->cells[4 * r->id], r->v, 4));
    if (r->kind != 2) continue;
    w->marks[2 * marks]       = r->id;
    w->marks[2 * marks++ + 1] = r->v[0];
  }
  PetscCall(AbutUniqueTuples(&w->num_marks, 2, range, w->marks));
  PetscFunctionReturn(0);
}

/* Whether the mark is the first one of its group. */
static PetscBool IsFirst(const Whole *w, PetscInt i)
{
  return (PetscBool)(!i || w->marks[2 * i] != w->marks[2 * i - 2]);
}

static void PrintNames(AbutMesh mesh, const Whole *w, FILE *file)
{
  PetscInt names = 0;

  for (PetscInt i = 0; i < w->num_marks; i++) names += IsFirst(w, i);
  if (!names) return;
  fprintf(file, "$PhysicalNames\n%" PetscInt_FMT "\n", names);
  for (PetscInt i = 0; i < w->num_marks; i++)
    if (IsFirst(w, i)) fprintf(file, "0 %" PetscInt_FMT " \"%s\"\n", w->marks[2 * i] + 1, mesh->group_names[w->marks[2 * i]]);
  fprintf(file, "$EndPhysicalNames\n");
}

static void PrintNodes(const Whole *w, FILE *file)
{
  fprintf(file, "$Nodes\n%" PetscInt_FMT "\n", w->num_vertices);
  for (PetscInt v = 0; v < w->num_vertices; v++)
    fprintf(file, "%" PetscInt_FMT " %.17g %.17g %.17g\n", v + 1, (double)w->x[3 * v], (double)w->x[3 * v + 1], (double)w->x[3 * v + 2]);
  fprintf(file, "$EndNodes\n");
}

/* A group is written as the points at its vertices: the reader accepts points and keeps their physical names. */
static void PrintElements(PetscInt dim, const Whole *w, FILE *file)
{
  fprintf(file, "$Elements\n%" PetscInt_FMT "\n", w->num_cells + w->num_marks);
  for (PetscInt i = 0; i < w->num_marks; i++)
    fprintf(file, "%" PetscInt_FMT " 15 2 %" PetscInt_FMT " 1 %" PetscInt_FMT "\n", i + 1, w->marks[2 * i] + 1, w->marks[2 * i + 1] + 1);
  for (PetscInt c = 0; c < w->num_cells; c++) {
    fprintf(file, "%" PetscInt_FMT " %d 2 0 1", w->num_marks + c + 1, dim == 3 ? 4 : 2);
    for (PetscInt k = 0; k <= dim; k++) fprintf(file, " %" PetscInt_FMT, w->cells[4 * c + k] + 1);
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
}

/* Writes a temporary file that replaces `path`. */
static PetscErrorCode WriteFile(AbutMesh mesh, const Whole *w, const char path[])
{
  char  temporary[PETSC_MAX_PATH_LEN + 8];
  FILE *file;
  int   why = 0;

  PetscFunctionBegin;
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  file = fopen(temporary, "w");
  AbutCheck(file, ABUT_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
  PrintNames(mesh, w, file);
  PrintNodes(w, file);
  PrintElements(mesh->local.dim, w, file);
  if (ferror(file) || fflush(file)) why = errno ? errno : EIO;
  if (fclose(file) && !why) why = errno;
  if (!why && rename(temporary, path)) why = errno;
  if (why) unlink(temporary);
  AbutCheck(!why, ABUT_ERR_IO, "cannot write %s: %s", path, strerror(why));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutMeshWriteBody(AbutMesh mesh, PetscInt body, const PetscReal x[], const char path[])
{
  PetscErrorCode code  = 0;
  PetscInt       count = 0;
  Record        *all;

  PetscFunctionBegin;
  PetscCall(GatherRecords(mesh, body, x, &count, &all));
  if (AbutIsRoot(mesh->comm)) {
    Whole whole;

    PetscCall(Assemble(mesh, body, count, all, &whole));
    code = WriteFile(mesh, &whole, path);
    PetscCall(PetscFree3(whole.x, whole.cells, whole.marks));
  }
  PetscCall(PetscFree(all));
  PetscCall(AbutAgree(mesh->comm, code));
  PetscFunctionReturn(0);
}
