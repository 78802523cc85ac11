/* Warns of vertices and planes that several motions move at the same time: their velocities add up, which is rarely intended. */
#include "sceneimpl.h"

/* A motion that moves a vertex; the list of a vertex starts at `first` of Overlaps. */
typedef struct {
  PetscInt motion, next; /* -1: end of the list */
} Entry;

typedef struct {
  const AbutScene *scene;
  PetscInt        *count, **vertices; /* [num_motions] selection of each motion on this rank, local vertices */
  PetscInt        *first;             /* [num_owned] first entry of each vertex, -1: none */
  Entry           *entries;
  PetscInt        *partner; /* [num_motions] lowest earlier motion with common vertices; num_motions: none */
  PetscInt        *shared;  /* [num_motions] number of vertices in common with it, summed over ranks */
} Overlaps;

static PetscBool Moves(const AbutMotionSpec *motion)
{
  for (int d = 0; d < 3; d++)
    if (motion->velocity[d] != 0 || motion->angular_velocity[d] != 0) return PETSC_TRUE;
  return (PetscBool)(motion->sequence.count > 0);
}

/* Whether both move something within a common window of time. */
static PetscBool Concur(const AbutMotionSpec *a, const AbutMotionSpec *b)
{
  return (PetscBool)(Moves(a) && Moves(b) && PetscMax(a->start, b->start) < PetscMin(a->end, b->end));
}

/* Lowest earlier motion of the list that concurs with motion m; num_motions if there is none. */
static PetscInt FindPartner(const Overlaps *o, PetscInt entry, PetscInt m)
{
  const AbutMotionSpec *motions = o->scene->motions;
  PetscInt              lowest  = o->scene->num_motions;

  for (; entry >= 0; entry = o->entries[entry].next) {
    const PetscInt other = o->entries[entry].motion;
    if (other < m && other < lowest && Concur(&motions[other], &motions[m])) lowest = other;
  }
  return lowest;
}

static PetscBool HasMotion(const Overlaps *o, PetscInt entry, PetscInt m)
{
  while (entry >= 0 && o->entries[entry].motion != m) entry = o->entries[entry].next;
  return (PetscBool)(entry >= 0);
}

/* Selects the vertices of all motions and lists the motions of each vertex. Collective. */
static PetscErrorCode Collect(Overlaps *o, AbutMesh mesh, const AbutMeshLocal *local)
{
  const AbutScene *scene = o->scene;
  PetscInt         num   = 0;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < scene->num_motions; m++) {
    const AbutMotionSpec *motion = &scene->motions[m];
    if (motion->plane >= 0 || !Moves(motion)) continue;
    PetscCall(AbutMeshSelect(mesh, &motion->selection, motion->place, &o->count[m], &o->vertices[m]));
    num += o->count[m];
  }
  PetscCall(PetscMalloc1(num, &o->entries));
  for (PetscInt v = 0; v < local->num_owned; v++) o->first[v] = -1;
  num = 0;
  for (PetscInt m = 0; m < scene->num_motions; m++)
    for (PetscInt k = 0; k < o->count[m]; k++) {
      const PetscInt v = o->vertices[m][k];
      o->entries[num]  = (Entry){m, o->first[v]};
      o->first[v]      = num++;
    }
  PetscFunctionReturn(0);
}

/* Collective. */
static PetscErrorCode FindOverlaps(Overlaps *o, MPI_Comm comm)
{
  const PetscInt num = o->scene->num_motions;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < num; m++) {
    o->partner[m] = num;
    for (PetscInt k = 0; k < o->count[m]; k++) o->partner[m] = PetscMin(o->partner[m], FindPartner(o, o->first[o->vertices[m][k]], m));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, o->partner, (PetscMPIInt)num, MPIU_INT, MPI_MIN, comm));
  for (PetscInt m = 0; m < num; m++)
    for (PetscInt k = 0; o->partner[m] < num && k < o->count[m]; k++)
      o->shared[m] += HasMotion(o, o->first[o->vertices[m][k]], o->partner[m]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, o->shared, (PetscMPIInt)num, MPIU_INT, MPI_SUM, comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode Warn(MPI_Comm comm, const AbutMotionSpec *first, const AbutMotionSpec *second, const char what[])
{
  PetscFunctionBegin;
  PetscCall(PetscFPrintf(
    comm, PETSC_STDERR, "abut: warning: the motions of %s and %s move %s at the same time: they compose, so that their velocities add up\n",
    first->place, second->place, what));
  PetscFunctionReturn(0);
}

static PetscErrorCode WarnOfAll(const Overlaps *o, MPI_Comm comm)
{
  const AbutScene *scene = o->scene;
  char             what[128];

  PetscFunctionBegin;
  for (PetscInt m = 0; m < scene->num_motions; m++) {
    const AbutMotionSpec *motion = &scene->motions[m];

    PetscCall(PetscSNPrintf(what, sizeof(what), "%" PetscInt_FMT " common %s", o->shared[m], o->shared[m] == 1 ? "vertex" : "vertices"));
    if (o->partner[m] < scene->num_motions) PetscCall(Warn(comm, &scene->motions[o->partner[m]], motion, what));
    for (PetscInt k = 0; motion->plane >= 0 && k < m; k++) {
      if (scene->motions[k].plane != motion->plane || !Concur(&scene->motions[k], motion)) continue;
      PetscCall(PetscSNPrintf(what, sizeof(what), "plane '%s'", scene->planes[motion->plane].name));
      PetscCall(Warn(comm, &scene->motions[k], motion, what));
      break;
    }
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneWarnOfOverlap(const AbutScene *scene, AbutMesh mesh)
{
  const AbutMeshLocal *local;
  Overlaps             o = {.scene = scene};
  MPI_Comm             comm;

  PetscFunctionBegin;
  if (scene->num_motions < 2) PetscFunctionReturn(0);
  PetscCall(AbutMeshGetComm(mesh, &comm));
  PetscCall(AbutMeshGetLocal(mesh, &local));
  PetscCall(PetscCalloc4(scene->num_motions, &o.count, scene->num_motions, &o.vertices, scene->num_motions, &o.partner, scene->num_motions,
                         &o.shared));
  PetscCall(PetscMalloc1(local->num_owned, &o.first));
  PetscCall(Collect(&o, mesh, local));
  PetscCall(FindOverlaps(&o, comm));
  PetscCall(WarnOfAll(&o, comm));
  for (PetscInt m = 0; m < scene->num_motions; m++) PetscCall(PetscFree(o.vertices[m]));
  PetscCall(PetscFree(o.entries));
  PetscCall(PetscFree(o.first));
  PetscCall(PetscFree4(o.count, o.vertices, o.partner, o.shared));
  PetscFunctionReturn(0);
}
