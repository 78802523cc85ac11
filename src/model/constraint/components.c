/* Motions of single components: which motions may not act on the same vertices. */
#include "constraintimpl.h"

/* Components of vertices that a motion changes, as bits. */
static PetscInt Moved(const AbutMotionSpec *spec)
{
  PetscInt bits = 0;

  for (int i = 0; i < 3; i++) bits |= (spec->velocity[i] != 0 || spec->displacement[i] != 0) << i;
  if (AbutDot(3, spec->angular_velocity, spec->angular_velocity) + AbutDot(3, spec->rotation, spec->rotation) > 0) bits = 7;
  return spec->sequence.pattern[0] ? 7 : spec->components ? bits & spec->components : bits;
}

/* Whether two motions would prescribe different displacements of a component: one of them has `components` and one of them moves it. */
static PetscBool Conflict(const AbutMotionSpec *a, const AbutMotionSpec *b)
{
  const PetscInt shared = (a->components ? a->components : 7) & (b->components ? b->components : 7);

  if (a->plane >= 0 || b->plane >= 0 || !(a->components || b->components)) return PETSC_FALSE;
  return (PetscBool)((Moved(a) | Moved(b)) & shared && PetscMax(a->start, b->start) < PetscMin(a->end, b->end));
}

/* Smallest id of a vertex that both motions select, the number of vertices if there is none. Collective. */
static PetscErrorCode FirstCommon(const Kinematics *k, const Motion *a, const Motion *b, PetscInt *id)
{
  PetscFunctionBegin;
  *id = k->ml->num_global;
  for (PetscInt i = 0, j = 0; i < a->num_vertices && j < b->num_vertices;) { /* both lists ascend */
    const PetscInt v = a->vertices[i], w = b->vertices[j];
    if (v == w) *id = PetscMin(*id, k->ml->vertex_id[v]);
    i += v <= w;
    j += w <= v;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, id, 1, MPIU_INT, MPI_MIN, k->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckMotion(const Kinematics *k, const AbutMotionSpec *spec)
{
  const PetscReal *w = spec->angular_velocity, *turn = spec->rotation;

  PetscFunctionBegin;
  AbutCheck(!(spec->components >> k->dim), ABUT_ERR_INPUT, "%s: the motion has the component z, which does not exist in 2D", spec->place);
  AbutCheck(!spec->components || (AbutDot(3, w, w) + AbutDot(3, turn, turn) == 0 && !spec->sequence.pattern[0] && spec->plane < 0),
            ABUT_ERR_INPUT, "%s: single components are not possible for rotations, sequences and planes", spec->place);
  for (int i = 0; i < 3; i++)
    AbutCheck(AbutMotionHas(spec, i) || (spec->velocity[i] == 0 && spec->displacement[i] == 0), ABUT_ERR_INPUT,
              "%s: the motion moves along %c, which is not among its components", spec->place, "xyz"[i]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutComponentsCheck(const Kinematics *k)
{
  PetscFunctionBegin;
  for (PetscInt m = 0; m < k->num_motions; m++) {
    PetscCall(CheckMotion(k, k->motions[m].spec));
    for (PetscInt i = 0; i < m; i++) {
      const AbutMotionSpec *a = k->motions[i].spec, *b = k->motions[m].spec;
      const AbutBody       *body = k->ml->bodies;
      PetscInt              id;

      if (!Conflict(a, b)) continue;
      PetscCall(FirstCommon(k, &k->motions[i], &k->motions[m], &id));
      if (id == k->ml->num_global) continue;
      while (body->vertex_end <= id) body++;
      PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT,
                                       "%s and %s: both motions prescribe the same component of vertex %" PetscInt_FMT
                                       " of '%s' at the same time, and one moves it; select other vertices or other components",
                                       a->place, b->place, id - body->vertex_start, body->name));
    }
  }
  PetscFunctionReturn(0);
}
