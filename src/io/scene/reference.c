/* The tables of the scene reference, printed from the schema. docs/scene-reference.md introduces them. */
#include "sceneimpl.h"
#include <ctype.h>
#include <stdio.h>

#define PATH_SIZE 128

/* "; replaced: `old` by `new`" for each old word. */
static void ReplacedText(const SceneReplaced *table, size_t size, char text[])
{
  size_t used = 0;

  text[0] = '\0';
  for (; table && table->old && used < size; table++)
    used += (size_t)snprintf(text + used, size - used, "%s`%s` by `%s`", used ? ", " : "; replaced: ", table->old, table->now);
}

/* The default of a key; a vector's is written out. */
static void DefaultText(const SceneKey *key, size_t size, char text[])
{
  const PetscBool word = (PetscBool)(key->word && key->text && !strcmp(key->word, key->text));

  if (key->flags & SCENE_REQUIRED)
    snprintf(text, size, "required");
  else if (key->flags & SCENE_ONE_OF && key->text)
    snprintf(text, size, "`%s`, if no other *one of* is given", key->text);
  else if (key->flags & SCENE_ONE_OF)
    snprintf(text, size, "*one of*");
  else if (key->flags & SCENE_OTHER_ONE_OF)
    snprintf(text, size, "*one of these*");
  else if (key->text && !word && (key->form == SCENE_VECTOR || key->form == SCENE_AXIS))
    snprintf(text, size, "`[%s, %s, %s]`", key->text, key->text, key->text);
  else if (key->text)
    snprintf(text, size, "`%s`", key->text);
  else
    snprintf(text, size, key->type == SCENE_MAP ? "see there" : "none");
}

/* Path of a section below: contact.dhat, bodies[]; a section with a title is described once, under its title. */
static void BelowPath(const SceneSection *section, const char path[], const SceneKey *key, char below[PATH_SIZE])
{
  static const char *const suffix[] = {[SCENE_MAP] = "", [SCENE_COEFFICIENT] = "", [SCENE_LIST] = "[]", [SCENE_NAMED] = ".NAME"};
  const char              *above    = section->title && path[0] ? section->title : path;

  snprintf(below, PATH_SIZE, "%s%s%s%s", above, above[0] ? "." : "", key->key, suffix[key->type]);
}

/* Markdown link to the table of a section: its anchor has the letters and digits of the heading. */
static void LinkText(const char words[], const SceneSection *section, const char path[], size_t size, char text[])
{
  size_t used = (size_t)snprintf(text, size, "[%s](#", words);

  for (const char *p = section->title ? section->title : path; *p && used + 2 < size; p++)
    if (isalnum((unsigned char)*p) || *p == '_') text[used++] = (char)tolower((unsigned char)*p);
  snprintf(text + used, size - used, ")");
}

static void TypeText(const SceneKey *key, const char below[], size_t size, char text[])
{
  char type[64];

  AbutSceneTypeText(key, sizeof(type), type);
  if (key->section)
    LinkText(type, key->section, below, size, text);
  else
    snprintf(text, size, "%s", type);
}

/* Valid values: intervals or words. */
static void ValidText(const SceneKey *key, size_t size, char text[])
{
  char   number[128];
  size_t used = 0;

  text[0] = '\0';
  if (key->type == SCENE_BOOL) snprintf(text, size, "`true`, `false`");
  if (key->type == SCENE_ENUM || key->type == SCENE_WORD || key->type == SCENE_CHOICE || key->type == SCENE_CHOICES) {
    for (PetscInt i = 0; i < AbutSceneNumWords(key); i++)
      used += (size_t)snprintf(text + used, size - used, "%s`%s`", i ? ", " : "", key->names[i]);
  }
  if (key->type == SCENE_TEXT || key->type == SCENE_NAME || key->type == SCENE_LABEL)
    snprintf(text, size, "at most %zu bytes", key->size - 1);
  if (key->bounds) {
    AbutSceneExpectNumber(key, sizeof(number), number);
    used = (size_t)snprintf(text, size, "%s", strpbrk(number, "([") ? strpbrk(number, "([") : number);
  }
  if (key->word) snprintf(text + used, size - used, ", or `%s`", key->word);
  if (key->with) snprintf(text + strlen(text), size - strlen(text), "%swith `%s`", text[0] ? "; " : "", key->with);
}

