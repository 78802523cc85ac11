/* Ties: life cycle, mean gaps of owned vertices, energy and derivatives. See tie.h. */
#include "tieimpl.h"

/* Sends the entries to the owners of their rows. Collective. */
static PetscErrorCode SendEntries(AbutTies t, TieSearch *search)
{
  PetscMPIInt  size, *to;
  PetscInt    *first;
  TieEntry    *received;
  AbutExchange exchange;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(t->comm, &size));
  PetscCall(PetscMalloc2(size + 1, &first, search->num, &to));
  PetscCallMPI(MPI_Allgather(&t->ml->first, 1, MPIU_INT, first, 1, MPIU_INT, t->comm));
  first[size] = t->ml->num_global;
  for (PetscInt i = 0; i < search->num; i++) to[i] = (PetscMPIInt)AbutCountBelow(size, first, search->entry[i].row + 1) - 1;
  PetscCall(AbutExchangeRecords(t->comm, sizeof(TieEntry), search->num, to, search->entry, NULL, &exchange, &received));
  search->num = exchange.recv_start[exchange.num_recv];
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(first, to));
  PetscCall(PetscFree(search->entry));
  search->entry = received;
  PetscFunctionReturn(0);
}

/* Appends the sums of the entries as rows of mean gaps. The area of a row is its entry of the tied vertex, which comes first. */
static PetscErrorCode AddRows(AbutTies t, const TieSearch *search)
{
  const PetscInt base = t->num_rows ? t->start[t->num_rows] : 0;
  PetscInt      *key, *order, at = base;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(2 * search->num, &key, search->num, &order));
  for (PetscInt i = 0; i < search->num; i++) {
    const TieEntry *e = &search->entry[i];
    key[2 * i]        = e->row;
    key[2 * i + 1]    = e->global == e->row ? 0 : e->id + 1; /* a tied vertex is not on the second surface */
  }
  PetscCall(AbutSortTuples(search->num, 2, t->ml->num_global + 1, key, order));
  PetscCall(PetscRealloc((size_t)(t->num_rows + search->num + 1) * sizeof(*t->start), &t->start));
  PetscCall(PetscRealloc((size_t)(base + search->num) * sizeof(*t->global), &t->global));
  PetscCall(PetscRealloc((size_t)(base + search->num) * sizeof(*t->weight), &t->weight));
  t->start[t->num_rows] = base;
  for (PetscInt i = 0; i < search->num; i++) {
    const TieEntry *e = &search->entry[order[i]], *before = i ? &search->entry[order[i - 1]] : NULL;

    if (i && e->row == before->row && e->global == before->global) {
      t->weight[at - 1] += e->weight;
      continue;
    }
    if (i && e->row != before->row) t->start[++t->num_rows] = at;
    t->global[at]   = e->global;
    t->weight[at++] = e->weight;
  }
  if (search->num) t->start[++t->num_rows] = at;
  PetscCall(PetscFree2(key, order));
  PetscFunctionReturn(0);
}

/* Divides the weights of the rows of a tie by their areas, and sets its report. Collective. */
static PetscErrorCode Normalise(AbutTies t, const TieSearch *search, PetscInt tie)
{
  AbutTieReport *report  = &t->report[tie];
  PetscReal      sums[2] = {0, search->lever};

  PetscFunctionBegin;
  PetscCall(PetscRealloc((size_t)t->num_rows * sizeof(*t->area), &t->area));
  t->first_row[tie + 1] = t->num_rows;
  report->vertices      = t->num_rows - t->first_row[tie];
  for (PetscInt r = t->first_row[tie]; r < t->num_rows; r++) {
    sums[0] += t->area[r] = t->weight[t->start[r]];
    for (PetscInt k = t->start[r]; k < t->start[r + 1]; k++) t->weight[k] /= t->area[r];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, t->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &report->vertices, 1, MPIU_INT, MPI_SUM, t->comm));
  PetscCallMPI(MPI_Allreduce(&search->gap, &report->gap, 1, MPIU_REAL, MPIU_MAX, t->comm));
  report->area  = sums[0];
  report->lever = sums[1] / sums[0];
  PetscFunctionReturn(0);
}

