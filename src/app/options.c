/* Checks of the options before anything is computed: misspelled names, missing values, values of the wrong kind or out of range. */
#include "app.h"
#include <abut/rigid.h>
#include <abut/untangle.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_TEXT (PETSC_MAX_PATH_LEN - 64) /* leaves room for the names of files in a folder */
#define LONG_NAME    6                         /* length from which a name with one wrong letter is no option of PETSc, such as -steps */

/* Kinds of values. PETSc itself rejects a text that is not in an option's list. */
typedef enum { NUMBER = ABUT_OPTION_REAL, INTEGER = ABUT_OPTION_INT, TRUTH = ABUT_OPTION_BOOL, TEXT = ABUT_OPTION_ENUM } Kind;
static const char *const kinds[] = {[NUMBER] = "a number", [INTEGER] = "an integer", [TRUTH] = "true or false", [TEXT] = "a text"};

/* Commands that read an option. */
enum { RUN = 1, CHECK = 2, CONTACTS = 4, DEFORM = 8, ALL = RUN | CHECK | CONTACTS | DEFORM };
static const char *const commands[] = {"run", "check", "contacts", "deform"}; /* in the order of the bits */

/* Options in tables. tests/hygiene checks that every option of the sources is in `tables` or in `own`. */
static const AbutOptionTable *const tables[] = {
  &AbutMeshOptions,          &AbutContactOptions,   &AbutLinearChoiceOptions, &AbutKrylovOptions,         &AbutCostOptions,
  &AbutFactorLagOptions,     &AbutPrecisionOptions, &AbutObjectiveOptions,    &AbutPredictOptions,        &AbutLocalOptions,
  &AbutContactPointsOptions, &AbutRigidOptions,     &AbutUntangleOptions,     &AbutUntangleFollowOptions, &AbutUntangleShrinkOptions,
  &AbutBalanceOptions,       &AbutFieldsOptions,
};

/* All other options of abut. */
static const struct {
  const char *name;
  Kind        kind;
  int         commands;
} own[] = {
  {"-o", TEXT, ALL},
  {"-steps", INTEGER, RUN | CONTACTS},
  {"-restart", TEXT, RUN},
  {"-restart_interpolate", TEXT, RUN},
  {"-restart_distance", NUMBER, RUN},
  {"-overwrite", TRUTH, RUN | CONTACTS | DEFORM},
  {"-resolve", TRUTH, DEFORM},
  {"-resolve_rest", TEXT, DEFORM},
  {"-progress", TEXT, RUN | CONTACTS | DEFORM},
  {"-v", TRUTH, RUN},
  {"-verify", TRUTH, RUN},
  {"-walltime", NUMBER, RUN | CONTACTS | DEFORM},
  {"-heartbeat", NUMBER, RUN},
  {"-method", TEXT, CONTACTS},
  {"-contacts_angle", NUMBER, CONTACTS},
  {"-contacts_share", NUMBER, CONTACTS},
  {"-abut_view", TRUTH, ALL},
  {"-abut_linear_write", TEXT, ALL},
};

/* Options of PETSc whose negative values PETSc accepts and fails on later. */
static const char *const counts[] = {"-snes_max_it", "-ksp_max_it"};

static const char *const own_prefixes[] = {"-abut_", "-contact_", "-contacts_", "-mesh_", "-points_", "-resolve_", "-rigid_"};

/* Name and kind of the i-th option of abut; NULL past the end. *option: its entry in a table, or NULL. */
static const char *GetOption(PetscInt i, Kind *kind, const AbutOption **option)
{
  const PetscInt num_own = PETSC_STATIC_ARRAY_LENGTH(own);

  *kind   = i < num_own ? own[i].kind : TEXT;
  *option = NULL;
  if (i < num_own) return own[i].name;
  i -= num_own;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(tables); i -= tables[k++]->count) {
    if (i >= tables[k]->count) continue;
    *option = &tables[k]->options[i];
    *kind   = (Kind)(*option)->type;
    return (*option)->name;
  }
  return NULL;
}

