/*
  Keys that a restart compares with the run of its checkpoint. Keys that define the initial state only have no effect, because the state
  comes from the checkpoint. Lines of keys that take effect on a state that was computed with another value start with a '*'. Those of
  positions at the start begin with a '+': activation distances follow them, the state does not.
*/
#include "sceneimpl.h"
#include <stdio.h>

static PetscErrorCode Append(AbutScene *scene, const char line[])
{
  const size_t used = scene->initial ? strlen(scene->initial) : 0;

  PetscFunctionBegin;
  PetscCall(PetscRealloc(used + strlen(line) + 1, &scene->initial));
  memcpy(scene->initial + used, line, strlen(line) + 1);
  PetscFunctionReturn(0);
}

/* Appends a line "bodies[0].velocity\t0 -1 0" or "+bodies[0].start\tball.msh" to scene->initial; nothing for a file that is not given. */
PetscErrorCode AbutSceneRecordInitial(SceneDraft *draft, const SceneKey *key, const SceneWhere *where, const void *target)
{
  const char      *text  = (const char *)target + key->at, *slash;
  const PetscReal *value = (const PetscReal *)(const void *)text;
  char             path[512], line[512 + PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  AbutSceneWhereText(where, sizeof(path), path);
  if (key->type == SCENE_FILE) {
    if (!text[0]) PetscFunctionReturn(0);
    slash = strrchr(text, '/'); /* only the file's name counts, because the folder depends on where the program was started */
    snprintf(line, sizeof(line), "+%s\t%s\n", path, slash ? slash + 1 : text);
  } else {
    snprintf(line, sizeof(line), "%s\t%.15g %.15g %.15g\n", path, (double)value[0], (double)value[1], (double)value[2]);
  }
  PetscCall(Append(&draft->scene, line));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneRecordContact(AbutScene *scene)
{
  const AbutStepSpec *step = &scene->step;
  char                lines[256];

  PetscFunctionBegin;
  snprintf(lines, sizeof(lines), "*contact.potential\t%s\n*contact.dhat\t%s %.15g\n", step->potential,
           step->dhat.relative ? "relative" : "absolute", (double)step->dhat.value);
  PetscCall(Append(scene, lines));
  PetscFunctionReturn(0);
}

/* The value that a record has for the key at the start of `line`, up to a newline; NULL if the record lacks the key. */
static const char *FindValue(const char record[], const char line[])
{
  const size_t key = strcspn(line, "\t") + 1;

  while (record && strncmp(record, line, key)) {
    record = strchr(record, '\n');
    if (record) record++;
  }
  return record ? record + key : NULL;
}

/* What another value does, by the first character of the key's line. */
static const char *EffectOf(char mark)
{
  if (mark == '*') return "the new value counts, and the run starts with a state and a barrier stiffness that belong to the old one";
  if (mark == '+') return "the state of the checkpoint counts, and the activation distances of \"oipc\" and \"gcp\" follow the new value";
  return "the state of the checkpoint counts, the new value has no effect";
}

/* Warns of the key at the start of `line`; NULL for a value that is not given. */
static PetscErrorCode Warn(MPI_Comm comm, const AbutScene *scene, const char line[], const char now[], const char then[])
{
  const int marked = line[0] == '*' || line[0] == '+', length = (int)strcspn(line, "\t") - marked;

  PetscFunctionBegin;
  if (!now) now = "none";
  if (!then) then = "none";
  PetscCall(AbutWarn(comm, "%s: %.*s is [%.*s], it was [%.*s] in the run of the checkpoint; %s", scene->path, length, line + marked,
                     (int)strcspn(now, "\n"), now, (int)strcspn(then, "\n"), then, EffectOf(line[0])));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSceneWarnOfInitial(MPI_Comm comm, const AbutScene *scene, const char initial[])
{
  PetscFunctionBegin;
  for (const char *line = scene->initial, *end; line && (end = strchr(line, '\n')); line = end + 1) {
    const char *now = strchr(line, '\t') + 1, *then = FindValue(initial, line);

    if (then ? !strncmp(then, now, (size_t)(end - now) + 1) : line[0] == '*') continue; /* older checkpoints lack the keys with a '*' */
    PetscCall(Warn(comm, scene, line, now, then));
  }
  for (const char *line = initial, *end; line && (end = strchr(line, '\n')); line = end + 1)
    if (line[0] == '+' && !FindValue(scene->initial, line)) PetscCall(Warn(comm, scene, line, NULL, strchr(line, '\t') + 1));
  PetscFunctionReturn(0);
}
