/*
  Numerical factorisation and solution by nested substructures, for one type of numbers: a file that includes this one includes
  real_double.h or real_single.h before. Numbers of the matrix and of vectors are of type PetscScalar; they become numbers of the factor
  where they are copied.
*/
#include "nested_kernels.h"
#include "substructure.h"

/* Takes the block columns from the store. */
static PetscErrorCode AllocateColumns(NestedPath *path, Store *store)
{
  size_t bytes = ColumnsBytes(&path->columns, sizeof(Real));

  PetscFunctionBegin;
  for (PetscInt i = 0; i < path->num; i++)
    bytes += ColumnsBytes(&path->front[i].columns, sizeof(Real)) + ColumnsBytes(&path->front[i].diagonal, sizeof(Real));
  PetscCall(StoreReserve(store, bytes));
  PetscCall(ColumnsAllocate(&path->columns, sizeof(Real), store));
  for (PetscInt i = 0; i < path->num; i++) {
    PetscCall(ColumnsAllocate(&path->front[i].columns, sizeof(Real), store));
    PetscCall(ColumnsAllocate(&path->front[i].diagonal, sizeof(Real), store));
  }
  PetscFunctionReturn(0);
}

/* Allocates the arrays of numbers of the first factorisation. */
static PetscErrorCode Allocate(Substructure *c)
{
  const PetscInt bs = c->interface->bs, block = bs * bs, rows = (c->interface->num_interior + c->interface->num_border) * bs;

  PetscFunctionBegin;
  if (c->y) PetscFunctionReturn(0);
  PetscCall(PetscMalloc((size_t)(rows + 1) * sizeof(Real), &c->y));
  PetscCall(AllocateColumns(c->path, c->store));
  PetscCall(PetscMalloc2((size_t)(c->entries.num_sent * block) * sizeof(Real), &c->entries.sent,
                         (size_t)(c->entries.num_received * block) * sizeof(Real), &c->entries.received));
  for (PetscInt i = 0; i < c->path->num; i++) {
    Nested *f = &c->path->front[i];
    PetscCall(PetscMalloc((size_t)(f->layout.n * bs) * sizeof(Real), &f->w));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode FactorInterior(Substructure *c, const FrontRows rows[2])
{
  FrontsPivot failed;

  PetscFunctionBegin;
  PetscCall(ColumnsZero(&c->path->columns, sizeof(Real)));
  PetscCall(NAME(FrontsFactor)(c->fronts, 2, rows, c->path->columns.block, &failed));
  c->definite = (PetscBool)(failed.column < 0);
  PetscFunctionReturn(0);
}

/* Sets the fronts to the entries of the matrix. Collective. */
static PetscErrorCode AddEntries(Entries *e, const FrontRows rows[2], NestedPath *path)
{
  const PetscInt bs   = path->bs;
  Real          *send = (Real *)e->sent, *received = (Real *)e->received;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < path->num; i++) PetscCall(ColumnsZero(&path->front[i].columns, sizeof(Real)));
  for (PetscInt i = 0; i < e->num_sent; i++) {
    const PetscInt    *source = e->source + 3 * i;
    const PetscScalar *values = rows[source[0]].values + source[1];
    for (PetscInt r = 0; r < bs; r++)
      for (PetscInt j = 0; j < bs; j++) *send++ = (Real)values[r * source[2] + j];
  }
  PetscCall(AbutExchangeForward(&e->exchange, (size_t)(bs * bs) * sizeof(Real), e->sent, e->received));
  for (PetscInt i = 0; i < e->num_received; i++) {
    const PetscInt *place = e->place + 3 * i;
    const Nested   *f     = NestedAt(path, place[0]);
    PetscInt        begin;
    size_t          ld;
    Real           *column = Column(&f->layout, &f->columns, bs, place[1], &begin, &ld);
    for (PetscInt r = 0; r < bs; r++)
      for (PetscInt j = 0; j < bs; j++) column[(size_t)r * ld + (size_t)((place[2] - begin) * bs + j)] += *received++;
  }
  PetscFunctionReturn(0);
}

/* Makes `definite` equal on all ranks: false if it is false on any. Collective. */
static PetscErrorCode AgreeDefinite(Substructure *c)
{
  PetscMPIInt definite = c->definite;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &definite, 1, MPI_INT, MPI_MIN, c->interface->comm));
  c->definite = (PetscBool)definite;
  PetscFunctionReturn(0);
}

