/* Checks of motions, loads and selections that concern several keys. */
#include "sceneimpl.h"

PetscErrorCode AbutSceneCheckSelection(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutSelectionSpec *select = (const AbutSelectionSpec *)target;

  PetscFunctionBegin;
  for (PetscInt d = 0; select->has_box && d < r->draft->scene.dim; d++)
    SceneCheck(select->box[0][d] <= select->box[1][d], r, node, where, "box",
               "reaches from %g to %g in direction %" PetscInt_FMT ", must start with its lower corner", (double)select->box[0][d],
               (double)select->box[1][d], d);
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckWindow(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, PetscReal start, PetscReal end)
{
  PetscFunctionBegin;
  SceneCheck(start < end, r, node, where, "end", "is %g, must be greater than start, %g", (double)end, (double)start);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckUntil(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  PetscFunctionBegin;
  SceneCheck(((const AbutMotionSpec *)target)->until.axis < r->draft->scene.dim, r, node, where, "axis", "is z, must be x or y in 2D");
  PetscFunctionReturn(0);
}

/* Rank 0 checks that every file exists. */
PetscErrorCode AbutSceneCheckSequence(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutSequence *sequence = &((const AbutMotionSpec *)target)->sequence;
  char                path[PETSC_MAX_PATH_LEN];
  const PetscInt      missing = r->rank ? -1 : AbutSequenceFirstMissing(sequence, path);

  PetscFunctionBegin;
  SceneCheck(missing < 0, r, node, where, "files",
             "names %s, the number %" PetscInt_FMT " of %" PetscInt_FMT
             " files, which cannot be read: %s (paths are relative to the scene file)",
             path, missing + 1, sequence->count, AbutFileWhyUnreadable(path));
  PetscFunctionReturn(0);
}

/* A sequence prescribes the positions of all vertices of a body, so other keys of motion are refused. */
static PetscErrorCode CheckWholeBody(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMotionSpec *motion)
{
  static const char *const others[] = {"components", "velocity", "angular_velocity", "table", "center", "until"};
  const AbutSelectionSpec *select   = &motion->selection;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(others); k++)
    SceneCheck(!AbutSceneFind(r, node, others[k]), r, node, where, others[k], "is not possible with a sequence");
  SceneCheck(select->body[0] && !select->has_box && !select->group[0] && !select->num_ids, r, node, where, "select",
             "must have the key \"body\" and no other with a sequence");
  PetscFunctionReturn(0);
}

/* Refuses motions that would tilt a plane. */
static PetscErrorCode CheckPlaneMotion(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMotionSpec *motion)
{
  const AbutPlaneSpec *plane = &r->draft->scene.planes[motion->plane];

  PetscFunctionBegin;
  SceneCheck(AbutTurnKeepsPlane(motion->angular_velocity, plane->normal), r, node, where, "angular_velocity",
             "would tilt the plane \"%s\", must be along its normal", plane->name);
  SceneCheck(AbutTurnKeepsPlane(motion->rotation, plane->normal), r, node, where, "rotation",
             "would tilt the plane \"%s\", must be along its normal", plane->name);
  SceneCheck(!motion->follow, r, node, where, "center", "is follow, must be a point for a plane");
  SceneCheck(motion->until.measure == ABUT_MEASURE_NONE || motion->until.action != ABUT_ACTION_RELEASE, r, node, where, "until",
             "releases a plane, must reverse or stop it");
  PetscFunctionReturn(0);
}

/* The same is checked when the objects are created, without the line of the key. */
static PetscErrorCode CheckComponents(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMotionSpec *motion)
{
  const PetscReal *w = motion->angular_velocity, *turn = motion->rotation;

  PetscFunctionBegin;
  SceneCheck(!(motion->components >> r->draft->scene.dim), r, node, where, "components", "has z, which does not exist in 2D");
  SceneCheck(w[0] == 0 && w[1] == 0 && w[2] == 0 && turn[0] == 0 && turn[1] == 0 && turn[2] == 0, r, node, where, "components",
             "is not possible with a rotation");
  for (PetscInt i = 0; i < 3; i++)
    SceneCheck(AbutMotionHas(motion, i) || (motion->velocity[i] == 0 && motion->displacement[i] == 0), r, node, where, "components",
               "lacks %c, along which the motion moves", "xyz"[i]);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckMotion(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutMotionSpec *motion = (AbutMotionSpec *)target;

  PetscFunctionBegin;
  if (!AbutSceneFind(r, node, "plane")) motion->plane = -1;
  SceneCheck(!motion->table.num || AbutMotionMoves(motion), r, node, where, "table",
             "has no effect without a displacement, a rotation or a velocity");
  PetscCall(CheckWindow(r, node, where, motion->start, motion->end));
  if (motion->components) PetscCall(CheckComponents(r, node, where, motion));
  if (motion->plane >= 0) PetscCall(CheckPlaneMotion(r, node, where, motion));
  if (motion->sequence.count) PetscCall(CheckWholeBody(r, node, where, motion));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckLoad(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutLoadSpec *load = (AbutLoadSpec *)target;

  PetscFunctionBegin;
  PetscCall(CheckWindow(r, node, where, load->start, load->end));
  if (!AbutSceneFind(r, node, "plane")) PetscFunctionReturn(0);
  SceneCheck(AbutSceneFind(r, node, "force"), r, node, where, "plane", "needs the key \"force\", the only load on a plane");
  load->kind = ABUT_LOAD_PLANE;
  PetscFunctionReturn(0);
}
