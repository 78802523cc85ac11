/* Chooses the reader of a shape file by its extension; checks that apply to all files. */
#include "read.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* In 2D checks that all vertices of the file have z = 0 up to round-off. */
static PetscErrorCode CheckPlane(MPI_Comm comm, const AbutBodySpec *spec, PetscInt first, const AbutShape *shape)
{
  PetscReal extent = 0;
  PetscInt  bad    = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * shape->num_vertices; i++) extent = PetscMax(extent, PetscAbsReal(shape->x[i]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &extent, 1, MPIU_REAL, MPIU_MAX, comm));
  for (PetscInt v = shape->num_vertices - 1; v >= 0; v--)
    if (!(PetscAbsReal(shape->x[3 * v + 2]) <= 1e-12 * extent)) bad = v;
  PetscCall(AbutAgree(comm, bad < 0
                              ? 0
                              : AbutSpecError(spec, "%s: vertex %" PetscInt_FMT " has z = %g; in a scene of dimension 2 all z must be 0",
                                              spec->shape.path, first + bad, (double)shape->x[3 * bad + 2])));
  for (PetscInt v = 0; v < shape->num_vertices; v++) shape->x[3 * v + 2] = 0;
  PetscFunctionReturn(0);
}

/* Readers that read the whole shape on rank 0. */
static PetscErrorCode ReadOnRoot(const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, const char extension[], AbutShape *shape)
{
  static const char *const cad[]      = {".msh", ".geo", ".step", ".stp", ".brep", ".iges", ".igs", ".STEP", ".STP", ".IGES", ".IGS", NULL};
  PetscBool                understood = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(extension, ".obj") || !strcmp(extension, ".seg") || !strcmp(extension, ".pt")) {
    PetscCall(AbutShapeReadSurface(spec, dim, shape));
    PetscFunctionReturn(0);
  }
  for (PetscInt i = 0; cad[i] && !understood; i++) understood = (PetscBool)!strcmp(extension, cad[i]);
  AbutSpecCheck(understood, spec,
                "%s: unknown file type; valid are .msh, .geo, .step, .iges, .brep, .h5, and for obstacles .obj, .seg, .pt",
                spec->shape.path);
  AbutSpecCheck(!access(spec->shape.path, R_OK), spec, "cannot read %s: %s", spec->shape.path, strerror(errno));
  PetscCall(AbutShapeReadGmsh(spec, dim, parts, shape));
  PetscFunctionReturn(0);
}

static PetscErrorCode ReadByExtension(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape)
{
  const char *extension  = strrchr(spec->shape.path, '.');
  PetscBool   understood = PETSC_FALSE;

  PetscFunctionBegin;
  if (!strcmp(extension, ".h5") || !strcmp(extension, ".hdf5")) {
    PetscCall(AbutShapeReadHDF5(comm, spec, dim, parts, shape));
    PetscFunctionReturn(0);
  }
  if (!strcmp(extension, ".msh")) PetscCall(AbutShapeReadMsh(comm, spec, dim, parts, NULL, shape, &understood));
  if (!understood) PetscCall(AbutAgree(comm, AbutIsRoot(comm) ? ReadOnRoot(spec, dim, parts, extension, shape) : 0));
  PetscFunctionReturn(0);
}

/* Checks of the vertices and of the numbers of vertices and cells. */
static PetscErrorCode CheckFile(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, const AbutShape *shape)
{
  PetscInt total[2] = {shape->num_vertices, shape->num_cells}, first = shape->num_vertices;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, total, 2, MPIU_INT, MPI_SUM, comm));
  first -= shape->num_vertices;
  PetscCall(AbutAgree(comm, AbutShapeCheckFinite(spec, first, shape))); /* rotations would spread NaN to all coordinates */
  if (dim == 2) PetscCall(CheckPlane(comm, spec, first, shape));
  AbutSpecCheck(parts != ABUT_FILE_CELLS || total[1], spec, "%s has no cells of dimension %" PetscInt_FMT " (linear or quadratic %s)",
                spec->shape.path, dim, dim == 3 ? "tetrahedra" : "triangles");
  AbutSpecCheck(total[0], spec, "%s has no vertices", spec->shape.path);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutShapeReadFile(MPI_Comm comm, const AbutBodySpec *spec, PetscInt dim, AbutFileParts parts, AbutShape *shape)
{
  PetscFunctionBegin;
  AbutSpecCheck(strrchr(spec->shape.path, '.'), spec, "the file name \"%s\" has no extension (.msh, .geo, .obj, ...)", spec->shape.path);
  PetscCall(ReadByExtension(comm, spec, dim, parts, shape));
  PetscCall(CheckFile(comm, spec, dim, parts, shape));
  PetscFunctionReturn(0);
}
