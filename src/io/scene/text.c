/* Words and numbers: conversion from text, and descriptions of valid values for messages. */
#include "sceneimpl.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define JOINED_MAX 12 /* names listed in a message */

PetscInt AbutSceneNumWords(const SceneKey *key)
{
  PetscInt num = 0;

  while (key->names[num]) num++;
  return key->type == SCENE_ENUM ? num - 2 : num; /* PETSc's form ends in the type's name and the prefix of its constants */
}

static const char *Bound(PetscReal value, char text[32])
{
  if (isinf(value)) return value > 0 ? "inf" : "-inf";
  snprintf(text, 32, "%.10g", (double)value);
  return text;
}

void AbutSceneExpectNumber(const SceneKey *key, size_t size, char text[])
{
  const char *noun = key->type == SCENE_INT || key->type == SCENE_IDS ? "integer" : "number", *a = noun[0] == 'i' ? "an" : "a";
  char        low[32], high[32];

  if (!key->bounds)
    snprintf(text, size, "a finite number");
  else if (key->min == key->max)
    snprintf(text, size, "%s", Bound(key->min, low));
  else
    snprintf(text, size, "%s %s in %c%s, %s%c", a, noun, key->bounds[0], Bound(key->min, low), Bound(key->max, high), key->bounds[1]);
}

static void ExpectNumbers(const SceneKey *key, PetscInt dim, size_t size, char text[])
{
  const char *noun = key->type == SCENE_INT ? "integers" : "numbers";
  char        one[128];
  size_t      used;

  AbutSceneExpectNumber(key, sizeof(one), one);
  switch (key->form) {
  case SCENE_SCALAR: snprintf(text, size, "%s", one); break;
  case SCENE_PAIR: snprintf(text, size, "a list of 2 %s", noun); break;
  case SCENE_VECTOR: snprintf(text, size, "a list of %d %s", (int)dim, noun); break;
  case SCENE_UNIFORM: snprintf(text, size, "%s, or a list of %d of them", one, (int)dim); break;
  case SCENE_AXIS: snprintf(text, size, dim == 2 ? "a number, about z" : "a list of 3 %s", noun); break;
  }
  used = strlen(text);
  if (key->word) snprintf(text + used, size - used, ", or %s", key->word);
}

/* Words for the types of values: in the scene reference, and in "must be ..."; NULL: by the key. */
static const struct {
  const char *type, *expected;
} types[] = {
  [SCENE_BOOL]        = {"boolean", "true or false"},
  [SCENE_TEXT]        = {"text", NULL},
  [SCENE_NAME]        = {"name", NULL},
  [SCENE_FILE]        = {"path", "the path of a file"},
  [SCENE_ENUM]        = {"word", NULL},
  [SCENE_WORD]        = {"word", NULL},
  [SCENE_CHOICE]      = {"word", NULL},
  [SCENE_CHOICES]     = {"list of words", "a list of one or more words"},
  [SCENE_MATERIAL]    = {"name", "the name of a material"},
  [SCENE_BODY]        = {"name", "the name of a body or obstacle"},
  [SCENE_PLANE]       = {"name", "the name of a plane"},
  [SCENE_SUBJECT]     = {"name", "the name of a body, obstacle or plane"},
  [SCENE_SUBJECTS]    = {"list of 2 names", "a list of two names of bodies, obstacles or planes"},
  [SCENE_LABEL]       = {"name", NULL},
  [SCENE_LABELS]      = {"list of 2 names", "a list of two labels of surfaces"},
  [SCENE_PATTERN]     = {"path", "a path with one %d and no other %"},
  [SCENE_BOX]         = {"list of 2 vectors", NULL},
  [SCENE_IDS]         = {"list of integers", "a list of one or more integers"},
  [SCENE_TABLE]       = {"list of pairs", "a list of two or more pairs [time, value]"},
  [SCENE_COEFFICIENT] = {"number or mapping", NULL},
  [SCENE_MAP]         = {"mapping", NULL},
  [SCENE_LIST]        = {"list of mappings", NULL},
  [SCENE_NAMED]       = {"mappings by name", NULL},
};