/* Unites the bodies that ties connect: each gets the lowest one. Collective. */
static PetscErrorCode UniteBodies(AbutTies t, const TieSearch *search)
{
  PetscInt *pairs, num, changed = 1;

  PetscFunctionBegin;
  PetscCall(AbutGatherRecords(t->comm, 2 * sizeof(PetscInt), search->bodies.n / 2, search->bodies.a, &num, &pairs));
  while (changed) {
    changed = 0;
    for (PetscInt i = 0; i < num; i++) {
      PetscInt      *a = &t->first[pairs[2 * i]], *b = &t->first[pairs[2 * i + 1]];
      const PetscInt low = PetscMin(*a, *b);
      changed += *a != *b;
      *a = *b = low;
    }
  }
  PetscCall(PetscFree(pairs));
  PetscFunctionReturn(0);
}

/* Vertices in a set of the tie are marked for the contact search: of the first surface, and of faces of the second one that are used. */
static PetscErrorCode Exclude(AbutContact contact, MPI_Comm comm, PetscInt dim, PetscInt tie, const TieSearch *search, TieFaces *faces)
{
  PetscInt   *vertices, *used, num;
  PetscMPIInt count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(faces->num, &count));
  PetscCall(PetscMalloc1(faces->num, &used));
  for (PetscInt f = 0; f < faces->num; f++) used[f] = faces->face[f].used;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, used, count, MPIU_INT, MPI_MAX, comm));
  for (PetscInt f = 0; f < faces->num; f++)
    if (used[f]) PetscCall(AbutContactAddTied(contact, tie, 1, dim, faces->face[f].id));
  PetscCall(AbutGatherRecords(comm, sizeof(PetscInt), search->vertices.n, search->vertices.a, &num, &vertices));
  PetscCall(AbutContactAddTied(contact, tie, 0, num, vertices));
  PetscCall(PetscFree(vertices));
  PetscCall(PetscFree(used));
  PetscFunctionReturn(0);
}

/* Marks the selected vertices with ghosts. Collective. */
static PetscErrorCode Select(AbutMesh mesh, const AbutSelectionSpec *selection, const char place[], PetscReal marked[])
{
  PetscInt count, *vertices;

  PetscFunctionBegin;
  PetscCall(AbutMeshSelect(mesh, selection, place, &count, &vertices));
  for (PetscInt i = 0; i < count; i++) marked[vertices[i]] = 1;
  PetscCall(PetscFree(vertices));
  PetscCall(AbutMeshUpdateGhosts(mesh, 1, marked));
  PetscFunctionReturn(0);
}

/* Refuses vertices in both surfaces. Collective. */
static PetscErrorCode CheckDisjoint(AbutTies t, const AbutTieSpec *spec, const PetscReal from[], const PetscReal to[])
{
  const AbutBody *body = t->ml->bodies;
  PetscInt        id   = t->ml->num_global;

  PetscFunctionBegin;
  for (PetscInt v = 0; v < t->ml->num_owned; v++)
    if (from[v] > 0 && to[v] > 0) id = PetscMin(id, t->ml->vertex_id[v]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &id, 1, MPIU_INT, MPI_MIN, t->comm));
  if (id == t->ml->num_global) PetscFunctionReturn(0);
  while (body->vertex_end <= id) body++;
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INPUT, "%s: vertex %" PetscInt_FMT " of '%s' is in both surfaces of the tie", spec->place,
                                   id - body->vertex_start, body->name));
}

