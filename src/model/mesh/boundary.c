/*
  Surface of the bodies from blocks of cells. The rank whose block has the lowest vertex of a side of a cell compares it with the other
  sides at this vertex; a side without a partner is on the surface. Sides are numbered in the order of the cells, edges by their vertices,
  so that ids do not depend on the number of ranks.
*/
#include "blocks.h"
#include <petscbt.h>

/* Side of a cell on its way to the rank that compares it. */
typedef struct {
  PetscInt key[3]; /* vertices, ascending; key[2] is -1 in 2D */
  PetscInt side;   /* number over all ranks; in the answer -1 unless it is on the surface */
} Side;

/* Sides to compare on this rank: its own, then the received ones. */
typedef struct {
  const AbutBlocks *m;
  PetscInt          num_own; /* sides of the cells of this rank; some of them are compared on other ranks */
  Side             *received;
  AbutExchange      exchange;
  PetscBT           own;         /* own sides on the surface */
  PetscInt          worst, cell; /* largest number of cells that share a side; one of these cells */
} Matching;

static void SortVertices(PetscInt n, PetscInt v[])
{
  for (PetscInt i = 1; i < n; i++)
    for (PetscInt k = i; k > 0 && v[k] < v[k - 1]; k--) {
      const PetscInt higher = v[k - 1];
      v[k - 1]              = v[k];
      v[k]                  = higher;
    }
}

static void GetOwnSide(const AbutBlocks *m, PetscInt s, Side *side)
{
  *side = (Side){{-1, -1, -1}, m->cells.first * (m->dim + 1) + s};
  AbutSideVertices(m->dim, m->cells.vertex, s, side->key);
  SortVertices(m->dim, side->key);
}

static inline void GetSide(const Matching *match, PetscInt i, Side *side)
{
  if (i < match->num_own)
    GetOwnSide(match->m, i, side);
  else
    *side = match->received[i - match->num_own];
}

/* Sends sides to the ranks that compare them, except the sides that this rank compares itself. */
static PetscErrorCode SendSides(Matching *match)
{
  const AbutBlocks *m     = match->m;
  PetscInt          away  = 0;
  PetscMPIInt      *to    = NULL;
  Side             *sides = NULL, side;

  PetscFunctionBegin;
  for (int pass = 0; pass < 2; pass++) {
    if (pass) PetscCall(PetscMalloc2(away, &to, away, &sides));
    away = 0;
    for (PetscInt s = 0; s < match->num_own; s++) {
      PetscMPIInt owner;

      GetOwnSide(m, s, &side);
      owner = AbutBlockOwner(m->num_vertices, side.key[0], m->size);
      if (owner == m->rank) continue;
      if (pass) to[away] = owner;
      if (pass) sides[away] = side;
      away++;
    }
  }
  PetscCall(AbutExchangeRecords(m->comm, sizeof(Side), away, to, sides, NULL, &match->exchange, &match->received));
  PetscCall(PetscFree2(to, sides));
  PetscFunctionReturn(0);
}

/* A side in the list of its lowest vertex. */
typedef struct {
  Side     side;
  PetscInt index; /* in the Matching */
} Entry;

/* Marks the sides without a partner in the list of a vertex. */
static PetscErrorCode MatchList(Matching *match, PetscInt n, Entry list[])
{
  PetscFunctionBegin;
  PetscCall(AbutSortRecords(n, sizeof(*list), 4, list));
  for (PetscInt i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && list[next].side.key[1] == list[i].side.key[1] && list[next].side.key[2] == list[i].side.key[2]; next++) {
    }
    for (PetscInt k = i; k < next; k++) {
      const PetscInt index = list[k].index;
      if (index >= match->num_own && next - i > 1) match->received[index - match->num_own].side = -1;
      if (index < match->num_own && next - i == 1) PetscCall(PetscBTSet(match->own, index));
    }
    if (next - i > PetscMax(match->worst, 2)) {
      match->worst = next - i;
      match->cell  = list[i].side.side / (match->m->dim + 1);
    }
  }
  PetscFunctionReturn(0);
}

