/* The command line's options, before anything is computed: what can be nobody's is refused, and values of the wrong kind with the option's name. */
#include "app.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What values are; PETSc knows which texts there are, and refuses others by name. */
typedef enum { TEXT, INTEGER, NUMBER, TRUTH } Kind;
static const char *const kinds[] = {"a text", "an integer", "a number", "true or false"};

/* All that the program reads besides PETSc; tests/hygiene compares it with the sources. */
static const struct {
  const char *name;
  Kind        kind;
} own[] = {
  {"-o", TEXT},
  {"-steps", INTEGER},
  {"-restart", TEXT},
  {"-v", TRUTH},
  {"-verify", TRUTH},
  {"-walltime", NUMBER},
  {"-abut_view", TRUTH},
  {"-abut_linear", TEXT},
  {"-abut_multigrid_min_unknowns", INTEGER},
  {"-abut_interface_ratio", NUMBER},
  {"-abut_interface_free", NUMBER},
  {"-abut_interface_max", NUMBER},
  {"-abut_cg_rtol", NUMBER},
  {"-abut_cg_max_it", INTEGER},
  {"-abut_cholesky_shift", NUMBER},
  {"-abut_projection", TEXT},
  {"-abut_reuse", INTEGER},
  {"-abut_lag_max_pause", INTEGER},
  {"-abut_lag_min_unknowns", INTEGER},
  {"-abut_lag_min_iterations", INTEGER},
  {"-abut_pattern_margin", NUMBER},
  {"-contact_max_pairs", INTEGER},
  {"-contact_keep", TRUTH},
  {"-contact_boxes", INTEGER},
  {"-contact_rebuild", NUMBER},
  {"-mesh_partition_seed", INTEGER},
  {"-mesh_partition_imbalance", NUMBER},
};
static const char *const own_prefixes[] = {"-abut_", "-contact_", "-mesh_partition_"};

#define NUM_OWN ((int)PETSC_STATIC_ARRAY_LENGTH(own))

static const char *OwnName(const void *from, PetscInt i)
{
  (void)from;
  return own[i].name;
}

const char *OptionsNearest(const char word[])
{
  return AbutNearestName(word, own, NUM_OWN, OwnName);
}

/* Index among the program's own, -1 if it is none. */
static int FindOwn(const char word[])
{
  for (int i = 0; i < NUM_OWN; i++)
    if (!strcmp(word, own[i].name)) return i;
  return -1;
}

static PetscBool HasOwnPrefix(const char word[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own_prefixes); i++)
    if (!strncmp(word, own_prefixes[i], strlen(own_prefixes[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Whether a value is of a kind, as PETSc reads it. */
static PetscBool IsOfKind(Kind kind, const char value[])
{
  static const char *const truths[] = {"true", "yes", "1", "on", "false", "no", "0", "off"};
  char                    *end      = NULL;

  if (kind == TEXT) return PETSC_TRUE;
  if (kind == TRUTH) {
    for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(truths); i++)
      if (!strcasecmp(value, truths[i])) return PETSC_TRUE;
    return PETSC_FALSE;
  }
  if (kind == INTEGER)
    (void)strtoll(value, &end, 10);
  else
    (void)strtod(value, &end);
  return (PetscBool)(end != value && !*end);
}

/* `value`: the word after the option, NULL if there is none or it is an option too. */
static PetscErrorCode CheckValue(int k, const char value[])
{
  PetscFunctionBegin;
  if (!value && (own[k].kind == TEXT || own[k].kind == TRUTH)) PetscFunctionReturn(0);
  AbutCheck(value, ABUT_ERR_INPUT, "%s has no value, must be %s", own[k].name, kinds[own[k].kind]);
  AbutCheck(IsOfKind(own[k].kind, value), ABUT_ERR_INPUT, "%s is '%s', must be %s", own[k].name, value, kinds[own[k].kind]);
  PetscFunctionReturn(0);
}

PetscErrorCode OptionsCheck(int num, char *const words[])
{
  PetscFunctionBegin;
  for (int k = 0; k < num; k++) {
    const PetscBool two_dashes = (PetscBool)!strncmp(words[k], "--", 2);
    const int       known      = FindOwn(words[k]);
    const char     *nearest;
    PetscBool       is_option = PETSC_FALSE;

    if (k + 1 < num) PetscCall(PetscOptionsValidKey(words[k + 1], &is_option));
    if (known >= 0) PetscCall(CheckValue(known, k + 1 < num && !is_option ? words[k + 1] : NULL));
    if (known >= 0 || (!two_dashes && !HasOwnPrefix(words[k]))) continue;
    nearest = OptionsNearest(words[k] + two_dashes);
    AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "'%s' is no option%s%s%s; options have one dash, their values follow after a blank", words[k],
              nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
  }
  PetscFunctionReturn(0);
}
