/* Checks of motions, loads and selections that concern several keys. */
#include "sceneimpl.h"
#include <errno.h>

PetscErrorCode AbutSceneCheckSelection(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutSelectionSpec *selection = (const AbutSelectionSpec *)target;
  const SceneWhere         box       = {where, "box", 0};

  PetscFunctionBegin;
  for (PetscInt d = 0; selection->has_box && d < r->draft->scene.dim; d++) {
    if (selection->box[0][d] <= selection->box[1][d]) continue;
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "box"), &box,
                                      "reaches from %g to %g in direction %" PetscInt_FMT ", must start with its lower corner",
                                      (double)selection->box[0][d], (double)selection->box[1][d], d));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckWindow(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, PetscReal start, PetscReal end)
{
  const yaml_node_t *value = AbutSceneFind(r, node, "end");
  const SceneWhere   here  = {where, "end", 0};

  PetscFunctionBegin;
  if (start < end) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSceneFail(r, value ? value : node, &here, "is %g, must be greater than start, %g", (double)end, (double)start));
}

PetscErrorCode AbutSceneCheckUntil(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const SceneWhere axis = {where, "axis", 0};

  PetscFunctionBegin;
  if (((const AbutMotionSpec *)target)->until.axis < r->draft->scene.dim) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "axis"), &axis, "is z, must be x or y in 2D"));
}

/* Rank 0 checks that every file exists. */
PetscErrorCode AbutSceneCheckSequence(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutSequence *sequence = &((const AbutMotionSpec *)target)->sequence;
  const SceneWhere    files    = {where, "files", 0};
  char                path[PETSC_MAX_PATH_LEN];
  PetscInt            missing;

  PetscFunctionBegin;
  if (r->rank) PetscFunctionReturn(0);
  missing = AbutSequenceFirstMissing(sequence, path);
  if (missing < 0) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "files"), &files,
                                    "names %s, the number %" PetscInt_FMT " of %" PetscInt_FMT
                                    " files, which cannot be read: %s (paths are relative to the scene file)",
                                    path, missing + 1, sequence->count, strerror(errno)));
}

/* A sequence prescribes the positions of all vertices of a body, so other keys of motion are refused. */
static PetscErrorCode CheckWholeBody(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMotionSpec *motion)
{
  static const char *const others[] = {"velocity", "angular_velocity", "center", "until"};
  const AbutSelectionSpec *select   = &motion->selection;

  PetscFunctionBegin;
  for (size_t k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
    const SceneWhere   here  = {where, others[k], 0};
    const yaml_node_t *value = AbutSceneFind(r, node, others[k]);
    if (value) PetscFunctionReturn(AbutSceneFail(r, value, &here, "is not possible with a sequence"));
  }
  if (!select->body[0] || select->has_box || select->group[0] || select->num_ids) {
    const SceneWhere here = {where, "select", 0};
    PetscFunctionReturn(
      AbutSceneFail(r, AbutSceneFind(r, node, "select"), &here, "must have the key \"body\" and no other with a sequence"));
  }
  PetscFunctionReturn(0);
}

/* Refuses motions that would tilt a plane. */
static PetscErrorCode CheckPlaneMotion(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutMotionSpec *motion)
{
  const SceneObstacle *obstacle = r->draft->obstacles;
  const SceneWhere     turn = {where, "angular_velocity", 0}, until = {where, "until", 0}, center = {where, "center", 0};
  PetscInt             left = motion->plane;

  PetscFunctionBegin;
  while (!obstacle->is_plane || left--) obstacle++;
  if (!AbutTurnKeepsPlane(motion->angular_velocity, obstacle->plane.normal))
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "angular_velocity"), &turn,
                                      "would tilt the plane \"%s\", must be along its normal", obstacle->body.name));
  if (motion->follow)
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "center"), &center, "is follow, must be a point for a plane"));
  if (motion->until.measure != ABUT_MEASURE_NONE && motion->until.action == ABUT_ACTION_RELEASE)
    PetscFunctionReturn(AbutSceneFail(r, AbutSceneFind(r, node, "until"), &until, "releases a plane, must reverse or stop it"));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckMotion(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutMotionSpec *motion = (AbutMotionSpec *)target;

  PetscFunctionBegin;
  if (!AbutSceneFind(r, node, "plane")) motion->plane = -1;
  PetscCall(CheckWindow(r, node, where, motion->start, motion->end));
  if (motion->plane >= 0) PetscCall(CheckPlaneMotion(r, node, where, motion));
  if (motion->sequence.count) PetscCall(CheckWholeBody(r, node, where, motion));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckLoad(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutLoadSpec *load = (const AbutLoadSpec *)target;

  PetscFunctionBegin;
  PetscCall(CheckWindow(r, node, where, load->start, load->end));
  PetscFunctionReturn(0);
}
