/* Scenes of the deformer: reading. */
#include "scene.h"

/* Frees the arrays of a scene. */
static PetscErrorCode Reset(AbutDeformScene *scene)
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < scene->num_surfaces; i++) {
    PetscCall(PetscFree(scene->surfaces[i].keys));
    PetscCall(PetscFree(scene->surfaces[i].region_boxes));
  }
  for (PetscInt i = 0; i < scene->num_pairs; i++) PetscCall(PetscFree(scene->pairs[i].keys));
  PetscCall(PetscFree(scene->surfaces));
  PetscCall(PetscFree(scene->pairs));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformSceneRead(MPI_Comm comm, const char path[], AbutDeformScene **scene)
{
  SceneDeformDraft *draft;
  PetscErrorCode    verdict;

  PetscFunctionBegin;
  *scene = NULL;
  PetscCall(PetscNew(&draft));
  verdict = AbutSceneReadFile(comm, path, &AbutSceneDeformRoot, draft, NULL);
  if (verdict) {
    PetscCall(Reset(&draft->scene));
  } else {
    PetscCall(PetscNew(scene));
    **scene = draft->scene;
    PetscCall(PetscStrncpy((*scene)->path, path, sizeof((*scene)->path)));
  }
  PetscCall(PetscFree(draft));
  PetscFunctionReturn(verdict);
}

PetscErrorCode AbutDeformSceneDestroy(AbutDeformScene **scene)
{
  PetscFunctionBegin;
  if (!*scene) PetscFunctionReturn(0);
  PetscCall(Reset(*scene));
  PetscCall(PetscFree(*scene));
  PetscFunctionReturn(0);
}
