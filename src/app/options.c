/* The command line's options, before anything is computed: what can be nobody's is refused. */
#include "app.h"
#include <string.h>

/* All that the program reads besides PETSc; tests/hygiene compares it with the sources. */
static const char *const own[] = {
  "-o",
  "-steps",
  "-restart",
  "-v",
  "-verify",
  "-walltime",
  "-abut_view",
  "-abut_linear",
  "-abut_cg_rtol",
  "-abut_projection",
  "-abut_reuse",
  "-abut_pattern_margin",
  "-contact_max_pairs",
  "-contact_keep",
  "-contact_boxes",
  "-contact_rebuild",
  "-mesh_partition_seed",
  "-mesh_partition_imbalance",
};
static const char *const own_prefixes[] = {"-abut_", "-contact_", "-mesh_partition_"};

static const char *OwnName(const void *from, PetscInt i)
{
  return ((const char *const *)from)[i];
}

const char *OptionsNearest(const char word[])
{
  return AbutNearestName(word, own, PETSC_STATIC_ARRAY_LENGTH(own), OwnName);
}

static PetscBool IsOwn(const char word[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++)
    if (!strcmp(word, own[i])) return PETSC_TRUE;
  return PETSC_FALSE;
}

static PetscBool HasOwnPrefix(const char word[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own_prefixes); i++)
    if (!strncmp(word, own_prefixes[i], strlen(own_prefixes[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

PetscErrorCode OptionsCheck(int num, char *const words[])
{
  PetscFunctionBegin;
  for (int k = 0; k < num; k++) {
    const PetscBool two_dashes = (PetscBool)!strncmp(words[k], "--", 2);
    const char     *nearest;

    if (!two_dashes && (!HasOwnPrefix(words[k]) || IsOwn(words[k]))) continue;
    nearest = OptionsNearest(words[k] + two_dashes);
    AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "'%s' is no option%s%s%s; options have one dash, their values follow after a blank", words[k],
              nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
  }
  PetscFunctionReturn(0);
}
