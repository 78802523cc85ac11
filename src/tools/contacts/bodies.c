/* abut contacts: names of bodies, and rigid bodies of a scene. */
#include "contacts.h"
#include <string.h>

PetscBool NameMeansBody(const char name[], const AbutBody *body)
{
  const size_t n = strlen(name);

  return (PetscBool)(!n || (!strncmp(name, body->name, n) && (!body->name[n] || body->name[n] == '[')));
}

/* Refuses entries of the scene that rigid bodies do not have. */
static PetscErrorCode CheckScene(const AbutScene *scene)
{
  PetscFunctionBegin;
  AbutCheck(!scene->num_planes, ABUT_ERR_INPUT,
            "%s: the plane '%s' has no contact points; with -steps or `normal: centers` abut contacts needs a block in its place",
            scene->path, scene->planes[0].name);
  AbutCheck(!scene->num_loads, ABUT_ERR_INPUT, "%s: with -steps or `normal: centers` abut contacts computes no loads",
            scene->loads[0].place);
  for (PetscInt i = 0; i < scene->num_motions; i++) {
    const AbutMotionSpec *motion = &scene->motions[i];

    AbutCheck(!motion->selection.has_box && !motion->selection.group[0] && !motion->selection.num_ids, ABUT_ERR_INPUT,
              "%s: with -steps or `normal: centers` abut contacts moves whole bodies: `select` must name a body only", motion->place);
    AbutCheck(!motion->sequence.pattern[0] && motion->start == 0 && motion->until.measure == ABUT_MEASURE_NONE && !motion->table.num &&
                !motion->components,
              ABUT_ERR_INPUT,
              "%s: with -steps or `normal: centers` abut contacts knows motions at constant velocity from the start only, without `start`, "
              "`until`, `components`, `table` and `sequence`",
              motion->place);
  }
  PetscFunctionReturn(0);
}

/* Adds the velocities of the motions of a body to its state; *moved: there is one. */
static void ApplyMotions(const AbutScene *scene, const AbutBody *body, AbutRigidState *state, PetscBool *moved)
{
  *moved = PETSC_FALSE;
  for (PetscInt i = 0; i < scene->num_motions; i++) {
    const AbutMotionSpec *motion = &scene->motions[i];

    if (motion->plane >= 0 || !NameMeansBody(motion->selection.body, body)) continue;
    for (int k = 0; k < 3 && state; k++) {
      state->velocity[k] = (*moved ? state->velocity[k] : 0) + motion->velocity[k];
      state->spin[k]     = (*moved ? state->spin[k] : 0) + motion->angular_velocity[k];
    }
    *moved = PETSC_TRUE;
  }
}

PetscErrorCode AssessmentCreateRigid(Assessment *a)
{
  const AbutMeshLocal *m = a->local;
  const AbutRigidMass *mass;
  AbutRigidState      *state;
  PetscReal           *density;
  PetscErrorCode       code = 0;
  PetscBool            moved;

  PetscFunctionBegin;
  PetscCall(CheckScene(a->scene));
  PetscCall(PetscCalloc1(m->num_bodies, &density));
  for (PetscInt b = 0; b < m->num_bodies; b++) {
    ApplyMotions(a->scene, &m->bodies[b], NULL, &moved);
    for (PetscInt r = 0; r < m->bodies[b].num_regions && !code; r++)
      if (a->scene->materials[m->bodies[b].regions[r].material].density != a->scene->materials[m->bodies[b].material].density)
        code = AbutErrorSet(ABUT_ERR_INPUT, "body '%s' has regions of several densities; the rigid bodies of abut contacts have one",
                            m->bodies[b].name);
    if (!moved && !m->bodies[b].obstacle) density[b] = a->scene->materials[m->bodies[b].material].density;
  }
  if (!code) code = AbutRigidCreate(a->mesh, density, a->scene->step.gravity, &a->rigid);
  PetscCall(PetscFree(density));
  PetscCall(code);
  PetscCall(AbutRigidSetFromOptions(a->rigid));
  PetscCall(AbutRigidGetBodies(a->rigid, &mass, &state));
  for (PetscInt b = 0; b < m->num_bodies; b++) ApplyMotions(a->scene, &m->bodies[b], &state[b], &moved);
  PetscFunctionReturn(0);
}
