/* Creates the shape of a body or obstacle, on one rank or in blocks: reads or generates it, places it, checks it and builds its surface. */
#include "meshimpl.h"
#include <string.h>

/* An obstacle without faces and edges is valid only if its file ends in .pt (points). */
static PetscErrorCode CheckHasSurface(const AbutBodySpec *spec, const AbutShape *shape)
{
  const char *dot = strrchr(spec->shape.path, '.');

  PetscFunctionBegin;
  if (shape->num_cells || shape->num_faces || shape->num_edges || (dot && !strcmp(dot, ".pt"))) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSpecError(spec,
                                    "%s has %" PetscInt_FMT
                                    " vertices, but neither triangles (lines \"f\" of an .obj) nor segments (lines \"l\" of an "
                                    ".obj, \"s\" of a .seg); for an obstacle of points name a file that ends in .pt",
                                    spec->shape.path, shape->num_vertices));
}

/* Reads the file, or generates the whole shape on one rank. */
static PetscErrorCode ReadOrGenerate(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscInt num_vertices, num_cells;

  PetscFunctionBegin;
  if (spec->shape.kind == ABUT_SHAPE_FILE) {
    PetscCall(AbutShapeReadFile(comm, spec, dim, spec->obstacle ? ABUT_FILE_ALL : ABUT_FILE_CELLS, shape));
    if (spec->obstacle) PetscCall(CheckHasSurface(spec, shape));
  } else {
    PetscCall(AbutShapeGenerateCount(spec, dim, &num_vertices, &num_cells));
    PetscCall(AbutShapeGenerate(spec, dim, (AbutRange){0, num_vertices}, (AbutRange){0, num_cells}, shape));
  }
  PetscFunctionReturn(0);
}

/* Mean of all vertices. Ranks add one after the other, so that the sum has the bits of a sum on one rank. */
static PetscErrorCode Mean(MPI_Comm comm, const AbutShape *shape, PetscReal mean[3])
{
  PetscInt    total = shape->num_vertices;
  PetscMPIInt rank, size, tag;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscCommGetNewTag(comm, &tag));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPIU_INT, MPI_SUM, comm));
  if (rank > 0) PetscCallMPI(MPI_Recv(mean, 3, MPIU_REAL, rank - 1, tag, comm, MPI_STATUS_IGNORE));
  AbutShapeAddMean(shape, total, mean);
  if (rank + 1 < size) PetscCallMPI(MPI_Send(mean, 3, MPIU_REAL, rank + 1, tag, comm));
  PetscCallMPI(MPI_Bcast(mean, 3, MPIU_REAL, size - 1, comm));
  PetscFunctionReturn(0);
}

/* Removes repeated marks. */
static PetscErrorCode UniqueMarks(AbutInts *marks)
{
  PetscInt num = marks->n / 2, most = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < marks->n; i++) most = PetscMax(most, marks->a[i]);
  PetscCall(AbutUniqueTuples(&num, 2, most + 1, marks->a));
  marks->n = 2 * num;
  PetscFunctionReturn(0);
}

static PetscErrorCode Finish(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscReal mean[3] = {0, 0, 0};

  PetscFunctionBegin;
  PetscCall(AbutShapeCheckPlacement(spec, dim));
  if (spec->shape.center) PetscCall(Mean(comm, shape, mean));
  AbutShapePlace(spec, dim, mean, shape);
  if (spec->obstacle && dim == 2) AbutShapeOrientCells2D(shape);
  PetscCall(AbutShapeCheckBody(comm, spec, dim, shape));
  if (spec->obstacle) {
    PetscCall(AbutShapeKeepSurface(spec, dim, shape));
    PetscCall(AbutShapeCheckObstacle(spec, dim, shape));
    PetscCall(AbutShapeOrient(spec, dim, shape));
  } else {
    PetscCall(AbutShapeDropSurface(shape));
    PetscCall(AbutShapeSetRegions(comm, spec, shape));
    shape->oriented = spec->oriented;
  }
  PetscCall(UniqueMarks(&shape->groups.marks));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeCreate(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutShape *shape)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  *shape = (AbutShape){0};
  PetscCall(PetscCommDuplicate(comm, &comm, NULL));
  ierr = ReadOrGenerate(comm, spec, dim, shape);
  if (!ierr) ierr = Finish(comm, spec, dim, shape);
  PetscCall(PetscCommDestroy(&comm));
  PetscFunctionReturn(ierr);
}