static const char *OptionName(const void *from, PetscInt i)
{
  Kind              kind;
  const AbutOption *option;

  (void)from;
  return GetOption(i, &kind, &option);
}

const char *OptionsNearest(const char word[])
{
  PetscInt num = 0;

  while (OptionName(NULL, num)) num++;
  return AbutNearestName(word, NULL, num, OptionName);
}

static PetscBool HasOwnPrefix(const char word[])
{
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own_prefixes); i++)
    if (!strncmp(word, own_prefixes[i], strlen(own_prefixes[i]))) return PETSC_TRUE;
  return PETSC_FALSE;
}

/*
  Whether a word is an option of `own` with one wrong letter or with its value behind an equals sign. PETSc would only report it as unused,
  and a job with -walltme or -restart=FILE would run without a time limit or from the start.
*/
static PetscBool IsSlip(const char word[])
{
  const size_t equals = strcspn(word, "=");

  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(own); i++) {
    if (word[equals] && strlen(own[i].name) == equals && !strncmp(word, own[i].name, equals)) return PETSC_TRUE;
    if (strlen(own[i].name) >= LONG_NAME && AbutWordDistance(word, own[i].name) == 1) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether PETSc can read a value as this kind; *in_range: whether an integer fits into PetscInt. */
static PetscBool IsOfKind(Kind kind, const char value[], PetscBool *in_range)
{
  static const char *const truths[] = {"true", "yes", "1", "on", "false", "no", "0", "off"};
  char                    *end      = NULL;
  long long                number   = 0;

  errno     = 0;
  *in_range = PETSC_TRUE;
  if (kind == TEXT) return PETSC_TRUE;
  for (size_t i = 0; kind == TRUTH && i < PETSC_STATIC_ARRAY_LENGTH(truths); i++)
    if (!strcasecmp(value, truths[i])) return PETSC_TRUE;
  if (kind == TRUTH) return PETSC_FALSE;
  if (kind == INTEGER)
    number = strtoll(value, &end, 10);
  else
    (void)strtod(value, &end);
  *in_range = (PetscBool)(kind != INTEGER || (!errno && number >= PETSC_MIN_INT && number <= PETSC_MAX_INT));
  return (PetscBool)(end != value && !*end);
}

/* Whether a number of this kind is in the valid range of the option; NaN is in none. */
static PetscBool IsInRange(Kind kind, const AbutOption *option, const char value[])
{
  const double number = strtod(value, NULL);

  return (PetscBool)((kind != NUMBER && kind != INTEGER) || (number >= option->lowest && number <= option->highest));
}

/*
  option: NULL if it is in no table. value: NULL or "" where the option has none: an unset variable of a batch script must not become a
  default.
*/
static PetscErrorCode CheckValue(const char name[], Kind kind, const AbutOption *option, const char value[])
{
  PetscBool in_range;

  PetscFunctionBegin;
  if (!value || !value[0]) {
    AbutCheck(kind == TRUTH, ABUT_ERR_INPUT, "%s has no value, must be %s", name, kinds[kind]);
    PetscFunctionReturn(0);
  }
  AbutCheck(IsOfKind(kind, value, &in_range), ABUT_ERR_INPUT, "%s is '%s', must be %s", name, value, kinds[kind]);
  if (option && (!in_range || !IsInRange(kind, option, value))) PetscCall(AbutOptionRefuse(option, value));
  AbutCheck(in_range, ABUT_ERR_INPUT, "%s is %s, must be in [%" PetscInt_FMT ", %" PetscInt_FMT "]", name, value, (PetscInt)PETSC_MIN_INT,
            (PetscInt)PETSC_MAX_INT);
  AbutCheck(strlen(value) <= LONGEST_TEXT, ABUT_ERR_INPUT, "%s is a text of %zu characters, must have at most %d", name, strlen(value),
            (int)LONGEST_TEXT);
  PetscFunctionReturn(0);
}

/* Rejects a word that has the form of an option of abut but is none. `source`: where it is from, if not from the command line. */
static PetscErrorCode CheckName(const char word[], const char source[])
{
  const PetscBool two_dashes = (PetscBool)!strncmp(word, "--", 2);
  const char     *nearest    = OptionsNearest(word + two_dashes);

  PetscFunctionBegin;
  if ((nearest && !strcmp(nearest, word)) || (!two_dashes && !HasOwnPrefix(word) && !IsSlip(word))) PetscFunctionReturn(0);
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "'%s'%s is no option%s%s%s; options have one dash, their values follow after a blank",
                                   word, source, nearest ? ", did you mean " : "", nearest ? nearest : "", nearest ? "?" : ""));
}

