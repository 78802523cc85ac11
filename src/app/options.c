/* Checks of the options before anything is computed: misspelled names, missing values, values of the wrong kind or out of range. */
#include "app.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_TEXT (PETSC_MAX_PATH_LEN - 64) /* leaves room for the names of files in a folder */
#define LONG_NAME    6                         /* length from which a name with one wrong letter is no option of PETSc, such as -steps */

/* Values by AbutOptionType. PETSc itself rejects a text that is not in an option's list. */
static const char *const kinds[] = {"a number", "an integer", "true or false", "a text", "a text"};

/* Options of the simulation. tests/hygiene checks that every option of the sources is in a table that is listed here or by a command. */
static const AbutOptionTable *const simulation[] = {
  &AbutMeshOptions,      &AbutContactOptions, &AbutLinearChoiceOptions, &AbutKrylovOptions,  &AbutFactorLagOptions, &AbutPrecisionOptions,
  &AbutObjectiveOptions, &AbutPredictOptions, &AbutLocalOptions,        &AbutBalanceOptions, &AbutFieldsOptions,    NULL};

/* Options of all commands; their readers have the other members. */
static const AbutOption common_options[] = {
  {"-o", ABUT_OPTION_TEXT}, {"-abut_view", ABUT_OPTION_BOOL}, {"-abut_linear_write", ABUT_OPTION_TEXT}};
static const AbutOptionTable        common_table = {"", PETSC_STATIC_ARRAY_LENGTH(common_options), common_options};
static const AbutOptionTable *const common[]     = {&common_table, NULL};

/* Options of PETSc whose negative values PETSc accepts and fails on later. */
static const char *const counts[] = {"-snes_max_it", "-ksp_max_it"};

static const char *const own_prefixes[] = {"-abut_", "-contact_", "-mesh_", NULL};

/* The i-th option of abut; NULL past the end. Options of several commands are several times in this list. */
static const AbutOption *GetOption(PetscInt i)
{
  const AbutOptionTable *const *lists[2] = {common, simulation};
  const AbutCommand            *command;

  for (PetscInt k = 0;; k++) {
    for (int l = 0; l < 2; l++)
      for (const AbutOptionTable *const *table = lists[l]; table && *table; i -= (*table++)->count)
        if (i < (*table)->count) return &(*table)->options[i];
    if (!(command = CommandAt(k))) return NULL;
    lists[0] = command->options;
    lists[1] = command->tables;
  }
}

static const char *OptionName(const void *from, PetscInt i)
{
  (void)from;
  return GetOption(i)->name;
}

const char *OptionsNearest(const char word[])
{
  PetscInt num = 0;

  while (GetOption(num)) num++;
  return AbutNearestName(word, NULL, num, OptionName);
}

static PetscBool HasOwnPrefix(const char word[])
{
  const char *const *prefix = own_prefixes;
  const AbutCommand *command;

  for (PetscInt k = 0;; k++) {
    for (; prefix && *prefix; prefix++)
      if (!strncmp(word, *prefix, strlen(*prefix))) return PETSC_TRUE;
    if (!(command = CommandAt(k))) return PETSC_FALSE;
    prefix = command->prefixes;
  }
}

