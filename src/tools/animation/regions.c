/* abut deform: working regions of a surface, from a file or by boxes. */
#include "animation.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_REGION 999
#define BLANKS     " \t\r\n"

/* Regions of the vertices: vertex v has the regions region.a[start.a[v]], ..., region.a[start.a[v + 1] - 1]. */
typedef struct {
  AbutInts start, region;
} RegionLists;

/* Reads the next number of a line from *at. */
static PetscErrorCode ReadNumber(const char path[], PetscInt vertex, const char **at, PetscReal *value)
{
  char *end;

  PetscFunctionBegin;
  *value = (PetscReal)strtod(*at, &end);
  AbutCheck(end > *at && isfinite(*value) && strchr(BLANKS, *end), ABUT_ERR_INPUT,
            "%s: the entry of the vertex %" PetscInt_FMT " in the region map is not a finite number: %.40s", path, vertex, *at);
  AbutCheck(*value >= 0 && *value <= MAX_REGION, ABUT_ERR_INPUT,
            "%s: the region map has %g at the vertex %" PetscInt_FMT ", must be in [0, %d]", path, (double)*value, vertex, MAX_REGION);
  *at = end + strspn(end, BLANKS);
  PetscFunctionReturn(0);
}

/* Appends the regions of a line: a number between two integers means both. */
static PetscErrorCode ReadLine(const char path[], const char *at, RegionLists *lists)
{
  const PetscInt vertex = lists->start.n, first = lists->region.n;

  PetscFunctionBegin;
  PetscCall(AbutIntsPush(&lists->start, 1, &first));
  while (*at) {
    PetscReal value;

    PetscCall(ReadNumber(path, vertex, &at, &value));
    AbutCheck(value == floor(value) || (lists->region.n == first && !*at), ABUT_ERR_INPUT,
              "%s: the region map has %g among several numbers at the vertex %" PetscInt_FMT ", must be integers", path, (double)value,
              vertex);
    PetscCall(AbutIntsPush(&lists->region, 1, &(PetscInt){(PetscInt)floor(value)}));
    if (value > floor(value)) PetscCall(AbutIntsPush(&lists->region, 1, &(PetscInt){(PetscInt)ceil(value)}));
  }
  PetscCall(PetscSortInt(lists->region.n - first, &lists->region.a[first]));
  PetscFunctionReturn(0);
}

/* Reads a file: one line for each vertex; blank lines do not count. */
static PetscErrorCode ReadFile(const char path[], PetscInt num_vertices, RegionLists *lists)
{
  FILE          *file = fopen(path, "r");
  char           line[4096];
  PetscErrorCode verdict = 0;
  int            error;

  PetscFunctionBegin;
  AbutCheck(file, ABUT_ERR_INPUT, "%s: cannot be opened as a region map: %s", path, strerror(errno));
  errno = 0;
  while (!verdict && lists->start.n <= num_vertices && fgets(line, sizeof(line), file)) {
    const char *at = line + strspn(line, BLANKS);

    if (*at) verdict = ReadLine(path, at, lists);
  }
  error = ferror(file) ? errno : 0;
  fclose(file);
  PetscCall(verdict);
  AbutCheck(!error, ABUT_ERR_INPUT, "%s: cannot be read as a region map: %s", path, strerror(error));
  AbutCheck(lists->start.n == num_vertices, ABUT_ERR_INPUT,
            "%s: the region map has %s%" PetscInt_FMT " lines, must have %" PetscInt_FMT ", one for each vertex", path,
            lists->start.n > num_vertices ? "at least " : "", lists->start.n, num_vertices);
  PetscFunctionReturn(0);
}

static PetscBool IsInside(const PetscReal box[2][3], const PetscReal x[3])
{
  for (PetscInt k = 0; k < 3; k++)
    if (!(box[0][k] <= x[k] && x[k] <= box[1][k])) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* Region l of a surface has the vertices in its box l. */
static PetscErrorCode SelectByBoxes(const AbutDeformSurfaceSpec *spec, const AbutSurfaceArrays *arrays, RegionLists *lists)
{
  PetscFunctionBegin;
  for (PetscInt v = 0; v < arrays->num_vertices; v++) {
    const PetscReal *x     = &arrays->x[3 * v];
    const PetscInt   first = lists->region.n;

    PetscCall(AbutIntsPush(&lists->start, 1, &first));
    for (PetscInt l = 0; l < spec->num_region_boxes; l++)
      if (IsInside(spec->region_boxes[l].box, x)) PetscCall(AbutIntsPush(&lists->region, 1, &l));
    AbutCheck(lists->region.n > first, ABUT_ERR_INPUT,
              "surface %s: the vertex %" PetscInt_FMT " at (%g, %g, %g) is in no box of `region_boxes`; the boxes must cover the surface",
              spec->body.name, v, (double)x[0], (double)x[1], (double)x[2]);
  }
  PetscFunctionReturn(0);
}

/* Sends the lists of rank 0 to all ranks. */
static PetscErrorCode Broadcast(const Animation *a, PetscInt num_vertices, RegionLists *lists)
{
  PetscMPIInt num;

  PetscFunctionBegin;
  if (!a->rank) PetscCall(AbutIntsPush(&lists->start, 1, &lists->region.n));
  PetscCall(PetscMPIIntCast(lists->region.n, &num));
  PetscCallMPI(MPI_Bcast(&num, 1, MPI_INT, 0, a->comm));
  if (a->rank) {
    PetscCall(AbutIntsGrow(&lists->start, num_vertices + 1));
    PetscCall(AbutIntsGrow(&lists->region, num));
  }
  PetscCallMPI(MPI_Bcast(lists->start.a, (PetscMPIInt)num_vertices + 1, MPIU_INT, 0, a->comm));
  PetscCallMPI(MPI_Bcast(lists->region.a, num, MPIU_INT, 0, a->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AnimationSetRegions(Animation *a, const AbutDeformSurfaceSpec *spec, AnimatedSurface *s)
{
  const PetscInt n       = s->arrays.num_vertices;
  RegionLists    lists   = {0};
  PetscErrorCode verdict = 0;

  PetscFunctionBegin;
  if (!a->rank) verdict = spec->regions[0] ? ReadFile(spec->regions, n, &lists) : SelectByBoxes(spec, &s->arrays, &lists);
  verdict = AbutAgree(a->comm, verdict);
  if (!verdict) {
    PetscCall(Broadcast(a, n, &lists));
    verdict = AbutDeformSurfaceSetRegions(s->surface, s->arrays.x, lists.start.a, lists.region.a);
  }
  PetscCall(PetscFree(lists.start.a));
  PetscCall(PetscFree(lists.region.a));
  PetscFunctionReturn(verdict);
}
