/*
  Places of update matrices in memory. An update matrix lives until it is added to the front of its parent. Those of supernodes at even and
  at odd depth of the elimination tree lie on two stacks: in postorder the matrices of all children of a supernode are on top of one stack
  when its own comes on top of the other. A stack consists of chunks, so that no array is as long as the stack.
*/
#include "fronts.h"
#include <abut/containers.h>

#define CHUNK 2097152 /* entries of a chunk, 8 MB in single precision; a larger block column has a chunk of its own */

/* The end of a stack. */
typedef struct {
  PetscInt chunk, used; /* number of the chunk in the stack, entries used in it */
} Top;

/* Puts a block column on top of a stack. sizes: of the chunks of both stacks in turn. */
static PetscErrorCode Push(int stack, PetscInt size, Top *top, AbutInts *sizes, FrontsPlace *place)
{
  PetscFunctionBegin;
  if (top->used > 0 && top->used + size > CHUNK) *top = (Top){top->chunk + 1, 0};
  *place = (FrontsPlace){2 * top->chunk + stack, top->used};
  while (sizes->n <= place->chunk) PetscCall(AbutIntsPush(sizes, 1, (PetscInt[]){0}));
  top->used += size;
  sizes->a[place->chunk] = PetscMax(sizes->a[place->chunk], top->used);
  PetscFunctionReturn(0);
}

/* Places the update matrix of a supernode. The block columns of a root of the tree have one place, because they are needed one by one. */
static PetscErrorCode PlaceUpdate(Fronts *f, PetscInt s, int stack, Top *top, AbutInts *sizes)
{
  const PetscInt below = f->start[s + 1] - f->start[s], full = FrontsWidth(below);

  PetscFunctionBegin;
  for (PetscInt b = 0; b < FrontsNumBlocks(below); b++) {
    const PetscInt begin = b * full, width = PetscMin(full, below - begin);
    FrontsPlace   *place = &f->place[f->update[s] + b];
    if (b > 0 && f->parent[s] < 0)
      *place = place[-1];
    else
      PetscCall(Push(stack, width * (below - begin) * f->bs * f->bs, top, sizes, place));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode AllocatePlaces(Fronts *f)
{
  PetscInt total = 0;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < f->num; s++) total += FrontsNumBlocks(f->start[s + 1] - f->start[s]);
  PetscCall(PetscMalloc2(f->num + 1, &f->update, total, &f->place));
  f->update[0] = 0;
  for (PetscInt s = 0; s < f->num; s++) f->update[s + 1] = f->update[s] + FrontsNumBlocks(f->start[s + 1] - f->start[s]);
  PetscFunctionReturn(0);
}

PetscErrorCode FrontsPlaceUpdates(Fronts *f)
{
  AbutInts  sizes  = {0};
  Top       top[2] = {{0}}, *before; /* [num] the stack before the matrix of a supernode */
  PetscInt *child;                   /* [num] first child */
  int      *stack;                   /* [num] */

  PetscFunctionBegin;
  PetscCall(AllocatePlaces(f));
  PetscCall(PetscMalloc3(f->num, &before, f->num, &child, f->num, &stack));
  for (PetscInt s = f->num; s-- > 0;) {
    child[s] = -1;
    stack[s] = f->parent[s] < 0 ? 0 : 1 - stack[f->parent[s]];
  }
  for (PetscInt s = 0; s < f->num; s++) {
    const PetscInt parent = f->parent[s];
    before[s]             = top[stack[s]];
    PetscCall(PlaceUpdate(f, s, stack[s], &top[stack[s]], &sizes));
    if (child[s] >= 0) top[1 - stack[s]] = before[child[s]];
    if (parent < 0)
      top[stack[s]] = before[s];
    else if (child[parent] < 0)
      child[parent] = s;
  }
  PetscCall(PetscFree3(before, child, stack));
  f->num_chunks = sizes.n;
  f->chunk_size = sizes.a;
  PetscCall(PetscCalloc1(f->num_chunks, &f->chunk));
  PetscFunctionReturn(0);
}

void FrontsCountEntries(const Fronts *f, PetscReal *all, PetscReal *largest)
{
  *all     = (PetscReal)f->panel[f->num];
  *largest = 0;
  for (PetscInt c = 0; c < f->num_chunks; c++) {
    *all += (PetscReal)f->chunk_size[c];
    *largest = PetscMax(*largest, (PetscReal)f->chunk_size[c]);
  }
}
