/* Meshes before the partition: ghosts of a rank's block, bodies of vertices and cells, work of vertices, check of cells. */
#include "blocks.h"

/* Last body whose first number is at most `id`: an obstacle has no cells, and the first cell of the next body. */
PetscInt AbutBodyOf(PetscInt num_bodies, const AbutBody bodies[], PetscBool cell, PetscInt id)
{
  PetscInt low = 0, high = num_bodies;

  while (high - low > 1) {
    const PetscInt middle                                                                    = low + (high - low) / 2;
    *((cell ? bodies[middle].cell_start : bodies[middle].vertex_start) <= id ? &low : &high) = middle;
  }
  return low;
}

const AbutBodySpec *AbutSpecOfBody(const AbutBodySpec specs[], PetscInt body)
{
  while (body >= AbutNumCopies(specs)) body -= AbutNumCopies(specs++);
  return specs;
}

#define NUM_KINDS 5 /* of simplices that name vertices */

/* Ids of vertices outside of the block, each once. */
static PetscErrorCode FindGhosts(const AbutBlocks *m, const AbutSimplices *const kinds[NUM_KINDS], AbutBlockGhosts *ghosts)
{
  AbutInts ids = {0};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < NUM_KINDS; k++) {
    for (PetscInt i = 0; i < kinds[k]->n * kinds[k]->width; i++) {
      const PetscInt id = kinds[k]->vertex[i];
      if (id >= 0 && (id < m->first || id >= m->first + m->n)) PetscCall(AbutIntsPush(&ids, 1, &id));
    }
    PetscCall(PetscSortRemoveDupsInt(&ids.n, ids.a)); /* after each kind, which bounds the memory */
  }
  *ghosts = (AbutBlockGhosts){.n = ids.n, .id = ids.a};
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBlocksLocalise(AbutBlocks *m, AbutBlockGhosts *ghosts)
{
  const AbutSimplices *const kinds[NUM_KINDS] = {&m->cells, &m->middles, &m->sides, &m->obstacle_sides, &m->edges};

  PetscFunctionBegin;
  PetscCall(FindGhosts(m, kinds, ghosts));
  for (PetscInt k = 0; k < NUM_KINDS; k++) {
    for (PetscInt i = 0; i < kinds[k]->n * kinds[k]->width; i++) {
      PetscInt *v = &kinds[k]->vertex[i], at = *v - m->first;

      if (*v < 0) continue; /* an edge of a linear cell has no node */
      if (at < 0 || at >= m->n) {
        PetscCall(PetscFindInt(*v, ghosts->n, ghosts->id, &at));
        at += m->n;
      }
      *v = at;
    }
  }
  PetscCall(AbutBlockGhostsConnect(m, ghosts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBlockGhostsConnect(const AbutBlocks *m, AbutBlockGhosts *ghosts)
{
  return AbutSFCreate(m->comm, m->n, ghosts->n, ghosts->id, &ghosts->sf);
}

PetscErrorCode AbutBlockGhostsFree(AbutBlockGhosts *ghosts)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(ghosts->id));
  PetscCall(PetscSFDestroy(&ghosts->sf));
  PetscFunctionReturn(0);
}

static void CountVertices(const AbutSimplices *simplices, PetscInt kind, PetscReal works[])
{
  for (PetscInt i = 0; i < simplices->n * simplices->width; i++)
    if (simplices->vertex[i] >= 0) works[ABUT_NUM_WORKS * simplices->vertex[i] + kind]++;
}

PetscErrorCode AbutBlockWorks(const AbutBlocks *m, const AbutBlockGhosts *ghosts, PetscReal **works)
{
  PetscFunctionBegin;
  PetscCall(PetscCalloc1(ABUT_NUM_WORKS * (m->n + ghosts->n), works));
  for (PetscInt v = 0; v < m->n; v++) (*works)[ABUT_NUM_WORKS * v + 1] = m->on_surface[v] ? 1 : 0;
  CountVertices(&m->cells, 0, *works);
  CountVertices(&m->middles, 0, *works);
  CountVertices(&m->sides, 1, *works);
  CountVertices(&m->obstacle_sides, 1, *works);
  CountVertices(&m->edges, 1, *works);
  PetscCall(AbutSFAddRows(ghosts->sf, MPIU_REAL, ABUT_NUM_WORKS, *works + ABUT_NUM_WORKS * m->n, *works));
  PetscFunctionReturn(0);
}

/* Positions of the block and of the ghosts; free with PetscFree(). */
static PetscErrorCode GetPositions(const AbutBlocks *m, const AbutBlockGhosts *ghosts, PetscReal **x)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(3 * (m->n + ghosts->n), x));
  PetscCall(PetscArraycpy(*x, m->x, 3 * m->n));
  PetscCall(AbutSFBcastRows(ghosts->sf, MPIU_REAL, 3, m->x, *x + 3 * m->n));
  PetscFunctionReturn(0);
}

