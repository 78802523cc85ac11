/* Keys that define the initial state only: a restart takes the state from its checkpoint and warns where such a key has changed. */
#include "sceneimpl.h"
#include <stdio.h>

/* Appends a line "bodies[0].velocity\t0 -1 0" to scene->initial. */
PetscErrorCode AbutSceneRecordInitial(SceneDraft *draft, const SceneKey *key, const SceneWhere *where, const void *target)
{
  const PetscReal *value = (const PetscReal *)(const void *)((const char *)target + key->at);
  const size_t     used  = draft->scene.initial ? strlen(draft->scene.initial) : 0;
  char             path[512], line[640];

  PetscFunctionBegin;
  AbutSceneWhereText(where, sizeof(path), path);
  snprintf(line, sizeof(line), "%s\t%.15g %.15g %.15g\n", path, (double)value[0], (double)value[1], (double)value[2]);
  PetscCall(PetscRealloc(used + strlen(line) + 1, &draft->scene.initial));
  memcpy(draft->scene.initial + used, line, strlen(line) + 1);
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

PetscErrorCode AbutSceneWarnOfInitial(MPI_Comm comm, const AbutScene *scene, const char initial[])
{
  PetscFunctionBegin;
  for (const char *line = scene->initial, *end; line && (end = strchr(line, '\n')); line = end + 1) {
    const char *now = strchr(line, '\t') + 1, *then = FindValue(initial, line);
    const int   length = (int)(now - line) - 1;

    if (then && !strncmp(then, now, (size_t)(end - now) + 1)) continue;
    PetscCall(
      PetscFPrintf(comm, PETSC_STDERR,
                   "abut: warning: %s: %.*s is [%.*s], it was [%.*s] in the run of the checkpoint; the state of the checkpoint counts, "
                   "the new value has no effect\n",
                   scene->path, length, line, (int)(end - now), now, then ? (int)strcspn(then, "\n") : 4, then ? then : "none"));
  }
  PetscFunctionReturn(0);
}
