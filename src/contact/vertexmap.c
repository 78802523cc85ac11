/* Open addressing. */
#include "contactimpl.h"

PetscErrorCode AbutVertexMapReset(AbutVertexMap *map, size_t entries)
{
  PetscFunctionBegin;
  if (map->size < 2 * entries || !map->size) {
    size_t size = 16;

    while (size < 2 * entries) size *= 2;
    PetscCall(AbutVertexMapDestroy(map));
    PetscCall(PetscMalloc2(size, &map->key, size, &map->value));
    map->size = size;
  }
  for (size_t i = 0; i < map->size; i++) map->key[i] = -1;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutVertexMapDestroy(AbutVertexMap *map)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(map->key, map->value));
  map->size = 0;
  PetscFunctionReturn(0);
}

/* Where a key is or would be. */
static inline size_t Place(const AbutVertexMap *map, int64_t key)
{
  size_t at = (size_t)(((uint64_t)key * UINT64_C(0x9E3779B97F4A7C15)) >> 32) & (map->size - 1);

  while (map->key[at] >= 0 && map->key[at] != key) at = (at + 1) & (map->size - 1);
  return at;
}

int32_t AbutVertexMapAdd(AbutVertexMap *map, int64_t key, int32_t value)
{
  const size_t at = Place(map, key);

  if (map->key[at] >= 0) return map->value[at];
  map->key[at]   = key;
  map->value[at] = value;
  return -1;
}

int32_t AbutVertexMapGet(const AbutVertexMap *map, int64_t key)
{
  const size_t at = map->size ? Place(map, key) : 0;

  return map->size && map->key[at] >= 0 ? map->value[at] : -1;
}
