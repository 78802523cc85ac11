/*
  Checks a Gmsh script before libgmsh executes it, because a script can run programs and can end the process. Checked are the script, the
  files that it includes, and the option file NAME.opt, which libgmsh reads together with the script NAME.
*/
#include "read.h"
#include <ctype.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH 16 /* largest depth of nested includes */

static const char *const runs_programs[] = {"System", "SystemCall", "NonBlockingSystemCall", "OnelabRun", "ExternalProcess", NULL};
static const char *const includes[]      = {"Include", "Merge", "MergeWithBoundingBox", "Open", "ShapeFromFile", NULL};

static PetscErrorCode CheckScript(const AbutBodySpec *spec, const char path[], PetscInt depth);

static PetscBool IsAnyOf(const char word[], const char *const list[])
{
  while (*list && strcmp(word, *list)) list++;
  return (PetscBool)(*list != NULL);
}

/* Moves the cursor over blanks, line ends and comments. */
static void SkipBlanks(AbutTextCursor *text)
{
  for (;;) {
    const char *end = NULL;

    while (isspace((unsigned char)*text->at)) text->at++;
    if (text->at[0] != '/' || (text->at[1] != '/' && text->at[1] != '*')) return;
    end      = text->at[1] == '/' ? strchr(text->at, '\n') : strstr(text->at + 2, "*/");
    text->at = end ? text->begin + (end - text->begin) + (text->at[1] == '/' ? 1 : 2) : text->end;
  }
}

/* Reads a string in double quotes; true if the cursor was at one. */
static PetscBool ReadString(AbutTextCursor *text, size_t size, char string[])
{
  size_t n = 0;

  if (*text->at != '"') return PETSC_FALSE;
  for (text->at++; *text->at && *text->at != '"'; text->at++)
    if (n + 1 < size) string[n++] = *text->at;
  string[n] = '\0';
  if (*text->at) text->at++;
  return PETSC_TRUE;
}

/* Checks the file that the script includes at the cursor; its path is relative to the script. */
static PetscErrorCode CheckIncluded(AbutTextCursor *text, const char command[], PetscInt depth)
{
  const char *slash = strrchr(text->path, '/');
  char        name[PETSC_MAX_PATH_LEN], path[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  SkipBlanks(text);
  if (*text->at == '(') text->at++;
  SkipBlanks(text);
  AbutTextCheck(
    ReadString(text, sizeof(name), name), text,
    "%s of a file whose name is an expression: its contents cannot be checked; write the name in quotes, or allow the script to run "
    "programs by -mesh_allow_system_calls",
    command);
  PetscCall(PetscSNPrintf(path, sizeof(path), "%.*s%s", name[0] == '/' || !slash ? 0 : (int)(slash + 1 - text->path), text->path, name));
  AbutTextCheck(!access(path, R_OK), text, "%s: cannot read %s", command, path);
  PetscCall(CheckScript(text->spec, path, depth + 1));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckWord(AbutTextCursor *text, PetscBool allow, PetscInt depth)
{
  char   word[64];
  size_t n = 0;

  PetscFunctionBegin;
  for (; isalnum((unsigned char)*text->at) || *text->at == '_'; text->at++)
    if (n + 1 < sizeof(word)) word[n++] = *text->at;
  word[n] = '\0';
  AbutTextCheck(strcmp(word, "Exit"), text, "%s would end the program that reads the script; remove it", word);
  AbutTextCheck(allow || !IsAnyOf(word, runs_programs), text,
                "%s would run another program; if you trust the script, allow it by -mesh_allow_system_calls", word);
  if (!allow && IsAnyOf(word, includes)) PetscCall(CheckIncluded(text, word, depth));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckTokens(AbutTextCursor *text, PetscBool allow, PetscInt depth)
{
  char string[8];

  PetscFunctionBegin;
  for (SkipBlanks(text); *text->at; SkipBlanks(text)) {
    if (isalpha((unsigned char)*text->at) || *text->at == '_') {
      PetscCall(CheckWord(text, allow, depth));
    } else if (*text->at == '>' && !allow) {
      text->at += text->at[1] == '>' ? 2 : 1;
      SkipBlanks(text);
      AbutTextCheck(
        *text->at != '"', text, "%s",
        "output to a file, which the script could include later; if you trust the script, allow it by -mesh_allow_system_calls");
    } else if (!ReadString(text, sizeof(string), string)) {
      text->at++;
    }
  }
  PetscFunctionReturn(0);
}

/* Whether libgmsh executes the file as a script: all files but those with an extension that it knows, in this spelling. */
static PetscBool IsScript(const char path[])
{
  static const char *const data[] = {".step", ".stp", ".brep", ".iges", ".igs", ".msh", ".stl", ".STEP", ".STP", ".IGES", ".IGS", NULL};
  const char              *dot    = strrchr(path, '.');

  return (PetscBool)(!dot || !IsAnyOf(dot, data));
}

static PetscErrorCode CheckScript(const AbutBodySpec *spec, const char path[], PetscInt depth)
{
  char           options[2 * PETSC_MAX_PATH_LEN + 8];
  PetscBool      allow = PETSC_FALSE;
  AbutTextCursor text;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  AbutSpecCheck(depth <= MAX_DEPTH, spec, "%s: scripts include each other more than %d deep", path, MAX_DEPTH);
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mesh_allow_system_calls", &allow, NULL));
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s.opt", path));
  if (!access(options, R_OK)) PetscCall(CheckScript(spec, options, depth + 1));
  if (!IsScript(path)) PetscFunctionReturn(0);
  PetscCall(AbutTextRead(spec, path, &text));
  ierr = CheckTokens(&text, allow, depth);
  PetscCall(AbutTextClose(&text));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutScriptCheck(const AbutBodySpec *spec)
{
  return CheckScript(spec, spec->shape.path, 0);
}
