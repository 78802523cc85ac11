/*
  Text file parsed with a cursor: the whole file in memory, or a window of it that moves with the cursor. Error messages name the body, the
  file and the line.
*/
#include "meshimpl.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW ((size_t)1 << 22) /* [bytes] of a file in memory */
#define AHEAD  4096              /* [bytes] in memory behind the cursor at the start of a word, except at the end of the file */

PetscErrorCode AbutTextRead(const AbutBodySpec *spec, const char path[], AbutTextCursor *text)
{
  const char *why;
  size_t      length;

  PetscFunctionBegin;
  *text = (AbutTextCursor){.spec = spec, .path = path};
  PetscCall(AbutFileRead(path, SIZE_MAX, &text->begin, &length, &why));
  AbutSpecCheck(!why, spec, "cannot read %s: %s", path, why);
  text->at  = text->begin;
  text->end = text->begin + length;
  PetscFunctionReturn(0);
}

/* Moves the window to the cursor. */
static void Advance(AbutTextCursor *text)
{
  const size_t rest = (size_t)(text->end - text->at);
  size_t       got;

  text->line = AbutTextLine(text) - 1;
  memmove(text->begin, text->at, rest);
  errno = 0;
  got   = fread(text->begin + rest, 1, WINDOW - rest, text->file);
  if (ferror(text->file)) text->why = strerror(errno);
  text->more = (PetscBool)(got == WINDOW - rest);
  text->at   = text->begin;
  text->end  = text->begin + rest + got;
  *text->end = '\0';
}

/* Moves the window if the cursor is near its end. */
static inline void LookAhead(AbutTextCursor *text)
{
  if (PetscUnlikely(text->more && text->end - text->at < AHEAD)) Advance(text);
}

PetscErrorCode AbutTextOpen(const AbutBodySpec *spec, const char path[], FILE *data, AbutTextCursor *text)
{
  FILE *file = data ? data : fopen(path, "rb");

  PetscFunctionBegin;
  *text = (AbutTextCursor){.spec = spec, .path = path, .file = file, .more = PETSC_TRUE};
  AbutSpecCheck(file, spec, "cannot read %s: %s", path, strerror(errno));
  PetscCall(PetscMalloc1(WINDOW + 1, &text->begin));
  text->at = text->end = text->begin;
  Advance(text);
  PetscFunctionReturn(AbutTextCheckRead(text));
}

PetscErrorCode AbutTextCheckRead(const AbutTextCursor *text)
{
  PetscFunctionBegin;
  AbutSpecCheck(!text->why, text->spec, "cannot read %s: %s", text->path, text->why);
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTextClose(AbutTextCursor *text)
{
  PetscFunctionBegin;
  if (text->file) fclose(text->file);
  PetscCall(PetscFree(text->begin));
  *text = (AbutTextCursor){0};
  PetscFunctionReturn(0);
}

PetscInt AbutTextLine(const AbutTextCursor *text)
{
  PetscInt line = text->line + 1;
  for (const char *c = text->begin; c < text->at; c++) line += *c == '\n';
  return line;
}

static inline PetscBool IsBlank(char c)
{
  return (PetscBool)(c == ' ' || c == '\t' || c == '\r');
}

/* Number of characters of the word at `at` that an error message quotes: at most 20. */
static int QuoteLength(const char at[])
{
  return *at ? (int)PetscMin(strcspn(at, " \t\r\n"), 20) : 20;
}

static inline void SkipSpace(AbutTextCursor *text)
{
  do {
    LookAhead(text);
    while (IsBlank(*text->at) || *text->at == '\n') text->at++;
  } while (text->more && text->end - text->at < AHEAD);
}

PetscBool AbutTextMore(AbutTextCursor *text)
{
  do {
    LookAhead(text);
    while (IsBlank(*text->at)) text->at++;
  } while (text->more && text->end - text->at < AHEAD);
  return (PetscBool)(*text->at != '\n' && *text->at != '\0');
}

void AbutTextNextLine(AbutTextCursor *text)
{
  char *newline;

  while (!(newline = memchr(text->at, '\n', (size_t)(text->end - text->at))) && text->more) {
    text->at = text->end;
    Advance(text);
  }
  text->at = newline ? newline + 1 : text->end;
  LookAhead(text);
}

PetscBool AbutTextWord(AbutTextCursor *text, size_t n, char word[])
{
  size_t length = 0;

  if (!AbutTextMore(text)) return PETSC_FALSE;
  for (; *text->at && !IsBlank(*text->at) && *text->at != '\n'; text->at++)
    if (length + 1 < n) word[length++] = *text->at;
  word[length] = '\0';
  return PETSC_TRUE;
}

PetscErrorCode AbutTextInt(AbutTextCursor *text, PetscInt *value)
{
  PetscBool   negative;
  PetscInt    v = 0;
  const char *word, *first;

  PetscFunctionBegin;
  SkipSpace(text);
  word     = text->at;
  negative = (PetscBool)(*text->at == '-');
  text->at += negative || *text->at == '+';
  for (first = text->at; *text->at >= '0' && *text->at <= '9'; text->at++) {
    const PetscInt digit = *text->at - '0';
    AbutTextCheck(v <= (PETSC_MAX_INT - digit) / 10, text, "the integer %.*s is not in [%" PetscInt_FMT ", %" PetscInt_FMT "]",
                  QuoteLength(word), word, -PETSC_MAX_INT, PETSC_MAX_INT);
    v = 10 * v + digit;
  }
  AbutTextCheck(text->at > first, text, "an integer is expected, not \"%.*s\"", QuoteLength(word), *word ? word : "end of file");
  *value = negative ? -v : v;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTextInts(AbutTextCursor *text, PetscInt n, PetscInt values[])
{
  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; i++) PetscCall(AbutTextInt(text, &values[i]));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTextReal(AbutTextCursor *text, PetscReal *value)
{
  char *after;

  PetscFunctionBegin;
  SkipSpace(text);
  *value = (PetscReal)strtod(text->at, &after);
  AbutTextCheck(after > text->at, text, "a number is expected, not \"%.*s\"", QuoteLength(text->at), *text->at ? text->at : "end of file");
  text->at = after;
  PetscFunctionReturn(0);
}
