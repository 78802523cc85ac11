/**
  @file option.h
  @brief Tables of options: name, type, default, range, unit and help of each option, from which values are set and printed.

  A policy is a struct of at most ten members and the table of its options. The functions of this file are its Create, SetFromOptions and
  View, like PetscBagSetFromOptions() and PetscBagView() with ranges and units. A policy owns no memory. An object calls them for each of
  its policies.
**/
#pragma once
#include <abut/core.h>
#include <stddef.h>

/** Type of the member that an option sets; a text is a char[PETSC_MAX_PATH_LEN]. */
typedef enum { ABUT_OPTION_REAL, ABUT_OPTION_INT, ABUT_OPTION_BOOL, ABUT_OPTION_ENUM, ABUT_OPTION_TEXT } AbutOptionType;

/** One option of an object: a member of a struct, set from the options database. */
typedef struct {
  const char        *name;            /* "-abut_..." */
  AbutOptionType     type;            /* type of the member */
  size_t             offset;          /* offset of the member in the struct [bytes] */
  PetscReal          initial;         /* default */
  PetscReal          lowest, highest; /* range of numbers that a user may give, both included */
  const char        *unit;            /* "" for pure numbers */
  const char        *help;            /* one sentence */
  const char *const *names;           /* ABUT_OPTION_ENUM: names for PetscOptionsEnum(); NULL otherwise */
  const char        *with;            /* option without which this one has no effect; NULL: none */
} AbutOption;

/** The options of one kind of object. */
typedef struct {
  const char       *title;   /* heading in -help and -abut_view */
  PetscInt          count;   /* number of options */
  const AbutOption *options; /* [count] */
} AbutOptionTable;

/**
  @brief Sets all numbers that the table describes to their defaults; texts stay. Not collective.
  @param[in]     table   options of the object
  @param[in,out] object  the struct that AbutOption.offset refers to
**/
PETSC_EXTERN void AbutOptionTableSetDefaults(const AbutOptionTable *table, void *object);

/**
  @brief Sets the members from the options database; with -help prints each option. Collective on `comm`.
  @param[in]     comm    communicator that shares the object
  @param[in]     table   options of the object
  @param[in,out] object  holds the defaults on entry
  Errors: ABUT_ERR_INPUT if a given value is out of range; the message names the option, the value and the range.
**/
PETSC_EXTERN PetscErrorCode AbutOptionTableSetFromOptions(MPI_Comm comm, const AbutOptionTable *table, void *object);

/** @brief AbutOptionTableSetDefaults(), then AbutOptionTableSetFromOptions(). Collective on `comm`. */
PETSC_EXTERN PetscErrorCode AbutOptionTableRead(MPI_Comm comm, const AbutOptionTable *table, void *object);

/**
  @brief Reads the options of a table and prints them: with -help their descriptions, and the values in force to the viewer unless it is
  NULL. Collective on `comm`.
**/
PETSC_EXTERN PetscErrorCode AbutOptionTableShow(MPI_Comm comm, const AbutOptionTable *table, PetscViewer viewer);

/**
  @brief Raises ABUT_ERR_INPUT with the name of an option, a value and the valid range. Not collective.
  @param[in] option  a number
  @param[in] value   the refused value as text: it may exceed the range of its type
**/
PETSC_EXTERN PetscErrorCode AbutOptionRefuse(const AbutOption *option, const char value[]);

/** @brief Prints the current values, one line per option: name, value, unit. Collective on the viewer. */
PETSC_EXTERN PetscErrorCode AbutOptionTableView(const AbutOptionTable *table, const void *object, PetscViewer viewer);