/* Rejects an option of the command line that only other commands have: it would be ignored. */
static PetscErrorCode CheckCommand(const char word[], const char command[])
{
  char others[64] = "";
  int  bits       = 0;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(own); k++)
    if (!strcmp(word, own[k].name)) bits = own[k].commands;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(commands); k++) {
    if (!(bits & (1 << k))) continue;
    if (!strcmp(command, commands[k])) PetscFunctionReturn(0);
    PetscCall(PetscStrlcat(others, others[0] ? ", abut " : "abut ", sizeof(others)));
    PetscCall(PetscStrlcat(others, commands[k], sizeof(others)));
  }
  AbutCheck(!bits, ABUT_ERR_INPUT, "%s is no option of abut %s, only of %s", word, command, others);
  PetscFunctionReturn(0);
}

/* Rejects misspelled options of the environment and of files: -options_file, .petscrc. Those of the command line have been checked. */
static PetscErrorCode CheckOtherSources(void)
{
  char          *all, *rest;
  PetscErrorCode ierr = 0;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetAll(NULL, &all));
  for (char *word = strtok_r(all, " ", &rest); word && !ierr; word = strtok_r(NULL, " ", &rest))
    if (word[0] == '-') ierr = CheckName(word, " in PETSC_OPTIONS or a file of options");
  PetscCall(PetscFree(all));
  PetscFunctionReturn(ierr);
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

/* Rejects an option that has no effect without another one, which the user may have forgotten. */
static PetscErrorCode CheckPairs(void)
{
  static const char *const pairs[][2] = {{"-restart_distance", "-restart_interpolate"}, {"-resolve_rest", "-resolve"}};
  PetscBool                given[2];

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pairs); k++) {
    for (int i = 0; i < 2; i++) PetscCall(PetscOptionsHasName(NULL, NULL, pairs[k][i], &given[i]));
    AbutCheck(!given[0] || given[1], ABUT_ERR_INPUT, "%s has no effect without %s", pairs[k][0], pairs[k][1]);
  }
  PetscFunctionReturn(0);
}

/* Rejects traps of floating-point exceptions: the first division by zero would end the program. */
static PetscErrorCode CheckTrap(void)
{
  PetscBool trap = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fp_trap", &trap, NULL));
  AbutCheck(!trap, ABUT_ERR_INPUT, "-fp_trap is not possible: abut, LAPACK and CHOLMOD compute with infinities; remove it");
  PetscFunctionReturn(0);
}

PetscErrorCode OptionsCheck(const char command[], int num, char *const words[])
{
  const char       *name;
  Kind              kind;
  const AbutOption *option;

  PetscFunctionBegin;
  for (int k = 0; k < num; k++) {
    AbutCheck(k == 0 || words[k][0] == '-' || words[k - 1][0] == '-', ABUT_ERR_INPUT, "'%s' is neither an option nor the value of one",
              words[k]);
    PetscCall(CheckName(words[k], ""));
    PetscCall(CheckCommand(words[k], command));
  }
  PetscCall(CheckOtherSources());
  for (PetscInt i = 0; (name = GetOption(i, &kind, &option)); i++) {
    const char *value;
    PetscBool   set;
    PetscCall(PetscOptionsFindPair(NULL, NULL, name, &value, &set));
    if (set) PetscCall(CheckValue(name, kind, option, value));
  }
  PetscCall(CheckCounts());
  PetscCall(CheckPairs());
  PetscCall(CheckTrap());
  PetscFunctionReturn(0);
}
