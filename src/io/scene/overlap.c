/* Warns of vertices and planes that several motions move at the same time: their velocities add up, which is rarely intended. */
#include "sceneimpl.h"
#include <abut/containers.h>

#define LINES_MAX 10 /* warnings printed, one a motion; their number follows */

typedef struct {
  const AbutScene *scene;
  AbutCSR          at;      /* motions that select each owned vertex, ascending; motions without velocities are omitted */
  PetscInt        *partner; /* [num_motions] lowest earlier motion with common vertices; num_motions: none */
  PetscInt        *shared;  /* [num_motions] number of vertices in common with it, summed over ranks */
} Overlaps;

/* Time at which a motion begins to move its vertices, and at which it ends: the values of a table are constant outside of its points. */
static PetscReal Begin(const AbutMotionSpec *a)
{
  return a->table.num ? PetscMax(a->start, a->table.points[0]) : a->start;
}

static PetscReal End(const AbutMotionSpec *a)
{
  return a->table.num ? PetscMin(a->end, a->table.points[2 * (a->table.num - 1)]) : a->end;
}

/* Whether both move something within a common window of time. Motions of single components never move the same (AbutConstraintCreate()). */
static PetscBool Concur(const AbutMotionSpec *a, const AbutMotionSpec *b)
{
  if (a->components || b->components) return PETSC_FALSE;
  return (PetscBool)(AbutMotionMoves(a) && AbutMotionMoves(b) && PetscMax(Begin(a), Begin(b)) < PetscMin(End(a), End(b)));
}

/* Selects the vertices of all motions and lists the motions of each vertex. Collective. */
static PetscErrorCode ListMotions(Overlaps *o, AbutMesh mesh, PetscInt num_owned)
{
  AbutInts vertices = {0}, motions = {0};

  PetscFunctionBegin;
  for (PetscInt m = 0; m < o->scene->num_motions; m++) {
    const AbutMotionSpec *motion = &o->scene->motions[m];
    PetscInt              count, *selected;

    if (motion->plane >= 0 || !AbutMotionMoves(motion)) continue;
    PetscCall(AbutMeshSelect(mesh, &motion->selection, motion->place, &count, &selected));
    PetscCall(AbutIntsPush(&vertices, count, selected));
    for (PetscInt k = 0; k < count; k++) PetscCall(AbutIntsPush(&motions, 1, &m));
    PetscCall(PetscFree(selected));
  }
  PetscCall(AbutCSRSetPairs(num_owned, vertices.n, 1, vertices.a, motions.a, &o->at));
  PetscCall(PetscFree(vertices.a));
  PetscCall(PetscFree(motions.a));
  PetscFunctionReturn(0);
}

/* Collective. */
static PetscErrorCode FindOverlaps(Overlaps *o, MPI_Comm comm)
{
  const AbutMotionSpec *motions = o->scene->motions;
  const PetscInt        num     = o->scene->num_motions;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < num; m++) o->partner[m] = num;
  for (int pass = 0; pass < 2; pass++) { /* lowest partner over all vertices and ranks, then the vertices in common with it */
    for (PetscInt v = 0; v < o->at.num_rows; v++)
      for (PetscInt i = o->at.start[v]; i < o->at.start[v + 1]; i++)
        for (PetscInt k = o->at.start[v]; k < i; k++) {
          const PetscInt m = o->at.item[i], earlier = o->at.item[k];
          if (pass)
            o->shared[m] += earlier == o->partner[m];
          else if (earlier < o->partner[m] && Concur(&motions[earlier], &motions[m]))
            o->partner[m] = earlier;
        }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, pass ? o->shared : o->partner, (PetscMPIInt)num, MPIU_INT, pass ? MPI_SUM : MPI_MIN, comm));
  }
  PetscFunctionReturn(0);
}

/* Prints the first warnings and counts all. */
static PetscErrorCode Warn(MPI_Comm comm, const AbutMotionSpec *first, const AbutMotionSpec *second, const char what[], PetscInt *count)
{
  PetscFunctionBegin;
  if ((*count)++ >= LINES_MAX) PetscFunctionReturn(0);
  PetscCall(AbutWarn(comm, "the motions of %s and %s move %s at the same time: they compose, so that their velocities add up", first->place,
                     second->place, what));
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfAll(const Overlaps *o, MPI_Comm comm)
{
  const AbutScene *scene = o->scene;
  char             what[128];
  PetscInt         count = 0;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < scene->num_motions; m++) {
    const AbutMotionSpec *motion = &scene->motions[m];

    PetscCall(PetscSNPrintf(what, sizeof(what), "%" PetscInt_FMT " common %s", o->shared[m], o->shared[m] == 1 ? "vertex" : "vertices"));
    if (o->partner[m] < scene->num_motions) PetscCall(Warn(comm, &scene->motions[o->partner[m]], motion, what, &count));
    for (PetscInt k = 0; motion->plane >= 0 && k < m; k++) {
      if (scene->motions[k].plane != motion->plane || !Concur(&scene->motions[k], motion)) continue;
      PetscCall(PetscSNPrintf(what, sizeof(what), "plane '%s'", scene->planes[motion->plane].name));
      PetscCall(Warn(comm, &scene->motions[k], motion, what, &count));
      break;
    }
  }
  if (count > LINES_MAX)
    PetscCall(AbutWarn(comm, "and %" PetscInt_FMT " more motions that move the same, %" PetscInt_FMT " in all", count - LINES_MAX, count));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneWarnOfOverlap(const AbutScene *scene, AbutMesh mesh)
{
  const AbutMeshLocal *local = AbutMeshGetLocal(mesh);
  Overlaps             o     = {.scene = scene};
  MPI_Comm             comm  = AbutMeshGetComm(mesh);

  PetscFunctionBegin;
  if (scene->num_motions < 2) PetscFunctionReturn(0);
  PetscCall(PetscCalloc2(scene->num_motions, &o.partner, scene->num_motions, &o.shared));
  PetscCall(ListMotions(&o, mesh, local->num_owned));
  PetscCall(FindOverlaps(&o, comm));
  PetscCall(WarnOfAll(&o, comm));
  PetscCall(AbutCSRDestroy(&o.at));
  PetscCall(PetscFree2(o.partner, o.shared));
  PetscFunctionReturn(0);
}
