/*
  Checks a Gmsh script before libgmsh executes it, because a script can run programs, write files and end the process. Checked are the
  script, the files that it includes, and the option file NAME.opt, which libgmsh reads together with the script NAME. Strings, comments
  and words end where they end in Gmsh's lexer (src/parser/Gmsh.l): otherwise a command could hide in a string.
*/
#include "read.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_DEPTH  16   /* largest depth of nested includes */
#define MAX_STRING 1000 /* [bytes] longer strings end at a place of their own in Gmsh, whose buffer has 1024 */

/* StringToName, in short S2N, makes the name of a command from a string */
static const char *const runs_programs[] = {"System", "SystemCall", "NonBlockingSystemCall", "OnelabRun", "ExternalProcess", "StringToName",
                                            "S2N",    NULL};
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

/* Reads a string in single or double quotes; true if the cursor was at one. */
static PetscBool ReadString(AbutTextCursor *text, size_t size, char string[])
{
  const char quote = *text->at;
  size_t     n     = 0;

  if (quote != '"' && quote != '\'') return PETSC_FALSE;
  for (text->at++; *text->at && *text->at != quote; text->at++)
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

/* Whether the command at the cursor writes a file: `Save "part.msh";`, `Print "part.png";`, but not `Print.Text = 1;`. */
static PetscBool WritesMesh(AbutTextCursor text, const char word[])
{
  SkipBlanks(&text);
  return (PetscBool)((!strcmp(word, "Save") || !strcmp(word, "Print")) && !strchr(".=", *text.at));
}

/* Whether a file follows the arguments of Printf at the cursor: `Printf("text") > "more.geo";`. */
static PetscBool WritesText(AbutTextCursor text, const char word[])
{
  char     string[MAX_STRING];
  PetscInt depth = 0;

  if (strcmp(word, "Printf")) return PETSC_FALSE;
  for (SkipBlanks(&text); *text.at && *text.at != ';'; SkipBlanks(&text)) {
    if (ReadString(&text, sizeof(string), string)) continue;
    if (*text.at == '>' && depth == 0) return PETSC_TRUE;
    depth += (*text.at == '(') - (*text.at == ')');
    text.at++;
  }
  return PETSC_FALSE;
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
  AbutTextCheck(allow || !(WritesMesh(*text, word) || WritesText(*text, word)), text,
                "%s would write a file; remove it, or allow it by -mesh_allow_system_calls if you trust the script", word);
  if (!allow && IsAnyOf(word, includes)) PetscCall(CheckIncluded(text, word, depth));
  PetscFunctionReturn(0);
}

static PetscErrorCode CheckTokens(AbutTextCursor *text, PetscBool allow, PetscInt depth)
{
  char        string[MAX_STRING];
  const char *begin;

  PetscFunctionBegin;
  AbutTextCheck(strlen(text->at) == (size_t)(text->end - text->at), text, "%s", "the file has a byte of value 0, which ends no script");
  for (SkipBlanks(text); *text->at; SkipBlanks(text)) {
    begin = text->at;
    if (isalpha((unsigned char)*text->at) || *text->at == '_') {
      PetscCall(CheckWord(text, allow, depth));
    } else if (!ReadString(text, sizeof(string), string)) {
      text->at++;
    } else {
      AbutTextCheck(text->at - begin < MAX_STRING, text, "a string of more than %d bytes", MAX_STRING);
    }
  }
  PetscFunctionReturn(0);
}

/* Whether libgmsh executes the file as a script: all files but those with an extension that it knows, in this spelling, and .msh files
   that begin as a mesh. */
static PetscBool IsScript(const char path[])
{
  static const char *const data[]  = {".step", ".stp", ".brep", ".iges", ".igs", ".stl", ".STEP", ".STP", ".IGES", ".IGS", NULL};
  const char              *dot     = strrchr(path, '.');
  char                     head[8] = "";
  FILE                    *file;

  if (dot && IsAnyOf(dot, data)) return PETSC_FALSE;
  if (!dot || strcmp(dot, ".msh")) return PETSC_TRUE;
  file = fopen(path, "rb");
  if (!file) return PETSC_FALSE; /* its reader reports it */
  if (!fgets(head, sizeof(head), file)) head[0] = '\0';
  fclose(file);
  return (PetscBool)(strcmp(head, "$MeshFo") && strcmp(head, "$Commen") && strncmp(head, "$NO", 3));
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