static PetscErrorCode SetUpTie(AbutTies t, AbutContact contact, PetscInt tie, const AbutTieSpec *spec, PetscReal from[], PetscReal to[],
                               TieFaces *faces, TieSearch *search)
{
  PetscInt vertices;

  PetscFunctionBegin;
  PetscCall(Select(t->mesh, &spec->select, spec->place, from));
  PetscCall(Select(t->mesh, &spec->to, spec->place, to));
  PetscCall(CheckDisjoint(t, spec, from, to));
  PetscCall(AbutTieFindFaces(t->mesh, to, faces));
  AbutCheck(faces->num > 0, ABUT_ERR_INPUT,
            "%s: `to` selects all vertices of no surface %s of a body; obstacles cannot be tied, give such vertices a motion", spec->place,
            t->ml->dim == 3 ? "triangle" : "edge");
  PetscCall(AbutTieSearch(t->mesh, spec, from, faces, search));
  PetscCallMPI(MPI_Allreduce(&search->vertices.n, &vertices, 1, MPIU_INT, MPI_MAX, t->comm));
  AbutCheck(vertices > 0, ABUT_ERR_INPUT,
            "%s: `select` selects all vertices of no surface %s of a body; obstacles cannot be tied, give such vertices a motion",
            spec->place, t->ml->dim == 3 ? "triangle" : "edge");
  PetscCall(UniteBodies(t, search));
  PetscCall(Exclude(contact, t->comm, t->ml->dim, tie, search, faces));
  PetscCall(SendEntries(t, search));
  PetscCall(AddRows(t, search));
  PetscCall(Normalise(t, search, tie));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddTie(AbutTies t, AbutContact contact, PetscInt tie, const AbutTieSpec *spec)
{
  PetscReal     *from, *to;
  TieFaces       faces  = {0};
  TieSearch      search = {0};
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(t->ml->num_local, &from, t->ml->num_local, &to));
  code = SetUpTie(t, contact, tie, spec, from, to, &faces, &search);
  PetscCall(PetscFree2(from, to));
  PetscCall(PetscFree(faces.face));
  PetscCall(PetscFree(search.entry));
  PetscCall(PetscFree(search.vertices.a));
  PetscCall(PetscFree(search.bodies.a));
  PetscFunctionReturn(code);
}