/*
  Whether a word is an option of abut with one wrong letter or with its value behind an equals sign. PETSc would only report it as unused,
  and a job with -walltme or -restart=FILE would run without a time limit or from the start.
*/
static PetscBool IsSlip(const char word[])
{
  const size_t      equals = strcspn(word, "=");
  const AbutOption *option;

  for (PetscInt i = 0; (option = GetOption(i)); i++) {
    if (word[equals] && strlen(option->name) == equals && !strncmp(word, option->name, equals)) return PETSC_TRUE;
    if (strlen(option->name) >= LONG_NAME && AbutWordDistance(word, option->name) == 1) return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

/* Whether PETSc can read a value as one of this type; *in_range: whether a number is in the range of the option, in which NaN is not. */
static PetscBool IsOfType(const AbutOption *option, const char value[], PetscBool *in_range)
{
  static const char *const truths[]   = {"true", "yes", "1", "on", "false", "no", "0", "off"};
  const PetscBool          is_integer = (PetscBool)(option->type == ABUT_OPTION_INT);
  char                    *end        = NULL;
  double                   number;

  *in_range = PETSC_TRUE;
  for (size_t i = 0; option->type == ABUT_OPTION_BOOL && i < PETSC_STATIC_ARRAY_LENGTH(truths); i++)
    if (!strcasecmp(value, truths[i])) return PETSC_TRUE;
  if (option->type == ABUT_OPTION_BOOL) return PETSC_FALSE;
  if (option->type != ABUT_OPTION_REAL && !is_integer) return PETSC_TRUE;
  errno     = 0;
  number    = is_integer ? (double)strtoll(value, &end, 10) : strtod(value, &end);
  *in_range = (PetscBool)(number >= option->lowest && number <= option->highest && !(is_integer && errno));
  return (PetscBool)(end != value && !*end);
}

/* value: NULL or "" where the option has none: an unset variable of a batch script must not become a default. */
static PetscErrorCode CheckValue(const AbutOption *option, const char value[])
{
  const char *name = option->name;
  PetscBool   in_range;

  PetscFunctionBegin;
  if (!value || !value[0]) {
    AbutCheck(option->type == ABUT_OPTION_BOOL, ABUT_ERR_INPUT, "%s has no value, must be %s", name, kinds[option->type]);
    PetscFunctionReturn(0);
  }
  AbutCheck(IsOfType(option, value, &in_range), ABUT_ERR_INPUT, "%s is '%s', must be %s", name, value, kinds[option->type]);
  if (!in_range) PetscCall(AbutOptionRefuse(option, value));
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

static PetscBool Lists(const AbutOptionTable *const *table, const char word[])
{
  for (; table && *table; table++)
    for (PetscInt i = 0; i < (*table)->count; i++)
      if (!strcmp((*table)->options[i].name, word)) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Rejects an option of the command line that only other commands have: it would be ignored. */
static PetscErrorCode CheckCommand(const char word[], const char name[])
{
  const AbutCommand *command;
  char               others[64] = "";

  PetscFunctionBegin;
  if (Lists(common, word)) PetscFunctionReturn(0);
  for (PetscInt i = 0; (command = CommandAt(i)); i++) {
    if (!Lists(command->options, word)) continue;
    if (!strcmp(name, command->name)) PetscFunctionReturn(0);
    PetscCall(PetscStrlcat(others, others[0] ? ", abut " : "abut ", sizeof(others)));
    PetscCall(PetscStrlcat(others, command->name, sizeof(others)));
  }
  AbutCheck(!others[0], ABUT_ERR_INPUT, "%s is no option of abut %s, only of %s", word, name, others);
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
  const AbutOption *option;

  PetscFunctionBegin;
  for (PetscInt i = 0; (option = GetOption(i)); i++) {
    PetscBool given[2] = {PETSC_FALSE, PETSC_FALSE};

    if (!option->with) continue;
    PetscCall(PetscOptionsHasName(NULL, NULL, option->name, &given[0]));
    PetscCall(PetscOptionsHasName(NULL, NULL, option->with, &given[1]));
    AbutCheck(!given[0] || given[1], ABUT_ERR_INPUT, "%s has no effect without %s", option->name, option->with);
  }
  PetscFunctionReturn(0);
}

/* Rejects traps of floating-point exceptions: the first division by zero would end the program. */
static PetscErrorCode CheckTrap(void)
{
  PetscBool trap = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-fp_trap", &trap, NULL));
  AbutCheck(!trap, ABUT_ERR_INPUT, "-fp_trap is not possible: abut and LAPACK compute with infinities; remove it");
  PetscFunctionReturn(0);
}

PetscErrorCode OptionsCheck(const char command[], int num, char *const words[])
{
  const AbutOption *option;

  PetscFunctionBegin;
  for (int k = 0; k < num; k++) {
    AbutCheck(k == 0 || words[k][0] == '-' || words[k - 1][0] == '-', ABUT_ERR_INPUT, "'%s' is neither an option nor the value of one",
              words[k]);
    PetscCall(CheckName(words[k], ""));
    PetscCall(CheckCommand(words[k], command));
  }
  PetscCall(CheckOtherSources());
  for (PetscInt i = 0; (option = GetOption(i)); i++) {
    const char *value;
    PetscBool   set;

    PetscCall(PetscOptionsFindPair(NULL, NULL, option->name, &value, &set));
    if (set) PetscCall(CheckValue(option, value));
  }
  PetscCall(CheckCounts());
  PetscCall(CheckPairs());
  PetscCall(CheckTrap());
  PetscFunctionReturn(0);
}
