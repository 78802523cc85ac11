/* Writes a body with given positions as a Gmsh mesh file of version 2.2. */
#include "meshimpl.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Whether the mark is the first one of its group. */
static PetscBool IsFirst(const AbutInts *marks, PetscInt i)
{
  return (PetscBool)(!i || marks->a[2 * i] != marks->a[2 * i - 2]);
}

/* Regions are physical groups of cells with the tags 1, 2, ... */
static void PrintNames(AbutMesh mesh, const AbutBody *body, const AbutInts *marks, FILE *file)
{
  PetscInt names = body->num_regions;

  for (PetscInt i = 0; i < marks->n / 2; i++) names += IsFirst(marks, i);
  if (!names) return;
  fprintf(file, "$PhysicalNames\n%" PetscInt_FMT "\n", names);
  for (PetscInt i = 0; i < marks->n / 2; i++)
    if (IsFirst(marks, i)) fprintf(file, "0 %" PetscInt_FMT " \"%s\"\n", marks->a[2 * i] + 1, mesh->group_names[marks->a[2 * i]]);
  for (PetscInt r = 0; r < body->num_regions; r++)
    fprintf(file, "%" PetscInt_FMT " %" PetscInt_FMT " \"%s\"\n", mesh->local.dim, r + 1, body->regions[r].group);
  fprintf(file, "$EndPhysicalNames\n");
}

static void PrintNodes(const AbutShape *w, FILE *file)
{
  fprintf(file, "$Nodes\n%" PetscInt_FMT "\n", w->num_vertices);
  for (PetscInt v = 0; v < w->num_vertices; v++)
    fprintf(file, "%" PetscInt_FMT " %.17g %.17g %.17g\n", v + 1, (double)w->x[3 * v], (double)w->x[3 * v + 1], (double)w->x[3 * v + 2]);
  fprintf(file, "$EndNodes\n");
}

/* A group is written as the points at its vertices: the reader accepts points and keeps their physical names. */
static void PrintElements(PetscInt dim, const AbutShape *w, FILE *file)
{
  static const PetscInt order[6] = {0, 1, 2, 3, 5, 4}; /* of the nodes on the edges of a tetrahedron in Gmsh */
  const PetscInt       *mark = w->groups.marks.a, num = w->groups.marks.n / 2, n = dim + 1, edges = w->middles ? AbutNumCellEdges(dim) : 0;
  const int             type = dim == 3 ? edges ? 11 : 4 : edges ? 9 : 2;

  fprintf(file, "$Elements\n%" PetscInt_FMT "\n", w->num_cells + num);
  for (PetscInt i = 0; i < num; i++)
    fprintf(file, "%" PetscInt_FMT " 15 2 %" PetscInt_FMT " 1 %" PetscInt_FMT "\n", i + 1, mark[2 * i] + 1, mark[2 * i + 1] + 1);
  for (PetscInt c = 0; c < w->num_cells; c++) {
    fprintf(file, "%" PetscInt_FMT " %d 2 %" PetscInt_FMT " 1", num + c + 1, type, w->regions ? w->regions[c] + 1 : 0);
    for (PetscInt k = 0; k < n; k++) fprintf(file, " %" PetscInt_FMT, w->cells[n * c + k] + 1);
    for (PetscInt e = 0; e < edges; e++) fprintf(file, " %" PetscInt_FMT, w->middles[edges * c + order[e]] + 1);
    fprintf(file, "\n");
  }
  fprintf(file, "$EndElements\n");
}

/* Writes a temporary file that replaces `path`. */
static PetscErrorCode WriteFile(AbutMesh mesh, const AbutBody *body, const AbutShape *w, const char path[])
{
  char  temporary[PETSC_MAX_PATH_LEN + 8];
  FILE *file;
  int   why = 0;

  PetscFunctionBegin;
  snprintf(temporary, sizeof(temporary), "%s.tmp", path);
  file = fopen(temporary, "w");
  AbutCheck(file, ABUT_ERR_IO, "cannot write %s: %s", temporary, strerror(errno));
  fprintf(file, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n");
  PrintNames(mesh, body, &w->groups.marks, file);
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
  PetscReal     *nodes; /* files have nodes */
  AbutShape      whole;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->local.num_owned * mesh->local.dim, &nodes));
  PetscCall(AbutMeshVerticesToNodes(mesh, x, nodes));
  PetscCall(AbutMeshGatherBody(mesh, body, 0, nodes, &whole));
  PetscCall(PetscFree(nodes));
  code = AbutIsRoot(mesh->comm) ? WriteFile(mesh, &mesh->local.bodies[body], &whole, path) : 0;
  PetscCall(AbutShapeFree(&whole));
  PetscCall(AbutAgree(mesh->comm, code));
  PetscFunctionReturn(0);
}