void AbutSceneTypeText(const SceneKey *key, size_t size, char text[])
{
  const char *number = key->type == SCENE_INT ? "integer" : "number";

  if (key->type != SCENE_REAL && key->type != SCENE_INT)
    snprintf(text, size, "%s", types[key->type].type);
  else if (key->form == SCENE_SCALAR)
    snprintf(text, size, "%s", number);
  else if (key->form == SCENE_PAIR)
    snprintf(text, size, "list of 2 %ss", number);
  else
    snprintf(text, size, "%svector%s%s", key->form == SCENE_AXIS ? "axial " : "", key->type == SCENE_INT ? " of integers" : "",
             key->form == SCENE_UNIFORM ? " or a number" : "");
}

void AbutSceneExpect(const SceneKey *key, PetscInt dim, size_t size, char text[])
{
  switch (key->type) {
  case SCENE_REAL:
  case SCENE_INT: ExpectNumbers(key, dim, size, text); break;
  case SCENE_COEFFICIENT:
    AbutSceneExpectNumber(key, size, text);
    snprintf(text + strlen(text), size - strlen(text), ", or a mapping with static and kinetic");
    break;
  case SCENE_TEXT:
  case SCENE_LABEL:
  case SCENE_NAME: snprintf(text, size, "text of at most %zu bytes", key->size - 1); break;
  case SCENE_BOX: snprintf(text, size, "a list of two corners, each a list of %d numbers", (int)dim); break;
  default: snprintf(text, size, "%s", types[key->type].expected);
  }
}

void AbutSceneJoin(const void *from, PetscInt num, AbutNameFn name, size_t size, char text[])
{
  size_t used = 0;

  text[0] = '\0';
  for (PetscInt i = 0; i < num && i < JOINED_MAX && used < size; i++)
    used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", name(from, i));
  if (num > JOINED_MAX && used < size) snprintf(text + used, size - used, " and %" PetscInt_FMT " more", num - JOINED_MAX);
}

/* Accepts decimal numbers and .inf; strtod() alone would accept hexadecimal numbers, "nan" and leading blanks. */
PetscBool AbutSceneToReal(const char text[], PetscReal *value)
{
  const char *p = text + (text[0] == '-' || text[0] == '+');
  char       *end;

  if (!strcmp(p, ".inf") || !strcmp(p, ".Inf") || !strcmp(p, ".INF")) {
    *value = text[0] == '-' ? -INFINITY : INFINITY;
    return PETSC_TRUE;
  }
  if (!p[0] || p[strspn(p, "0123456789.eE+-")]) return PETSC_FALSE;
  *value = (PetscReal)strtod(text, &end);
  return (PetscBool)(end != text && !*end);
}

/* Refuses leading zeros: YAML 1.1 reads such integers as octal, users as decimal. */
PetscBool AbutSceneToInt(const char text[], PetscInt *value)
{
  const char *digits = text + (text[0] == '-' || text[0] == '+');
  long long   number;

  if (!digits[0] || digits[strspn(digits, "0123456789")] || (digits[0] == '0' && digits[1])) return PETSC_FALSE;
  errno  = 0;
  number = strtoll(text, NULL, 10);
  *value = (PetscInt)number;
  return (PetscBool)(!errno && (long long)*value == number);
}

PetscBool AbutSceneToBool(const char text[], PetscBool *value)
{
  static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE", "no", "yes", "No",
                                      "Yes",   "NO",   "YES",   "off",  "on",    "Off",  "On", "OFF", "ON"};

  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
    if (strcmp(text, words[i])) continue;
    *value = (PetscBool)(i % 2);
    return PETSC_TRUE;
  }
  return PETSC_FALSE;
}

PetscBool AbutSceneInRange(const SceneKey *key, PetscReal value)
{
  if (!key->bounds) return (PetscBool)isfinite(value);
  return (PetscBool)((key->bounds[0] == '[' ? value >= key->min : value > key->min) &&
                     (key->bounds[1] == ']' ? value <= key->max : value < key->max));
}