/* Number of degenerate cells of this rank in a body; first: the lowest id of them, or unchanged. */
static PetscInt CountFlat(const AbutBlocks *m, const PetscReal x[], const AbutBody *body, PetscInt *first)
{
  const PetscInt begin = PetscMax(body->cell_start - m->cells.first, 0), end = PetscMin(body->cell_end - m->cells.first, m->cells.n);
  PetscInt       bad = 0;

  for (PetscInt c = begin; c < end; c++) {
    if (!AbutCellIsFlat(m->dim, x, &m->cells.vertex[c * m->cells.width])) continue;
    if (!bad++) *first = PetscMin(*first, m->cells.first + c);
  }
  return bad;
}

/* The rank that has the cell records the error; `bad` is the number of degenerate cells of its body over all ranks. */
static PetscErrorCode FlatError(const AbutBlocks *m, const AbutBlockGhosts *ghosts, const PetscReal x[], const AbutBodySpec specs[],
                                PetscInt cell, PetscInt bad)
{
  const PetscInt  at = cell - m->cells.first, b = AbutBodyOf(m->num_bodies, m->bodies, PETSC_TRUE, cell);
  const AbutBody *body = &m->bodies[b];
  PetscInt        v[4];

  if (at < 0 || at >= m->cells.n) return 0;
  for (PetscInt i = 0; i <= m->dim; i++) v[i] = AbutBlockVertexId(m, ghosts, m->cells.vertex[at * m->cells.width + i]) - body->vertex_start;
  return AbutFlatCellError(AbutSpecOfBody(specs, b), m->dim, x, &m->cells.vertex[at * m->cells.width], cell - body->cell_start, v, bad,
                           body->cell_end - body->cell_start);
}

PetscErrorCode AbutBlocksCheck(const AbutBlocks *m, const AbutBlockGhosts *ghosts, const AbutBodySpec specs[], PetscBool read)
{
  PetscInt       first = PETSC_MAX_INT, bad, b = 0;
  PetscReal     *x;
  PetscErrorCode code = 0;

  PetscFunctionBegin;
  PetscCall(GetPositions(m, ghosts, &x));
  for (const AbutBodySpec *spec = specs; b < m->num_bodies; b += AbutNumCopies(spec++)) /* copies are equal: the first represents them */
    if (read || (spec->shape.kind != ABUT_SHAPE_FILE && !spec->obstacle)) (void)CountFlat(m, x, &m->bodies[b], &first);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPIU_INT, MPI_MIN, m->comm));
  if (first < PETSC_MAX_INT) {
    PetscInt lowest = first;

    bad = CountFlat(m, x, &m->bodies[AbutBodyOf(m->num_bodies, m->bodies, PETSC_TRUE, first)], &lowest);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPIU_INT, MPI_SUM, m->comm));
    code = AbutAgree(m->comm, FlatError(m, ghosts, x, specs, first, bad));
  }
  PetscCall(PetscFree(x));
  PetscFunctionReturn(code);
}