/* Lists the sides at their lowest vertex. */
static PetscErrorCode ListSides(const Matching *match, AbutCSR *at)
{
  const AbutBlocks *m   = match->m;
  const PetscInt    num = match->num_own + match->exchange.recv_start[match->exchange.num_recv];
  PetscInt         *lowest;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(num, &lowest));
  for (PetscInt i = 0; i < num; i++) {
    Side side;
    GetSide(match, i, &side);
    lowest[i] = side.key[0] >= m->first && side.key[0] < m->first + m->n ? side.key[0] - m->first : -1;
  }
  PetscCall(AbutCSRSetPairs(m->n, num, 1, lowest, NULL, at));
  PetscCall(PetscFree(lowest));
  PetscFunctionReturn(0);
}

/* Marks the sides without a partner at all vertices of this rank. */
static PetscErrorCode MatchSides(Matching *match)
{
  const AbutBlocks *m    = match->m;
  PetscInt          most = 0;
  AbutCSR           at   = {0};
  Entry            *list;

  PetscFunctionBegin;
  PetscCall(ListSides(match, &at));
  for (PetscInt v = 0; v < m->n; v++) most = PetscMax(most, at.start[v + 1] - at.start[v]);
  PetscCall(PetscMalloc1(most, &list));
  for (PetscInt v = 0; v < m->n; v++) {
    const PetscInt n = at.start[v + 1] - at.start[v];

    for (PetscInt i = 0; i < n; i++) {
      list[i].index = at.item[at.start[v] + i];
      GetSide(match, list[i].index, &list[i].side);
    }
    PetscCall(MatchList(match, n, list));
  }
  PetscCall(PetscFree(list));
  PetscCall(AbutCSRDestroy(&at));
  PetscFunctionReturn(0);
}

/* Receives the answers on sides that other ranks compared. */
static PetscErrorCode ReceiveAnswers(Matching *match)
{
  const PetscInt start = match->m->cells.first * (match->m->dim + 1), n = match->exchange.send_start[match->exchange.num_send];
  Side          *answers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &answers));
  PetscCall(AbutExchangeReverse(&match->exchange, sizeof(Side), match->received, answers));
  for (PetscInt i = 0; i < n; i++)
    if (answers[i].side >= 0) PetscCall(PetscBTSet(match->own, answers[i].side - start));
  PetscCall(PetscFree(answers));
  PetscCall(PetscFree(match->received));
  PetscCall(AbutExchangeDestroy(&match->exchange));
  PetscFunctionReturn(0);
}

/* An error if more than two cells share a side; the lowest rank with the largest number of them names it. */
static PetscErrorCode CheckManifold(const Matching *match, const AbutBodySpec specs[])
{
  const AbutBlocks *m     = match->m;
  PetscInt          worst = match->worst;
  PetscErrorCode    code  = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPIU_INT, MPI_MAX, m->comm));
  if (worst > 2 && worst == match->worst) {
    const PetscInt body = AbutBodyOf(m->num_bodies, m->bodies, PETSC_TRUE, match->cell);

    code = AbutSpecError(AbutSpecOfBody(specs, body), "%" PetscInt_FMT " cells share one %s of cell %" PetscInt_FMT "; at most 2 can",
                         worst, m->dim == 3 ? "face" : "edge", match->cell - m->bodies[body].cell_start);
  }
  PetscFunctionReturn(AbutAgree(m->comm, code));
}

/* Numbers n entities of each rank from 0 on, in the order of ranks. */
static PetscErrorCode NumberEntities(MPI_Comm comm, PetscInt n, PetscInt *first, PetscInt *total)
{
  PetscInt end = n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, &end, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(&n, total, 1, MPIU_INT, MPI_SUM, comm));
  *first = end - n;
  PetscFunctionReturn(0);
}

/* Linear parts of the sides of bodies on the surface in the order of the cells; then sides of obstacles. */
static PetscErrorCode CollectSides(AbutBlocks *m, PetscBT on_surface)
{
  const PetscInt num = m->cells.n * (m->dim + 1), *middles = m->middles.width ? m->middles.vertex : NULL;
  PetscInt       total = 0, obstacles, parts[3 * ABUT_SIDE_PARTS];

  PetscFunctionBegin;
  m->sides = (AbutSimplices){.width = m->dim};
  for (PetscInt s = 0; s < num; s++)
    if (PetscBTLookup(on_surface, s)) m->sides.n += AbutSideParts(m->dim, m->cells.vertex, middles, s, parts);
  PetscCall(PetscMalloc1(m->sides.n * m->dim, &m->sides.vertex));
  m->sides.n = 0;
  for (PetscInt s = 0; s < num; s++)
    if (PetscBTLookup(on_surface, s))
      m->sides.n += AbutSideParts(m->dim, m->cells.vertex, middles, s, &m->sides.vertex[m->dim * m->sides.n]);
  PetscCall(NumberEntities(m->comm, m->sides.n, &m->sides.first, &total));
  PetscCall(NumberEntities(m->comm, m->obstacle_sides.n, &m->obstacle_sides.first, &obstacles));
  m->obstacle_sides.first += total;
  total += obstacles;
  *(m->dim == 3 ? &m->total.faces : &m->total.edges) = total;
  PetscFunctionReturn(0);
}