PetscErrorCode NAME(SubstructureFactor)(Substructure *c, const FrontRows rows[2])
{
  Nested *front = c->path->front;

  PetscFunctionBegin;
  PetscCall(Allocate(c));
  PetscCall(FactorInterior(c, rows));
  PetscCall(AgreeDefinite(c));
  if (!c->definite) PetscFunctionReturn(0);
  PetscCall(AddEntries(&c->entries, rows, c->path));
  for (PetscInt i = 0; i < c->path->num; i++) {
    PetscCall(AddInputs(&front[i], i > 0 ? &front[i - 1].columns : &c->path->columns));
    PetscCall(FactorFront(&front[i], &c->definite));
  }
  PetscCall(AgreeDefinite(c));
  PetscFunctionReturn(0);
}

/* Border part of the vector below front i of the path: of the interior or of the front before. */
static Real *BorderBelow(const Substructure *c, PetscInt i)
{
  const Nested *below = i > 0 ? &c->path->front[i - 1] : NULL;

  return below ? (Real *)below->w + below->layout.num_pivots * below->bs : (Real *)c->y + c->interface->num_interior * c->interface->bs;
}

/* Copies the border of the vector below front i to the front's vector (up: adds), or back (down: replaces). */
static void CopyBorder(const Substructure *c, PetscInt i, PetscBool up)
{
  const Nested      *f   = &c->path->front[i];
  const FrontLayout *in  = &f->input[f->own_input];
  const PetscInt    *map = f->map[f->own_input], bs = f->bs;
  Real              *border = BorderBelow(c, i), *w = (Real *)f->w;

  for (PetscInt r = 0; r < in->n - in->num_pivots; r++)
    for (PetscInt j = 0; j < bs; j++) {
      if (up)
        w[map[r] * bs + j] += border[r * bs + j];
      else
        border[r * bs + j] = w[map[r] * bs + j];
    }
}

/*
  Solves for the separators. On entry the border of c->y holds the right-hand side that the interior of this rank contributes, on return
  the solution. Collective.
*/
static PetscErrorCode SolveSeparators(Substructure *c)
{
  const NestedPath *path = c->path;
  const PetscInt    bs   = path->bs;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < path->num; i++) PetscCall(PetscArrayzero((Real *)path->front[i].w, path->front[i].layout.n * bs));
  for (PetscInt k = 0; k < c->num_separators; k++) {
    const Separator *s = &c->separator[k];
    for (PetscInt j = 0; j < bs; j++) ((Real *)path->front[s->front].w)[s->row * bs + j] = (Real)c->b[s->vertex * bs + j];
  }
  for (PetscInt i = 0; i < path->num; i++) {
    CopyBorder(c, i, PETSC_TRUE);
    PetscCall(ForwardFront(&path->front[i]));
  }
  for (PetscInt i = path->num; i-- > 0;) {
    PetscCall(BackwardFront(&path->front[i]));
    CopyBorder(c, i, PETSC_FALSE);
  }
  for (PetscInt k = 0; k < c->num_separators; k++) {
    const Separator *s = &c->separator[k];
    for (PetscInt j = 0; j < bs; j++) c->x[s->vertex * bs + j] = (PetscScalar)((Real *)path->front[s->front].w)[s->row * bs + j];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode NAME(SubstructureSolve)(Substructure *c)
{
  const Interface *it       = c->interface;
  const PetscInt   bs       = it->bs;
  const PetscInt  *position = c->fronts->position;
  Real            *y        = (Real *)c->y;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(y + it->num_interior * bs, it->num_border * bs));
  for (PetscInt v = 0; v < it->num_interior; v++)
    for (PetscInt j = 0; j < bs; j++) y[position[v] * bs + j] = (Real)c->b[it->interior[v] * bs + j];
  NAME(FrontsForward)(c->fronts, y);
  PetscCall(SolveSeparators(c));
  NAME(FrontsBackward)(c->fronts, y);
  for (PetscInt v = 0; v < it->num_interior; v++)
    for (PetscInt j = 0; j < bs; j++) c->x[it->interior[v] * bs + j] = (PetscScalar)y[position[v] * bs + j];
  PetscFunctionReturn(0);
}
