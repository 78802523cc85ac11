/* abut deform: surfaces of a scene, their positions and controls at a frame. */
#include "animation.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sends the arrays of a surface from rank 0 to all. */
static PetscErrorCode Broadcast(MPI_Comm comm, PetscMPIInt rank, AbutSurfaceArrays *arrays)
{
  PetscInt count[2] = {arrays->num_vertices, arrays->num_faces};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(count, 2, MPIU_INT, 0, comm));
  AbutCheck(count[0] <= PETSC_MPI_INT_MAX / 3 && count[1] <= PETSC_MPI_INT_MAX / 3, ABUT_ERR_INPUT,
            "a surface has %" PetscInt_FMT " vertices and %" PetscInt_FMT " triangles, must have at most %d", count[0], count[1],
            PETSC_MPI_INT_MAX / 3);
  if (rank) {
    arrays->num_vertices = count[0];
    arrays->num_faces    = count[1];
    PetscCall(PetscMalloc1(3 * count[0], &arrays->x));
    PetscCall(PetscMalloc1(3 * count[1], &arrays->face));
  }
  PetscCallMPI(MPI_Bcast(arrays->x, (PetscMPIInt)(3 * count[0]), MPIU_REAL, 0, comm));
  PetscCallMPI(MPI_Bcast(arrays->face, (PetscMPIInt)(3 * count[1]), MPIU_INT, 0, comm));
  PetscFunctionReturn(0);
}

/* Reads the n numbers of a bulge map. */
static PetscErrorCode ReadNumbers(const char path[], PetscInt n, PetscReal values[])
{
  FILE     *file = fopen(path, "r");
  PetscInt  num  = 0;
  double    value;
  PetscBool ended;

  PetscFunctionBegin;
  AbutCheck(file, ABUT_ERR_INPUT, "%s: cannot be opened as a bulge map: %s", path, strerror(errno));
  while (fscanf(file, "%lf", &value) == 1 && isfinite(value)) {
    if (num < n) values[num] = (PetscReal)value;
    num++;
  }
  ended = (PetscBool)(feof(file) != 0);
  fclose(file);
  AbutCheck(ended, ABUT_ERR_INPUT,
            "%s: the entry of the vertex %" PetscInt_FMT
            " in the bulge map is not a finite number; entries are separated by blanks or lines",
            path, num);
  AbutCheck(num == n, ABUT_ERR_INPUT, "%s: the bulge map has %" PetscInt_FMT " numbers, must have %" PetscInt_FMT ", one for each vertex",
            path, num, n);
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateSurface(Animation *a, PetscInt i)
{
  const AbutDeformSurfaceSpec *spec = &a->scene->surfaces[i];
  AnimatedSurface             *s    = &a->surface[i];
  PetscInt                     n;

  PetscFunctionBegin;
  PetscCall(AbutAgree(a->comm, a->rank ? 0 : AbutSurfaceRead(&spec->body, &s->arrays)));
  PetscCall(Broadcast(a->comm, a->rank, &s->arrays));
  n = s->arrays.num_vertices;
  PetscCall(AbutDeformSurfaceCreate(spec->body.name, n, s->arrays.num_faces, s->arrays.face, &s->surface));
  PetscCall(PetscMalloc3(3 * n, &s->x, 3 * n, &s->y, n, &s->contact));
  if (spec->regions[0] || spec->num_region_boxes) PetscCall(AnimationSetRegions(a, spec, s));
  if (!spec->bulge[0]) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(n, &s->bulge));
  PetscCall(AbutAgree(a->comm, a->rank ? 0 : ReadNumbers(spec->bulge, n, s->bulge)));
  PetscCallMPI(MPI_Bcast(s->bulge, (PetscMPIInt)n, MPIU_REAL, 0, a->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AnimationCreateSurfaces(Animation *a)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(a->scene->num_surfaces, &a->surface));
  PetscCall(PetscMalloc2(a->scene->num_pairs, &a->pair_control, a->scene->num_surfaces, &a->surface_control));
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) PetscCall(CreateSurface(a, i));
  PetscFunctionReturn(0);
}

PetscErrorCode AnimationDestroySurfaces(Animation *a)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; a->surface && i < a->scene->num_surfaces; i++) {
    AnimatedSurface *s = &a->surface[i];

    PetscCall(AbutDeformSurfaceDestroy(&s->surface));
    PetscCall(AbutSurfaceArraysFree(&s->arrays));
    PetscCall(PetscFree3(s->x, s->y, s->contact));
    PetscCall(PetscFree(s->bulge));
  }
  PetscCall(PetscFree2(a->pair_control, a->surface_control));
  PetscCall(PetscFree(a->surface));
  PetscFunctionReturn(0);
}

/* Positions of a surface from the file of a frame. */
static PetscErrorCode ReadPositions(const AbutDeformSurfaceSpec *spec, PetscInt frame, AnimatedSurface *s)
{
  AbutBodySpec      file;
  AbutSurfaceArrays arrays;
  PetscBool         fits;

  PetscFunctionBegin;
  PetscCall(AbutBodySpecInit(&file));
  PetscCall(PetscStrncpy(file.name, spec->body.name, sizeof(file.name)));
  PetscCall(PetscStrncpy(file.place, spec->body.place, sizeof(file.place)));
  file.shape.kind = ABUT_SHAPE_FILE;
  file.obstacle   = PETSC_TRUE;
  AbutSequencePath(&spec->sequence, frame, file.shape.path);
  PetscCall(AbutSurfaceRead(&file, &arrays));
  fits = (PetscBool)(arrays.num_vertices == s->arrays.num_vertices);
  if (fits) PetscCall(PetscArraycpy(s->x, arrays.x, 3 * arrays.num_vertices));
  PetscCall(AbutSurfaceArraysFree(&arrays));
  AbutCheck(fits, ABUT_ERR_INPUT, "%s: the surface %s has %" PetscInt_FMT " vertices, the file another number", file.shape.path, file.name,
            s->arrays.num_vertices);
  PetscFunctionReturn(0);
}

PetscErrorCode AnimationSetFrame(Animation *a, PetscInt frame)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < a->scene->num_surfaces; i++) {
    const AbutDeformSurfaceSpec *spec = &a->scene->surfaces[i];
    AnimatedSurface             *s    = &a->surface[i];
    AbutRigidMotion              motion;

    if (spec->sequence.pattern[0])
      PetscCall(ReadPositions(spec, frame, s));
    else
      PetscCall(PetscArraycpy(s->x, s->arrays.x, 3 * s->arrays.num_vertices));
    AbutDeformSurfaceAtFrame(spec, (PetscReal)frame, &a->surface_control[i], &motion);
    a->surface_control[i].bulge = s->bulge;
    for (PetscInt v = 0; v < s->arrays.num_vertices; v++) AbutRigidMove(3, &motion, &s->x[3 * v]);
  }
  for (PetscInt i = 0; i < a->scene->num_pairs; i++) AbutDeformPairAtFrame(&a->scene->pairs[i], (PetscReal)frame, &a->pair_control[i]);
  PetscFunctionReturn(0);
}
