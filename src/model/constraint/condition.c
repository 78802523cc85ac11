/* Conditions at which motions reverse, stop or release their vertices. */
#include "constraintimpl.h"

const char *const AbutOutsides[] = {"free", "hold", "AbutOutside", "ABUT_OUTSIDE_", NULL};
const char *const AbutActions[]  = {"reverse", "stop", "release", "AbutAction", "ABUT_ACTION_", NULL};

/* Finds the half space, or the vertices of the bodies, of a name; "" selects all bodies. Collective. */
static PetscErrorCode Resolve(const Kinematics *k, const char name[], const char place[], Subject *subject)
{
  AbutSelectionSpec selection = {.body = ""};
  PetscInt          kept      = 0;
  PetscBool         same      = PETSC_FALSE;

  PetscFunctionBegin;
  subject->plane = -1;
  for (PetscInt p = 0; p < k->num_planes && name[0] && !same; p++) {
    PetscCall(PetscStrcmp(name, k->planes[p].name, &same));
    if (same) subject->plane = p;
  }
  if (same) PetscFunctionReturn(0);
  PetscCall(PetscStrncpy(selection.body, name, sizeof(selection.body)));
  PetscCall(AbutMeshSelect(k->mesh, &selection, place, &subject->num_vertices, &subject->vertices));
  if (name[0]) PetscFunctionReturn(0);
  for (PetscInt n = 0; n < subject->num_vertices; n++) {
    const PetscInt v = subject->vertices[n];
    if (!k->ml->bodies[k->ml->vertex_body[v]].obstacle) subject->vertices[kept++] = v;
  }
  subject->num_vertices = kept;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutConditionCreate(const Kinematics *k, Motion *motion)
{
  const AbutMotionSpec *spec = motion->spec;

  PetscFunctionBegin;
  motion->subject[0].plane = motion->subject[1].plane = -1;
  if (spec->until.measure == ABUT_MEASURE_NONE) PetscFunctionReturn(0);
  AbutCheck(spec->until.axis >= 0 && spec->until.axis < k->dim, ABUT_ERR_INPUT,
            "%s: a condition along axis %" PetscInt_FMT "; in %" PetscInt_FMT "D an axis is in [0, %" PetscInt_FMT "]", spec->place,
            spec->until.axis, k->dim, k->dim - 1);
  AbutCheck(!spec->sequence.pattern[0] || spec->until.action != ABUT_ACTION_REVERSE, ABUT_ERR_INPUT,
            "%s: a sequence of files cannot reverse; it can stop or release", spec->place);
  for (int i = 0; i < (spec->until.measure == ABUT_MEASURE_GAP ? 2 : 1); i++)
    PetscCall(Resolve(k, spec->until.subject[i], spec->place, &motion->subject[i]));
  PetscFunctionReturn(0);
}

/* Sets extent to the minimum of x and of -x over the points of the subject on this rank; x: coordinate along `axis`. */
static void Extent(const Kinematics *k, const Subject *subject, PetscInt axis, PetscReal extent[2])
{
  extent[0] = extent[1] = PETSC_MAX_REAL;
  if (subject->plane >= 0) {
    extent[0] = k->start.plane_point[3 * subject->plane + axis];
    extent[1] = -extent[0];
  }
  for (PetscInt n = 0; n < subject->num_vertices; n++) {
    const PetscReal x = k->start.x[subject->vertices[n] * k->dim + axis];
    extent[0]         = PetscMin(extent[0], x);
    extent[1]         = PetscMin(extent[1], -x);
  }
}

static PetscBool Holds(const AbutCondition *until, PetscReal extent[2][2])
{
  PetscReal value;

  if (until->measure == ABUT_MEASURE_GAP)
    value = extent[1][0] + extent[0][1];
  else
    value = until->measure == ABUT_MEASURE_LOWEST ? extent[0][0] : -extent[0][1];
  return (PetscBool)(until->above ? value > until->limit : value < until->limit);
}

/* Performs the action once, when the condition becomes true. */
static void Act(AbutAction action, PetscBool holds, PetscInt *bits)
{
  if (!holds) {
    *bits &= ~ABUT_MOTION_MET;
    return;
  }
  if (*bits & ABUT_MOTION_MET) return;
  *bits |= ABUT_MOTION_MET;
  if (action == ABUT_ACTION_REVERSE) *bits ^= ABUT_MOTION_REVERSED;
  if (action == ABUT_ACTION_STOP) *bits |= ABUT_MOTION_STOPPED;
  if (action == ABUT_ACTION_RELEASE) *bits |= ABUT_MOTION_RELEASED;
}

PetscErrorCode AbutConditionsUpdate(Kinematics *k)
{
  PetscReal(*extent)[2][2];
  PetscMPIInt count;
  PetscBool   any = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt m = 0; m < k->num_motions; m++) any = (PetscBool)(any || k->motions[m].spec->until.measure != ABUT_MEASURE_NONE);
  if (!any) PetscFunctionReturn(0);
  PetscCall(PetscMPIIntCast(4 * k->num_motions, &count));
  PetscCall(PetscMalloc1(k->num_motions, &extent));
  for (PetscInt m = 0; m < k->num_motions; m++)
    for (int i = 0; i < 2; i++) Extent(k, &k->motions[m].subject[i], k->motions[m].spec->until.axis, extent[m][i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, extent, count, MPIU_REAL, MPIU_MIN, k->comm));
  for (PetscInt m = 0; m < k->num_motions; m++) {
    const AbutCondition *until = &k->motions[m].spec->until;
    if (until->measure == ABUT_MEASURE_NONE || !AbutMotionIsActive(k, m, k->t, k->h)) continue;
    Act(until->action, Holds(until, extent[m]), &k->start.flags[m]);
  }
  PetscCall(PetscFree(extent));
  PetscFunctionReturn(0);
}
