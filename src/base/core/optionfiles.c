/*
  Files of options: checked before PETSc reads them, because PETSc follows a file that names itself without end, and its other messages are
  traces of calls. The checks need neither PETSc nor a session.
*/
#include "coreimpl.h"
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define BLANKS " \t\r\n"

/* A file of options, and the file that names it. */
typedef struct File {
  const struct File *above;          /* NULL for a file of the command line, of PETSC_OPTIONS, or a .petscrc */
  char               path[PATH_MAX]; /* without links */
} File;

static PetscErrorCode CheckFile(const File *above, const char place[], const char path[]);

/* PETSc reads a file with one of these extensions as YAML. */
static PetscBool IsYAML(const char path[])
{
  const char *dot = strrchr(path, '.');

  return (PetscBool)(dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json")));
}

/* Prints an error; `place`: "FILE:LINE: ", or "". */
static PetscErrorCode Refuse(const char place[], const char what[], const char word[], const char why[])
{
  fprintf(stderr, "abut: %s%s'%.*s'%s\n", place, what, 200, word, why);
  return ABUT_ERR_INPUT;
}

/* Checks the files that the words of a text name by -options_file. The text is changed. */
static PetscErrorCode CheckWords(const File *file, const char place[], char text[])
{
  PetscErrorCode code = 0;
  char          *rest, *word = strtok_r(text, BLANKS, &rest);

  while (word && !code) {
    const PetscBool names = (PetscBool)!strcmp(word, "-options_file");

    word = strtok_r(NULL, BLANKS, &rest);
    if (names) code = CheckFile(file, place, word ? word : "");
  }
  return code;
}

/* Checks a line of a file of options: its first word is an option, or "alias". The line is changed. */
static PetscErrorCode CheckLine(const File *file, const char place[], char line[])
{
  char  *word, after;
  size_t length;

  line[strcspn(line, "#")] = '\0';
  word                     = line + strspn(line, BLANKS);
  length                   = strcspn(word, BLANKS);
  if (!length || (length == 5 && !strncasecmp(word, "alias", 5))) return 0;
  after        = word[length];
  word[length] = '\0';
  if (word[0] != '-') return Refuse(place, "a line begins with ", word, "; it must begin with an option, whose first character is a dash");
  if (!isalpha((unsigned char)word[word[1] == '-' ? 2 : 1])) return Refuse(place, "", word, " is no option; a letter follows its dash");
  word[length] = after;
  return CheckWords(file, place, line);
}

static PetscErrorCode CheckText(const File *file, const char path[], char text[])
{
  char           place[PATH_MAX + 32];
  PetscErrorCode code = 0;
  int            line = 1;

  snprintf(place, sizeof(place), "%s:1: ", path);
  if (!strncmp(text, "\xef\xbb\xbf", 3))
    return Refuse(place, "the file of options ", path, " begins with a byte order mark; save it without one");
  for (char *next; text && !code; text = next, line++) {
    next = strchr(text, '\n');
    if (next) *next++ = '\0';
    snprintf(place, sizeof(place), "%s:%d: ", path, line);
    code = CheckLine(file, place, text);
  }
  return code;
}

/* Checks a file of options and the files that it names. place: line that names the file, for messages. */
static PetscErrorCode CheckFile(const File *above, const char place[], const char path[])
{
  File           file = {.above = above};
  const char    *why  = AbutFileWhyUnreadable(path);
  char           reason[256], *text;
  size_t         length;
  PetscErrorCode code;

  snprintf(reason, sizeof(reason), " cannot be read: %s", why ? why : "");
  if (why || !realpath(path, file.path)) return Refuse(place, "-options_file ", path, reason);
  for (const File *other = above; other; other = other->above)
    if (!strcmp(other->path, file.path)) return Refuse(place, "-options_file ", path, " includes itself");
  if (IsYAML(path)) return 0;
  code = AbutFileRead(path, SIZE_MAX, &text, &length, &why);
  snprintf(reason, sizeof(reason), " cannot be read: %s", why ? why : "out of memory");
  if (code || why) return Refuse(place, "-options_file ", path, reason);
  code = CheckText(&file, path, text);
  (void)PetscFree(text);
  return code;
}

/* Checks the files that PETSc reads on its own. */
static PetscErrorCode CheckStandardFiles(void)
{
  const char    *home              = getenv("HOME");
  char           path[3][PATH_MAX] = {"", ".petscrc", "petscrc"};
  PetscErrorCode code              = 0;

  if (home) snprintf(path[0], sizeof(path[0]), "%s/.petscrc", home);
  for (int k = 0; k < 3 && !code; k++)
    if (!AbutFileWhyUnreadable(path[k])) code = CheckFile(NULL, "", path[k]);
  return code;
}

PetscErrorCode AbutOptionFilesCheck(int num, char *const words[])
{
  const char    *more     = getenv("PETSC_OPTIONS");
  PetscBool      standard = PETSC_TRUE;
  PetscErrorCode code     = 0;
  char          *text;

  for (int k = 1; k < num && !code; k++) {
    if (!strcmp(words[k], "-skip_petscrc")) standard = PETSC_FALSE;
    if (!strcmp(words[k], "-options_file")) code = CheckFile(NULL, "", k + 1 < num ? words[k + 1] : "");
  }
  if (standard && !code) code = CheckStandardFiles();
  if (!more || code) return code;
  text = strdup(more);
  if (text) code = CheckWords(NULL, "PETSC_OPTIONS: ", text);
  free(text);
  return code;
}