/* The i-th key of a section without keys of the section that it includes. */
static const SceneKey *OwnKey(const SceneSection *section, PetscInt i)
{
  return AbutSceneKey(&(SceneSection){.keys = section->keys}, i);
}

static PetscErrorCode PrintKeys(MPI_Comm comm, const SceneSection *section, const char path[])
{
  const SceneKey *key;
  char            below[PATH_SIZE] = "", type[PATH_SIZE], value[128], valid[256], replaced[256], readers[128], more[512];

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "| key | type | default | valid | unit | meaning |\n|---|---|---|---|---|---|\n"));
  for (PetscInt i = 0; (key = OwnKey(section, i)); i++) {
    if (key->section) BelowPath(section, path, key, below);
    TypeText(key, below, sizeof(type), type);
    DefaultText(key, sizeof(value), value);
    ValidText(key, sizeof(valid), valid);
    ReplacedText(key->replaced, sizeof(replaced), replaced);
    readers[0] = more[0] = '\0';
    if (section->check == AbutSceneCheckContact) AbutSceneKeyReaders(key->key, sizeof(readers), readers);
    if (key->more) key->more(sizeof(more), more);
    PetscCall(PetscPrintf(comm, "| `%s` | %s | %s | %s | %s | %s%s%s%s%s%s |\n", key->key, type, value, valid, key->unit ? key->unit : "",
                          readers, key->help, more, key->flags & SCENE_3D ? " (3D only)" : "",
                          key->flags & SCENE_INITIAL ? " (*initial*)" : "", replaced));
  }
  PetscFunctionReturn(0);
}

/* Whether the section was printed before: bodies and obstacles share the section of shapes. */
static PetscBool SeenBefore(const SceneSection *section, const SceneSection *seen[], PetscInt *num)
{
  for (PetscInt i = 0; i < *num; i++)
    if (seen[i] == section) return PETSC_TRUE;
  seen[(*num)++] = section;
  return PETSC_FALSE;
}

static PetscErrorCode PrintSection(MPI_Comm comm, const SceneSection *section, const char path[], const SceneSection *seen[], PetscInt *num)
{
  const SceneKey *key;

  PetscFunctionBegin;
  if (SeenBefore(section, seen, num)) PetscFunctionReturn(0);
  if (section->title)
    PetscCall(PetscPrintf(comm, "\n## %s\n\n%s\n\n", section->title, section->help));
  else
    PetscCall(PetscPrintf(comm, "\n## `%s`\n\n%s\n\n", path, section->help));
  PetscCall(PrintKeys(comm, section, path));
  if (section->also) PetscCall(PetscPrintf(comm, "\nAnd the keys of [%s](#placement).\n", section->also->title));
  for (PetscInt i = 0; (key = OwnKey(section, i)); i++) {
    char below[PATH_SIZE];

    if (!key->section) continue;
    BelowPath(section, path, key, below);
    PetscCall(PrintSection(comm, key->section, below, seen, num));
  }
  if (section->also) PetscCall(PrintSection(comm, section->also, section->also->title, seen, num));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutScenePrintReference(MPI_Comm comm)
{
  const SceneSection *seen[64], *file;
  PetscInt            num = 0;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(comm, "<!-- Printed by `abut --scene-reference` from the schema that checks scenes; do not edit below. -->\n"));
  PetscCall(PrintSection(comm, &AbutSceneRoot, "", seen, &num));
  for (PetscInt i = 0; (file = (const SceneSection *)AbutRegistered(ABUT_SCENE_FILE, i)); i++)
    PetscCall(PrintSection(comm, file, "", seen, &num));
  PetscFunctionReturn(0);
}
