/* Checks across the keys of a scene of the deformer. */
#include "scene.h"
#include <string.h>

/* Key frames start with their frame. Refuses frames that do not ascend. */
static PetscErrorCode CheckFrames(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, PetscInt num, const char *keys,
                                  size_t bytes)
{
  PetscReal last = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < num; i++) {
    PetscReal frame;

    memcpy(&frame, keys + (size_t)i * bytes, sizeof(frame));
    SceneCheck(frame > last, r, node, where, "keys", "has frame %g after frame %g, must ascend", (double)frame, (double)last);
    last = frame;
  }
  PetscFunctionReturn(0);
}

/* Regions come from a file or from boxes. */
static PetscErrorCode CheckBoxes(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutDeformSurfaceSpec *surface)
{
  PetscFunctionBegin;
  SceneCheck(!surface->regions[0] || !surface->num_region_boxes, r, node, where, "region_boxes",
             "exclude `regions`: one of both gives the regions");
  for (PetscInt l = 0; l < surface->num_region_boxes; l++) {
    const AbutDeformRegionSpec *region = &surface->region_boxes[l];

    for (PetscInt k = 0; k < 3; k++)
      SceneCheck(region->box[0][k] <= region->box[1][k], r, node, where, "region_boxes",
                 "has a box from %g to %g in direction %" PetscInt_FMT ", must start with its lower corner", (double)region->box[0][k],
                 (double)region->box[1][k], k);
  }
  SceneCheck(surface->num_region_boxes <= 1000, r, node, where, "region_boxes", "has %" PetscInt_FMT " boxes, must have at most 1000",
             surface->num_region_boxes);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckDeformSurface(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutDeformSurfaceSpec *surface = (AbutDeformSurfaceSpec *)target;
  const PetscInt        *copies  = surface->body.shape.copies;

  PetscFunctionBegin;
  SceneCheck(copies[0] == 1 && copies[1] == 1 && copies[2] == 1, r, node, where, "copies", "must be 1 for a surface of `deform`");
  PetscCall(CheckFrames(r, node, where, surface->num_keys, (const char *)surface->keys, sizeof(*surface->keys)));
  PetscCall(CheckBoxes(r, node, where, surface));
  surface->body.obstacle = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckDeformPair(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutDeformPairSpec *pair = (const AbutDeformPairSpec *)target;

  PetscFunctionBegin;
  SceneCheck(pair->control.stiffness[0] + pair->control.stiffness[1] > 0, r, node, where, "stiffness",
             "is [0, 0], one of both must be above 0");
  for (PetscInt i = 0; i < pair->num_keys; i++)
    SceneCheck(!pair->keys[i].has_stiffness || pair->keys[i].stiffness[0] + pair->keys[i].stiffness[1] > 0, r, node, where, "keys",
               "has the stiffness [0, 0], one of both must be above 0");
  PetscCall(CheckFrames(r, node, where, pair->num_keys, (const char *)pair->keys, sizeof(*pair->keys)));
  PetscFunctionReturn(0);
}

static const char *SurfaceName(const void *from, PetscInt i)
{
  return ((const AbutDeformScene *)from)->surfaces[i].body.name;
}

/* Two parts of one surface are regions of it. The regions of two surfaces may be left out. */
static PetscErrorCode CheckRegions(SceneReader *r, const yaml_node_t *item, const SceneWhere *where, const AbutDeformScene *scene,
                                   const AbutDeformPairSpec *pair)
{
  PetscFunctionBegin;
  SceneCheck(pair->index[0] != pair->index[1] || pair->has_regions, r, item, where, "second",
             "is the first surface; must be another one, or the pair needs `regions`");
  for (PetscInt s = 0; s < 2 && pair->has_regions; s++) {
    const AbutDeformSurfaceSpec *surface = &scene->surfaces[pair->index[s]];

    SceneCheck(surface->regions[0] || surface->num_region_boxes || (!pair->region[s] && pair->index[0] != pair->index[1]), r, item, where,
               "regions", "need the key `regions` of the surface \"%s\", or `region_boxes`", surface->body.name);
  }
  SceneCheck(!pair->has_regions || pair->index[0] != pair->index[1] || pair->region[0] != pair->region[1], r, item, where, "regions",
             "are both %" PetscInt_FMT ", must be different", pair->region[0]);
  PetscFunctionReturn(0);
}

/* Finds the surfaces of the pairs by name. */
static PetscErrorCode FindSurfaces(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, AbutDeformScene *scene)
{
  static const char *const key[2] = {"first", "second"};
  const yaml_node_t       *list   = AbutSceneFind(r, node, "pairs");
  const SceneWhere         pairs  = {where, "pairs", 0};

  PetscFunctionBegin;
  for (PetscInt i = 0; i < scene->num_pairs; i++) {
    const SceneWhere    here = {&pairs, NULL, i};
    const yaml_node_t  *item = AbutSceneItem(r, list, i);
    AbutDeformPairSpec *pair = &scene->pairs[i];

    for (PetscInt s = 0; s < 2; s++) {
      const SceneWhere at = {&here, key[s], 0};

      PetscCall(AbutSceneFindName(r, AbutSceneFind(r, item, key[s]), &at, scene, scene->num_surfaces, SurfaceName, &pair->index[s]));
    }
    PetscCall(CheckRegions(r, item, &here, scene, pair));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckDeform(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  AbutDeformScene *scene = &((SceneDeformDraft *)target)->scene;
  char             path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  for (PetscInt i = 0; i < scene->num_surfaces; i++) {
    AbutDeformSurfaceSpec *surface = &scene->surfaces[i];

    for (PetscInt j = 0; j < i; j++)
      SceneCheck(strcmp(surface->body.name, SurfaceName(scene, j)), r, node, where, "surfaces", "has the name \"%s\" twice",
                 surface->body.name);
    surface->sequence.count = scene->num_frames;
    if (surface->sequence.pattern[0] && !r->rank)
      SceneCheck(AbutSequenceFirstMissing(&surface->sequence, path) < 0, r, node, where, "surfaces",
                 "needs the file %s, which cannot be read", path);
  }
  PetscCall(FindSurfaces(r, node, where, scene));
  PetscFunctionReturn(0);
}