/* Numbers the vertices of all rows, and connects them with their owners. Collective. */
static PetscErrorCode SetUpLeaves(AbutTies t)
{
  const PetscInt n = t->num_rows ? t->start[t->num_rows] : 0;
  PetscInt      *leaves;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &leaves));
  PetscCall(PetscMalloc1(n, &t->leaf));
  PetscCall(PetscArraycpy(leaves, t->global, n));
  t->num_leaves = n;
  PetscCall(PetscSortRemoveDupsInt(&t->num_leaves, leaves));
  for (PetscInt k = 0; k < n; k++) PetscCall(PetscFindInt(t->global[k], t->num_leaves, leaves, &t->leaf[k]));
  for (PetscInt r = 0; r < t->num_rows; r++) t->most = PetscMax(t->most, t->start[r + 1] - t->start[r]);
  PetscCall(AbutSFCreate(t->comm, t->ml->num_owned, t->num_leaves, leaves, &t->sf));
  PetscCall(PetscFree(leaves));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTiesCreate(AbutMesh mesh, AbutContact contact, PetscInt num, const AbutTieSpec specs[], AbutTies *ties)
{
  AbutTies t;

  PetscFunctionBegin;
  *ties = NULL;
  if (!num) PetscFunctionReturn(0);
  AbutCheck(num <= ABUT_TIES_MAX, ABUT_ERR_INPUT, "%s: the scene has %" PetscInt_FMT " ties; at most %d are possible",
            specs[ABUT_TIES_MAX].place, num, ABUT_TIES_MAX);
  PetscCall(PetscNew(&t));
  *ties   = t;
  t->comm = AbutMeshGetComm(mesh);
  t->mesh = mesh;
  t->ml   = AbutMeshGetLocal(mesh);
  t->num  = num;
  PetscCall(PetscCalloc3(num, &t->report, num + 1, &t->first_row, t->ml->num_bodies, &t->first));
  for (PetscInt b = 0; b < t->ml->num_bodies; b++) t->first[b] = b;
  for (PetscInt k = 0; k < num; k++) PetscCall(AddTie(t, contact, k, &specs[k]));
  PetscCall(SetUpLeaves(t));
  PetscCall(PetscCalloc1(t->num_rows, &t->stiffness));
  PetscCall(PetscCalloc4(t->num_leaves * t->ml->dim, &t->x, t->num_leaves * t->ml->dim, &t->p, t->num_leaves * t->ml->dim, &t->now,
                         t->num_leaves * t->ml->dim, &t->work));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTiesDestroy(AbutTies *ties)
{
  AbutTies t = *ties;

  PetscFunctionBegin;
  if (!t) PetscFunctionReturn(0);
  PetscCall(PetscFree3(t->report, t->first_row, t->first));
  PetscCall(PetscFree(t->start));
  PetscCall(PetscFree(t->global));
  PetscCall(PetscFree(t->leaf));
  PetscCall(PetscFree(t->weight));
  PetscCall(PetscFree(t->area));
  PetscCall(PetscFree(t->stiffness));
  PetscCall(PetscFree4(t->x, t->p, t->now, t->work));
  PetscCall(PetscSFDestroy(&t->sf));
  PetscCall(PetscFree(*ties));
  PetscFunctionReturn(0);
}

/* Elastic stiffness of the tied vertex of a row, or the mean of the vertices that it is tied to if that is less. */
static PetscReal LeastStiffness(const AbutTies t, PetscInt row, const PetscReal leaf[])
{
  PetscReal sum = 0, weights = 0;

  for (PetscInt k = t->start[row] + 1; k < t->start[row + 1]; k++) {
    sum += PetscAbsReal(t->weight[k]) * leaf[t->leaf[k]];
    weights += PetscAbsReal(t->weight[k]);
  }
  return PetscMin(leaf[t->leaf[t->start[row]]], sum / weights);
}

PetscErrorCode AbutTiesSetStiffness(AbutTies t, const PetscReal diagonal[])
{
  PetscReal *vertex, *leaf;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(t->ml->num_owned, &vertex, t->num_leaves, &leaf));
  for (PetscInt i = 0; i < t->ml->num_owned * t->ml->dim; i++) vertex[i / t->ml->dim] += diagonal[i] / (PetscReal)t->ml->dim;
  PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, 1, vertex, leaf));
  for (PetscInt k = 0; k < t->num; k++) {
    PetscReal sums[2] = {0, 0}; /* of the stiffness of vertices and of their areas */
    for (PetscInt r = t->first_row[k]; r < t->first_row[k + 1]; r++) {
      sums[0] += LeastStiffness(t, r, leaf);
      sums[1] += t->area[r];
    }
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPIU_REAL, MPIU_SUM, t->comm));
    for (PetscInt r = t->first_row[k]; r < t->first_row[k + 1]; r++) t->stiffness[r] = ABUT_TIE_STIFFNESS * sums[0] / sums[1] * t->area[r];
  }
  PetscCall(PetscFree2(vertex, leaf));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTiesGetLargestStiffness(AbutTies t, PetscReal stiffness[])
{
  PetscReal *vertex, *leaf;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(t->ml->num_owned, &vertex, t->num_leaves, &leaf));
  for (PetscInt r = 0; r < t->num_rows; r++)
    for (PetscInt k = t->start[r]; k < t->start[r + 1]; k++) leaf[t->leaf[k]] += t->stiffness[r] * PetscAbsReal(t->weight[k]);
  PetscCall(AbutSFAddRows(t->sf, MPIU_REAL, 1, leaf, vertex));
  for (PetscInt b = 0; b < t->ml->num_bodies; b++) stiffness[b] = 0;
  for (PetscInt v = 0; v < t->ml->num_owned; v++) {
    PetscReal *most = &stiffness[t->ml->vertex_body[v]];
    *most           = PetscMax(*most, vertex[v]);
  }
  PetscCall(PetscFree2(vertex, leaf));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, stiffness, (PetscMPIInt)t->ml->num_bodies, MPIU_REAL, MPIU_MAX, t->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutTiesSetLine(AbutTies t, const PetscReal x[], const PetscReal p[])
{
  PetscFunctionBegin;
  PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, t->ml->dim, x, t->x));
  if (p)
    PetscCall(AbutSFBcastRows(t->sf, MPIU_REAL, t->ml->dim, p, t->p));
  else
    PetscCall(PetscArrayzero(t->p, t->num_leaves * t->ml->dim));
  PetscFunctionReturn(0);
}

