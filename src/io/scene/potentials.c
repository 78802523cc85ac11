/* Contact potentials in the scene format: all of it comes from their registration, AbutPotentialInfo. */
#include "sceneimpl.h"
#include <stdio.h>
#include <string.h>

/* Keys of `contact` that only some potentials read. */
static const struct {
  const char *key;
  unsigned    field;
} parameters[] = {{"measure", ABUT_SPEC_MEASURE}, {"alpha", ABUT_SPEC_ALPHA}, {"beta", ABUT_SPEC_BETA}, {"edge_length", ABUT_SPEC_LENGTH}};

/* Appends to a text of `size` bytes, as much as fits. */
#define APPEND(text, size, ...) snprintf((text) + strlen(text), (size)-strlen(text), __VA_ARGS__)

/* Names of the potentials that read a parameter, with marks around each. Returns their number. */
static int List(unsigned field, const char mark[], const char last[], char text[], size_t size)
{
  int total = 0, count = 0;

  for (int i = 0; AbutPotentialNames[i]; i++) total += (AbutPotentialInfos[i]->reads & field) != 0;
  text[0] = '\0';
  for (int i = 0; AbutPotentialNames[i]; i++) {
    if (!(AbutPotentialInfos[i]->reads & field)) continue;
    APPEND(text, size, "%s%s%s%s", count == 0 ? "" : count == total - 1 ? last : ", ", mark, AbutPotentialNames[i], mark);
    count++;
  }
  return count;
}

void AbutSceneKeyReaders(const char key[], size_t size, char text[])
{
  text[0] = '\0';
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(parameters); i++) {
    if (strcmp(key, parameters[i].key) != 0) continue;
    List(parameters[i].field, "`", ", ", text, size);
    APPEND(text, size, ": ");
  }
}

void AbutScenePotentialKinds(size_t size, char text[])
{
  text[0] = '\0';
  for (int i = 0; AbutPotentialNames[i]; i++)
    APPEND(text, size, "%s`%s`, %s", i ? "; " : "", AbutPotentialNames[i], AbutPotentialInfos[i]->help);
}

void AbutScenePotentialUnits(size_t size, char text[])
{
  text[0] = '\0';
  for (int i = 0; AbutPotentialNames[i]; i++) {
    const char *const *unit = AbutPotentialInfos[i]->unit;
    APPEND(text, size, "%s`%s` %s", i ? "; " : "", AbutPotentialNames[i], unit[1]);
    if (strcmp(unit[0], unit[1]) != 0) APPEND(text, size, " (2D: %s)", unit[0]);
  }
}

/* Refuses parameters that the potential does not read. */
static PetscErrorCode CheckKeys(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, const AbutPotentialInfo *info)
{
  PetscFunctionBegin;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(parameters); i++) {
    const char        *key   = parameters[i].key;
    const yaml_node_t *value = AbutSceneFind(r, node, key);
    char               shown[128], known[128];
    int                count;
    if ((info->reads & parameters[i].field) || !value) continue;
    AbutSceneShow(value, sizeof(shown), shown);
    count = List(parameters[i].field, "", " and ", known, sizeof(known));
    PetscFunctionReturn(AbutSceneFailKey(r, node, where, key, "is %s; the key is for the potential%s %s and must not be given for %s",
                                         shown, count == 1 ? "" : "s", known, info->name));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneCheckContact(SceneReader *r, const yaml_node_t *node, const SceneWhere *where, void *target)
{
  const AbutStepSpec      *step = &((SceneDraft *)target)->scene.step;
  const AbutPotentialInfo *info;

  PetscFunctionBegin;
  PetscCall(AbutPotentialFindInfo(step->potential, &info));
  PetscCall(CheckKeys(r, node, where, info));
  SceneCheck(step->kappa <= 0 || step->relative_kappa <= 0, r, node, where, "relative_stiffness",
             "is %g, must be none where stiffness is a number, %g", (double)step->relative_kappa, (double)step->kappa);
  PetscFunctionReturn(0);
}
