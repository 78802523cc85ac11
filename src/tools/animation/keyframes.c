/* Values of a scene of the deformer at a frame. */
#include "scene.h"
#include <stddef.h>

/* One value of a list of key frames. */
typedef struct {
  const char *keys;  /* the key frames, each of which starts with its frame */
  PetscInt    num;   /* number of key frames */
  size_t      bytes; /* size of a key frame */
  size_t      at;    /* offset of the value */
  size_t      has;   /* offset of the PetscBool that tells whether a key frame gives the value */
} Channel;

static PetscReal Frame(const Channel *channel, PetscInt i)
{
  return *(const PetscReal *)(const void *)(channel->keys + (size_t)i * channel->bytes);
}

/* Interpolates n numbers; they stay unchanged if no key frame gives them. */
static void Interpolate(const Channel *channel, PetscReal frame, PetscInt n, PetscReal value[])
{
  PetscInt         before = -1, after = -1;
  const PetscReal *a, *b;
  PetscReal        t = 0;

  for (PetscInt i = 0; i < channel->num && after < 0; i++) {
    if (!*(const PetscBool *)(const void *)(channel->keys + (size_t)i * channel->bytes + channel->has)) continue;
    if (Frame(channel, i) <= frame)
      before = i;
    else
      after = i;
  }
  if (before < 0 && after < 0) return;
  if (before < 0) before = after;
  if (after < 0) after = before;
  if (before != after) t = (frame - Frame(channel, before)) / (Frame(channel, after) - Frame(channel, before));
  a = (const PetscReal *)(const void *)(channel->keys + (size_t)before * channel->bytes + channel->at);
  b = (const PetscReal *)(const void *)(channel->keys + (size_t)after * channel->bytes + channel->at);
  for (PetscInt k = 0; k < n; k++) value[k] = (1 - t) * a[k] + t * b[k];
}

#define CHANNEL(type, item, field)                                                                                 \
  &(Channel)                                                                                                       \
  {                                                                                                                \
    (const char *)(item)->keys, (item)->num_keys, sizeof(type), offsetof(type, field), offsetof(type, has_##field) \
  }

void AbutDeformSurfaceAtFrame(const AbutDeformSurfaceSpec *surface, PetscReal frame, AbutDeformSurfaceControl *control,
                              AbutRigidMotion *motion)
{
  *control = surface->control;
  *motion  = (AbutRigidMotion){{0}};
  for (PetscInt k = 0; k < 3; k++) motion->center[k] = surface->center[k];
  Interpolate(CHANNEL(AbutDeformSurfaceKey, surface, extent), frame, 1, &control->extent);
  Interpolate(CHANNEL(AbutDeformSurfaceKey, surface, volume), frame, 1, &control->volume);
  Interpolate(CHANNEL(AbutDeformSurfaceKey, surface, translate), frame, 3, motion->shift);
  Interpolate(CHANNEL(AbutDeformSurfaceKey, surface, rotate), frame, 3, motion->angle);
  for (PetscInt k = 0; k < 3; k++) motion->angle[k] *= PETSC_PI / 180;
}

void AbutDeformPairAtFrame(const AbutDeformPairSpec *pair, PetscReal frame, AbutDeformPairControl *control)
{
  *control = pair->control;
  Interpolate(CHANNEL(AbutDeformPairKey, pair, stiffness), frame, 2, control->stiffness);
  Interpolate(CHANNEL(AbutDeformPairKey, pair, tau), frame, 1, &control->tau);
  Interpolate(CHANNEL(AbutDeformPairKey, pair, direction), frame, 3, control->direction);
}