static PetscErrorCode FindSides(AbutBlocks *m, const AbutBodySpec specs[])
{
  Matching       match = {.m = m, .num_own = m->cells.n * (m->dim + 1)};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscBTCreate(match.num_own, &match.own));
  PetscCall(SendSides(&match));
  PetscCall(MatchSides(&match));
  PetscCall(ReceiveAnswers(&match));
  ierr = CheckManifold(&match, specs);
  if (!ierr) ierr = AbutBlocksRaise(m, specs, match.own);
  if (!ierr) PetscCall(CollectSides(m, match.own));
  PetscCall(PetscBTDestroy(&match.own));
  PetscFunctionReturn(ierr);
}

/* Sends tuples to the ranks whose blocks have their first vertices; returns the different tuples that arrive, sorted. */
static PetscErrorCode GatherTuples(const AbutBlocks *m, PetscInt width, PetscInt *n, PetscInt **tuples)
{
  PetscMPIInt *to;
  PetscInt    *received;
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCall(AbutUniqueTuples(n, width, m->num_vertices, *tuples));
  PetscCall(PetscMalloc1(*n, &to));
  for (PetscInt i = 0; i < *n; i++) to[i] = AbutBlockOwner(m->num_vertices, (*tuples)[width * i], m->size);
  PetscCall(AbutExchangeRecords(m->comm, (size_t)width * sizeof(PetscInt), *n, to, *tuples, NULL, &exchange, &received));
  *n = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutUniqueTuples(n, width, m->num_vertices, received));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree(to));
  PetscCall(PetscFree(*tuples));
  *tuples = received;
  PetscFunctionReturn(0);
}

/* Edges of all faces and the edges of obstacles, each once, lower vertex first, sorted. */
static PetscErrorCode FindEdges(AbutBlocks *m)
{
  PetscInt n = 3 * m->sides.n + m->edges.n, *edges;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * n, &edges));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt *face = &m->sides.vertex[i - i % 3], edge = i - 3 * m->sides.n;
    const PetscInt a = edge < 0 ? face[i % 3] : m->edges.vertex[2 * edge], b = edge < 0 ? face[(i + 1) % 3] : m->edges.vertex[2 * edge + 1];
    edges[2 * i]     = PetscMin(a, b);
    edges[2 * i + 1] = PetscMax(a, b);
  }
  PetscCall(PetscFree(m->edges.vertex));
  PetscCall(GatherTuples(m, 2, &n, &edges));
  m->edges = (AbutSimplices){.n = n, .width = 2, .vertex = edges};
  PetscCall(NumberEntities(m->comm, n, &m->edges.first, &m->total.edges));
  PetscFunctionReturn(0);
}

/* Marks vertices of edges and points of obstacles. */
static PetscErrorCode MarkVertices(AbutBlocks *m)
{
  const AbutSimplices *kinds[3] = {&m->edges, m->dim == 3 ? NULL : &m->sides, m->dim == 3 ? NULL : &m->obstacle_sides};
  AbutInts             ids      = {0};
  PetscInt             first;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; k++)
    if (kinds[k]) PetscCall(AbutIntsPush(&ids, kinds[k]->n * 2, kinds[k]->vertex));
  PetscCall(AbutIntsPush(&ids, m->points.n, m->points.vertex));
  PetscCall(GatherTuples(m, 1, &ids.n, &ids.a));
  for (PetscInt i = 0; i < ids.n; i++) m->on_surface[ids.a[i] - m->first] = PETSC_TRUE;
  PetscCall(NumberEntities(m->comm, ids.n, &first, &m->total.points));
  PetscCall(PetscFree(ids.a));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBlocksSurface(AbutBlocks *m, const AbutBodySpec specs[])
{
  PetscFunctionBegin;
  PetscCall(FindSides(m, specs));
  if (m->dim == 3) PetscCall(FindEdges(m));
  PetscCall(MarkVertices(m));
  PetscFunctionReturn(0);
}