/* Mean gap of a row at x + s p. */
static void MeanGap(const AbutTies t, PetscInt row, PetscReal s, const PetscReal x[], const PetscReal p[], PetscReal gap[3])
{
  const PetscInt dim = t->ml->dim;

  gap[0] = gap[1] = gap[2] = 0;
  for (PetscInt k = t->start[row]; k < t->start[row + 1]; k++)
    for (PetscInt d = 0; d < dim; d++) {
      const PetscInt i = dim * t->leaf[k] + d;
      gap[d] += t->weight[k] * (p ? x[i] + s * p[i] : x[i]);
    }
}

PetscReal AbutTiesEnergy(AbutTies t, PetscReal s)
{
  PetscReal energy = 0, gap[3];

  for (PetscInt r = 0; r < t->num_rows; r++) {
    MeanGap(t, r, s, t->x, t->p, gap);
    energy += t->stiffness[r] / 2 * AbutDot(3, gap, gap);
  }
  return energy;
}

void AbutTiesSetState(AbutTies t, PetscReal s)
{
  for (PetscInt i = 0; i < t->num_leaves * t->ml->dim; i++) t->now[i] = t->x[i] + s * t->p[i];
}

PetscErrorCode AbutTiesAddGradient(AbutTies t, PetscReal scale, PetscReal g[])
{
  const PetscInt dim = t->ml->dim;
  PetscReal      gap[3];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(t->work, t->num_leaves * dim));
  for (PetscInt r = 0; r < t->num_rows; r++) {
    MeanGap(t, r, 0, t->now, NULL, gap);
    for (PetscInt k = t->start[r]; k < t->start[r + 1]; k++)
      for (PetscInt d = 0; d < dim; d++) t->work[dim * t->leaf[k] + d] += scale * t->stiffness[r] * t->weight[k] * gap[d];
  }
  PetscCall(AbutSFAddRows(t->sf, MPIU_REAL, dim, t->work, g));
  PetscFunctionReturn(0);
}

void AbutTiesGetPattern(AbutTies t, AbutStencilList *stencils)
{
  *stencils = (AbutStencilList){t->num_rows, t->start, t->global};
}

PetscErrorCode AbutTiesAddHessian(AbutTies t, PetscReal scale, AbutAssembler assembler)
{
  const PetscInt dim = t->ml->dim;
  PetscReal     *H;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PetscSqr(t->most * dim), &H));
  for (PetscInt r = 0; r < t->num_rows; r++) {
    const PetscInt   n = t->start[r + 1] - t->start[r];
    const PetscReal *w = &t->weight[t->start[r]];

    if (!AbutAssemblerNeeds(assembler, n, &t->global[t->start[r]])) continue;
    PetscCall(PetscArrayzero(H, PetscSqr(n * dim)));
    for (PetscInt i = 0; i < n * n; i++)
      for (PetscInt d = 0; d < dim; d++) H[(i / n * dim + d) * n * dim + i % n * dim + d] = scale * t->stiffness[r] * w[i / n] * w[i % n];
    PetscCall(AbutAssemblerAdd(assembler, n, &t->global[t->start[r]], H));
  }
  PetscCall(PetscFree(H));
  PetscFunctionReturn(0);
}

PetscInt AbutTiesGetFirstBody(AbutTies t, PetscInt body)
{
  return t ? t->first[body] : body;
}

const AbutTieReport *AbutTiesGetReport(AbutTies t, PetscInt tie)
{
  return &t->report[tie];
}
