/* Checks of the options before anything is computed: misspelled names, missing values, values of the wrong kind or out of range. */
#include "app.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_TEXT (PETSC_MAX_PATH_LEN - 64) /* leaves room for the names of files in a folder */

/* Kinds of values. PETSc itself rejects a text that is not in an option's list. */
typedef enum { TEXT, INTEGER, NUMBER, TRUTH } Kind;
static const char *const kinds[] = {"a text", "an integer", "a number", "true or false"};

/* All options of abut; tests/hygiene compares the list with the sources and the user guide. */
static const struct {
  const char *name;
  Kind        kind;
} own[] = {
  {"-o", TEXT},
  {"-steps", INTEGER},
  {"-restart", TEXT},
  {"-overwrite", TRUTH},
  {"-progress", TEXT},
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
  {"-abut_constraint_penalty", NUMBER},
  {"-abut_constraint_penalty_max", NUMBER},
  {"-abut_constraint_done", NUMBER},
  {"-abut_constraint_difference", NUMBER},
  {"-abut_inversion_slack", NUMBER},
  {"-abut_projection_wait", INTEGER},
  {"-abut_search_ccd_slack", NUMBER},
  {"-abut_search_halvings", INTEGER},
  {"-abut_search_round_off", NUMBER},
  {"-abut_search_noise_after", INTEGER},
  {"-abut_search_noise_samples", INTEGER},
  {"-abut_search_noise_step", NUMBER},
  {"-abut_search_noise_length", NUMBER},
  {"-abut_search_noise_factor", NUMBER},
  {"-abut_search_slope_halvings", INTEGER},
  {"-abut_search_slope_fraction", NUMBER},
  {"-abut_stuck_step", NUMBER},
  {"-abut_stuck_fraction", NUMBER},
  {"-abut_stuck_searches", INTEGER},
  {"-abut_stuck_gain", NUMBER},
  {"-abut_stuck_rounds", INTEGER},
  {"-abut_kappa_reach", NUMBER},
  {"-abut_kappa_softest", NUMBER},
  {"-abut_kappa_range", NUMBER},
  {"-abut_kappa_tiny_gap", NUMBER},
  {"-abut_kappa_good_gap", NUMBER},
  {"-abut_kappa_growth", NUMBER},
  {"-abut_kappa_wide_gap", NUMBER},
  {"-abut_kappa_decay", NUMBER},
  {"-abut_kappa_cuts", INTEGER},
  {"-abut_kappa_follow", NUMBER},
  {"-abut_push_slack", NUMBER},
  {"-abut_predict_slack", NUMBER},
  {"-abut_predict_least", NUMBER},
  {"-abut_step_good", INTEGER},
  {"-abut_gap_resolution", NUMBER},
  {"-abut_gap_imbalance", NUMBER},
  {"-contact_max_pairs", INTEGER},
  {"-contact_keep", TRUTH},
  {"-contact_verlet", TRUTH},
  {"-contact_verlet_travel_decay", NUMBER},
  {"-contact_verlet_skin_max", NUMBER},
  {"-contact_verlet_skin_min", NUMBER},
  {"-contact_verlet_lifetime", INTEGER},
  {"-contact_verlet_capacity", INTEGER},
  {"-contact_verlet_capacity_entity", INTEGER},
  {"-contact_verlet_capacity_candidate", INTEGER},
  {"-contact_verlet_max_pause", INTEGER},
  {"-contact_verlet_cost_search", INTEGER},
  {"-contact_verlet_cost_entity", INTEGER},
  {"-contact_check_halvings", INTEGER},
  {"-contact_max_halvings", INTEGER},
  {"-contact_boxes", INTEGER},
  {"-contact_rebuild", NUMBER},
  {"-mesh_allow_system_calls", TRUTH},
  {"-mesh_partition_seed", INTEGER},
  {"-mesh_partition_imbalance", NUMBER},
};
/* Options of PETSc whose negative values PETSc accepts and fails on later. */
static const char *const counts[] = {"-snes_max_it", "-ksp_max_it"};

static const char *const own_prefixes[] = {"-abut_", "-contact_", "-mesh_"};

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

/* Index of an option of abut, -1 if the word is none. */
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

/* Whether PETSc can read a value as this kind. */
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

/* Whether an integer fits into PetscInt. */
static PetscBool IsInRange(const char value[])
{
  long long number;

  errno  = 0;
  number = strtoll(value, NULL, 10);
  return (PetscBool)(!errno && number >= PETSC_MIN_INT && number <= PETSC_MAX_INT);
}

/* `value` is NULL or "" where the option has none: an unset variable of a batch script must not become a default. */
static PetscErrorCode CheckValue(int k, const char value[])
{
  const Kind kind = own[k].kind;

  PetscFunctionBegin;
  if (!value || !value[0]) {
    AbutCheck(kind == TRUTH, ABUT_ERR_INPUT, "%s has no value, must be %s", own[k].name, kinds[kind]);
    PetscFunctionReturn(0);
  }
  AbutCheck(IsOfKind(kind, value), ABUT_ERR_INPUT, "%s is '%s', must be %s", own[k].name, value, kinds[kind]);
  AbutCheck(kind != INTEGER || IsInRange(value), ABUT_ERR_INPUT, "%s is %s, must be in [%" PetscInt_FMT ", %" PetscInt_FMT "]", own[k].name,
            value, (PetscInt)PETSC_MIN_INT, (PetscInt)PETSC_MAX_INT);
  AbutCheck(strlen(value) <= LONGEST_TEXT, ABUT_ERR_INPUT, "%s is a text of %zu characters, must have at most %d", own[k].name,
            strlen(value), (int)LONGEST_TEXT);
  PetscFunctionReturn(0);
}

/* Rejects a word that has the form of an option of abut but is none. */
static PetscErrorCode CheckName(const char word[])
{
  const PetscBool two_dashes = (PetscBool)!strncmp(word, "--", 2);
  const char     *nearest;

  PetscFunctionBegin;
  if (FindOwn(word) >= 0 || (!two_dashes && !HasOwnPrefix(word))) PetscFunctionReturn(0);
  nearest = OptionsNearest(word + two_dashes);
  AbutCheck(PETSC_FALSE, ABUT_ERR_INPUT, "'%s' is no option%s%s%s; options have one dash, their values follow after a blank", word,
            nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckCounts(void)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(counts); k++) {
    PetscInt count = 0;
    PetscCall(PetscOptionsGetInt(NULL, NULL, counts[k], &count, NULL));
    AbutCheck(count >= 0, ABUT_ERR_INPUT, "%s %" PetscInt_FMT " must be in [0, %" PetscInt_FMT "]", counts[k], count,
              (PetscInt)PETSC_MAX_INT);
  }
  PetscFunctionReturn(0);
}

PetscErrorCode OptionsCheck(int num, char *const words[])
{
  PetscFunctionBegin;
  for (int k = 0; k < num; k++) PetscCall(CheckName(words[k]));
  for (int k = 0; k < NUM_OWN; k++) {
    const char *value;
    PetscBool   set;
    PetscCall(PetscOptionsFindPair(NULL, NULL, own[k].name, &value, &set));
    if (set) PetscCall(CheckValue(k, value));
  }
  PetscCall(CheckCounts());
  PetscFunctionReturn(0);
}
