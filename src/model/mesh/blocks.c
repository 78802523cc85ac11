/* Blocks of the input on all ranks: bodies, vertices, cells of bodies, surfaces of obstacles. */
#include "blocks.h"
#include <string.h>

enum { VERTICES, CELLS, FACES, EDGES, POINTS, NUM_KINDS, READ = NUM_KINDS, ORIENTED, QUADRATIC, CORNERS, NUM_HEAD };

/* The shapes of the scene before their copies are counted. */
typedef struct {
  PetscInt            num;
  const AbutBodySpec *specs;
  AbutShape          *shapes; /* [num] this rank's entities of shapes that are not generated: body files on all ranks, others on rank 0 */
  PetscInt (
    *head)[NUM_HEAD]; /* [num] the same on all ranks: numbers of entities; whether the shape is not generated; its orientation; whether
                                  its file has quadratic cells */
  AbutRange (*own)[NUM_KINDS]; /* [num] numbers in the shape of the entities of this rank */
  PetscInt total[NUM_KINDS];   /* entities of all copies */
} Input;

/* First numbers of the entities of a copy. */
typedef struct {
  PetscInt body, at[NUM_KINDS];
} Cursor;

static PetscErrorCode CheckSpecs(PetscInt dim, PetscInt num, const AbutBodySpec specs[])
{
  PetscFunctionBegin;
  AbutCheck(dim == 2 || dim == 3, ABUT_ERR_INPUT, "the dimension is %" PetscInt_FMT "; it must be 2 or 3", dim);
  for (PetscInt s = 0; s < num; s++) {
    PetscReal total = 1;

    for (PetscInt d = 0; d < 3; d++) {
      const PetscInt copies = specs[s].shape.copies[d];
      AbutSpecCheck(copies >= 1, &specs[s], "copies[%" PetscInt_FMT "] is %" PetscInt_FMT "; it must be at least 1", d, copies);
      AbutSpecCheck(d < dim || copies == 1, &specs[s], "copies[2] is %" PetscInt_FMT "; in 2D it must be 1", copies);
      total *= (PetscReal)copies;
    }
    AbutSpecCheck(total < (PetscReal)PETSC_MAX_INT, &specs[s], "%g copies exceed the range of indices", (double)total);
    AbutSpecCheck(specs[s].shape.order >= 0 && specs[s].shape.order <= 2, &specs[s],
                  "order is %" PetscInt_FMT "; it must be 1 (linear), 2 (quadratic) or 0 (of the file)", specs[s].shape.order);
    AbutSpecCheck(specs[s].shape.order < 2 || !specs[s].obstacle, &specs[s], "%s",
                  "order is 2; an obstacle is a piecewise linear surface and has order 1");
    AbutSpecCheck(!specs[s].num_regions || (!specs[s].obstacle && specs[s].shape.kind == ABUT_SHAPE_FILE), &specs[s], "%s",
                  "has regions, which only bodies from a mesh file can have");
    for (PetscInt other = 0; other < s; other++)
      AbutSpecCheck(!specs[s].name[0] || strcmp(specs[s].name, specs[other].name), &specs[s],
                    "another body or obstacle has the same name%s%s", specs[other].place[0] ? ", see " : "", specs[other].place);
  }
  PetscFunctionReturn(0);
}

/* Broadcasts the names of groups from rank 0. */
static PetscErrorCode ShareNames(MPI_Comm comm, PetscInt num, AbutGroups *groups)
{
  PetscMPIInt bytes;

  PetscFunctionBegin;
  if (!num) PetscFunctionReturn(0);
  if (groups->capacity < num) PetscCall(PetscRealloc(sizeof(*groups->names) * (size_t)num, &groups->names));
  groups->capacity  = PetscMax(groups->capacity, num);
  groups->num_names = num;
  PetscCall(PetscMPIIntCast(num * ABUT_GROUP_NAME, &bytes));
  PetscCallMPI(MPI_Bcast(groups->names, bytes, MPI_CHAR, 0, comm));
  PetscFunctionReturn(0);
}

/* Counts the entities of a shape over all ranks. Rank 0 has the names of groups and the orientation. */
static PetscErrorCode CountShape(const AbutBlocks *m, AbutShape *shape, PetscInt head[NUM_HEAD], AbutRange own[NUM_KINDS])
{
  const PetscInt kinds[NUM_KINDS] = {shape->num_vertices, shape->num_cells, shape->num_faces, shape->num_edges, shape->num_points};
  PetscInt       end[NUM_KINDS + 3];

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(end, kinds, NUM_KINDS));
  end[NUM_KINDS]     = m->rank ? 0 : (PetscInt)shape->oriented;
  end[NUM_KINDS + 1] = m->rank ? 0 : shape->groups.num_names;
  end[NUM_KINDS + 2] = shape->middles ? 1 : 0;
  PetscCallMPI(MPI_Scan(MPI_IN_PLACE, end, NUM_KINDS + 3, MPIU_INT, MPI_SUM, m->comm));
  for (PetscInt k = 0; k < NUM_KINDS; k++) own[k] = (AbutRange){end[k] - kinds[k], end[k]};
  PetscCallMPI(MPI_Bcast(end, NUM_KINDS + 3, MPIU_INT, m->size - 1, m->comm));
  PetscCall(PetscArraycpy(head, end, NUM_KINDS));
  head[ORIENTED]  = end[NUM_KINDS];
  head[QUADRATIC] = end[NUM_KINDS + 2] ? 1 : 0;
  PetscCall(ShareNames(m->comm, end[NUM_KINDS + 1], &shape->groups));
  PetscFunctionReturn(0);
}

/* Checks and counts a generated body on rank 0. */
static PetscErrorCode CountGenerated(PetscInt dim, const AbutBodySpec *spec, AbutShape *shape)
{
  PetscFunctionBegin;
  PetscCall(AbutShapeGenerateCount(spec, dim, &shape->num_vertices, &shape->num_cells));
  PetscCall(AbutShapeCheckPlacement(spec, dim));
  shape->oriented = spec->oriented;
  PetscFunctionReturn(0);
}

/* Reads or generates a shape, or counts a generated body. */
static PetscErrorCode CreateShape(const AbutBlocks *m, Input *input, PetscInt s)
{
  const AbutBodySpec *spec  = &input->specs[s];
  AbutShape          *shape = &input->shapes[s];
  PetscBool           found = PETSC_FALSE;

  PetscFunctionBegin;
  input->head[s][READ] = spec->obstacle || spec->shape.kind == ABUT_SHAPE_FILE;
  if (spec->obstacle)
    PetscCall(AbutAgree(m->comm, m->rank ? 0 : AbutShapeCreate(PETSC_COMM_SELF, spec, m->dim, shape)));
  else if (input->head[s][READ])
    PetscCall(AbutShapeCreate(m->comm, spec, m->dim, shape));
  else
    PetscCall(AbutAgree(m->comm, m->rank ? 0 : CountGenerated(m->dim, spec, shape)));
  if (spec->shape.corners && input->head[s][READ]) PetscCall(AbutShapeTakeCorners(m->comm, m->dim, shape, &found));
  PetscCall(CountShape(m, shape, input->head[s], input->own[s]));
  input->head[s][CORNERS] = found;
  AbutSpecCheck(!input->head[s][QUADRATIC] || spec->shape.order != 1, spec,
                "order is 1, but %s has quadratic cells; remove the key `order`, or use a file with linear cells", spec->shape.path);
  PetscFunctionReturn(0);
}

/* Counts all entities; an error if a number of entities, or of sides of cells, exceeds PetscInt. */
static PetscErrorCode CountAll(Input *input)
{
  PetscReal total[NUM_KINDS] = {0}, bodies = 0, largest;
  PetscBool quadratic = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < input->num; s++) {
    if (input->head[s][QUADRATIC] || input->specs[s].shape.order == 2) quadratic = PETSC_TRUE;
    for (PetscInt k = 0; k < NUM_KINDS; k++) total[k] += (PetscReal)AbutNumCopies(&input->specs[s]) * (PetscReal)input->head[s][k];
    bodies += (PetscReal)AbutNumCopies(&input->specs[s]);
  }
  largest = PetscMax(4 * PetscMax(total[VERTICES], total[CELLS]), PetscMax(3 * (total[EDGES] + total[FACES]), bodies));
  if (quadratic) largest = PetscMax(largest, 16 * total[CELLS]); /* triangles of the sides of quadratic cells */
  AbutCheck(largest < (PetscReal)PETSC_MAX_INT, ABUT_ERR_INPUT,
            "the scene has %g vertices and %g cells in %g bodies, more than the indices of this PETSc can number (%" PetscInt_FMT
            "); use one with 64-bit indices",
            (double)total[VERTICES], (double)total[CELLS], (double)bodies, PETSC_MAX_INT);
  for (PetscInt k = 0; k < NUM_KINDS; k++) input->total[k] = (PetscInt)total[k];
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateShapes(const AbutBlocks *m, Input *input)
{
  PetscFunctionBegin;
  PetscCall(CheckSpecs(m->dim, input->num, input->specs));
  for (PetscInt s = 0; s < input->num; s++) PetscCall(CreateShape(m, input, s));
  PetscCall(CountAll(input));
  PetscFunctionReturn(0);
}

static PetscErrorCode CreateBody(const AbutBodySpec *spec, const PetscInt head[NUM_HEAD], PetscInt dim, const PetscInt ijk[3],
                                 const Cursor *cursor, AbutBody *body)
{
  PetscFunctionBegin;
  if (AbutNumCopies(spec) > 1)
    PetscCall(PetscSNPrintf(body->name, sizeof(body->name), "%s[%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT "]", spec->name, ijk[0],
                            ijk[1], ijk[2]));
  else
    PetscCall(PetscStrncpy(body->name, spec->name, sizeof(body->name)));
  body->obstacle     = spec->obstacle;
  body->oriented     = (AbutOrientation)head[ORIENTED];
  body->order        = spec->shape.order == 2 || head[QUADRATIC] || head[CORNERS] ? 2 : 1;
  body->surface_dim  = head[CELLS] ? dim - 1 : head[FACES] ? 2 : head[EDGES] ? 1 : 0;
  body->material     = spec->obstacle ? -1 : spec->material;
  body->surface      = spec->surface;
  body->vertex_start = cursor->at[VERTICES];
  body->vertex_end   = cursor->at[VERTICES] + head[VERTICES];
  body->cell_start   = cursor->at[CELLS];
  body->cell_end     = cursor->at[CELLS] + head[CELLS];
  PetscCall(PetscArraycpy(body->velocity, spec->velocity, 3));
  PetscCall(PetscArraycpy(body->angular_velocity, spec->angular_velocity, 3));
  body->num_regions = spec->num_regions;
  body->regions     = spec->regions;
  PetscFunctionReturn(0);
}

/* Adds the groups of a copy. */
static PetscErrorCode AddGroups(const AbutShape *shape, PetscInt first_vertex, AbutGroups *groups)
{
  PetscInt *renumber;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(shape->groups.num_names, &renumber));
  for (PetscInt g = 0; g < shape->groups.num_names; g++) PetscCall(AbutGroupsFind(groups, shape->groups.names[g], &renumber[g]));
  for (PetscInt i = 0; i < shape->groups.marks.n; i += 2)
    PetscCall(
      AbutIntsPush(&groups->marks, 2, (PetscInt[]){renumber[shape->groups.marks.a[i]], shape->groups.marks.a[i + 1] + first_vertex}));
  for (PetscInt i = 0; i < shape->groups.edges.n; i += 3) {
    const PetscInt *edge = &shape->groups.edges.a[i];
    PetscCall(AbutIntsPush(&groups->edges, 3, (PetscInt[]){renumber[edge[0]], edge[1] + first_vertex, edge[2] + first_vertex}));
  }
  PetscCall(PetscFree(renumber));
  PetscFunctionReturn(0);
}

/* Numbers that a rank's block of 0, ..., total - 1 and `range` have in common. */
static AbutRange InBlock(AbutRange range, PetscInt total, PetscMPIInt rank, PetscMPIInt size)
{
  const PetscInt begin = PetscMax(range.begin, AbutBlockStart(total, rank, size)),
                 end   = PetscMin(range.end, AbutBlockStart(total, rank + 1, size));

  return (AbutRange){begin, PetscMax(begin, end)};
}

/*
  Sends rows of a copy to the ranks that have them in their blocks of a table of `total` rows. copy: rows of the copy in the table; own:
  rows of this rank; row: [bytes]. Returns the rows in the block of this rank. Collective.
*/
static PetscErrorCode ScatterRows(const AbutBlocks *m, size_t row, PetscInt total, AbutRange copy, AbutRange own, const void *rows,
                                  void *block, AbutRange *mine)
{
  const PetscMPIInt first = own.begin < own.end ? AbutBlockOwner(total, own.begin, m->size) : 0,
                    num   = own.begin < own.end ? AbutBlockOwner(total, own.end - 1, m->size) - first + 1 : 0;
  PetscMPIInt *to;
  PetscInt    *start;
  AbutExchange exchange;

  PetscFunctionBegin;
  *mine = InBlock(copy, total, m->rank, m->size);
  PetscCall(PetscMalloc2(num, &to, num + 1, &start));
  start[0] = 0;
  for (PetscMPIInt r = 0; r < num; r++) {
    const AbutRange part = InBlock(own, total, first + r, m->size);

    to[r]        = first + r;
    start[r + 1] = start[r] + part.end - part.begin;
  }
  PetscCall(AbutExchangeCreate(m->comm, num, to, start, &exchange));
  block = (char *)block + row * (size_t)(mine->begin - AbutBlockStart(total, m->rank, m->size));
  PetscCall(AbutExchangeForward(&exchange, row, rows, block));
  PetscCall(AbutExchangeDestroy(&exchange));
  PetscCall(PetscFree2(to, start));
  PetscFunctionReturn(0);
}

/* A copy of a shape. */
typedef struct {
  const Input  *input;
  const Cursor *cursor;
  PetscInt      s; /* index of the shape */
} Copy;

/* Sends the entities of one kind of a copy; row: [bytes]. */
static PetscErrorCode ScatterKind(const AbutBlocks *m, const Copy *copy, PetscInt kind, size_t row, const void *rows, void *block,
                                  AbutRange *mine)
{
  const PetscInt  at = copy->cursor->at[kind], total = copy->input->total[kind];
  const AbutRange own = copy->input->own[copy->s][kind], all = {at, at + copy->input->head[copy->s][kind]};

  return ScatterRows(m, row, total, all, (AbutRange){at + own.begin, at + own.end}, rows, block, mine);
}

/* Sends simplices of a copy and adds the first vertex of the copy to their vertices. */
static PetscErrorCode ScatterSimplices(const AbutBlocks *m, const Copy *copy, PetscInt kind, const PetscInt rows[],
                                       AbutSimplices *simplices)
{
  const PetscInt w = simplices->width;
  AbutRange      mine;

  PetscFunctionBegin;
  if (!copy->input->head[copy->s][kind]) PetscFunctionReturn(0);
  PetscCall(ScatterKind(m, copy, kind, (size_t)w * sizeof(PetscInt), rows, simplices->vertex, &mine));
  for (PetscInt i = (mine.begin - simplices->first) * w; i < (mine.end - simplices->first) * w; i++)
    simplices->vertex[i] += copy->cursor->at[VERTICES];
  PetscFunctionReturn(0);
}

/* Distributes one copy of a shape that is not generated. */
static PetscErrorCode ScatterCopy(AbutBlocks *m, const Input *input, const Cursor *cursor, PetscInt s)
{
  const AbutShape *shape = &input->shapes[s];
  const Copy       copy  = {input, cursor, s};
  AbutRange        mine;

  PetscFunctionBegin;
  PetscCall(ScatterKind(m, &copy, VERTICES, 3 * sizeof(PetscReal), shape->x, m->x, &mine));
  PetscCall(ScatterSimplices(m, &copy, CELLS, shape->cells, &m->cells));
  if (input->head[s][QUADRATIC]) PetscCall(ScatterSimplices(m, &copy, CELLS, shape->middles, &m->middles));
  if (input->specs[s].num_regions) PetscCall(ScatterKind(m, &copy, CELLS, sizeof(PetscInt), shape->regions, m->regions.vertex, &mine));
  PetscCall(ScatterSimplices(m, &copy, POINTS, shape->points, &m->points));
  PetscCall(ScatterSimplices(m, &copy, EDGES, shape->edges, m->dim == 3 ? &m->edges : &m->obstacle_sides));
  if (m->dim == 3) PetscCall(ScatterSimplices(m, &copy, FACES, shape->faces, &m->obstacle_sides));
  PetscCall(AddGroups(shape, cursor->at[VERTICES], &m->groups));
  PetscFunctionReturn(0);
}

/* Generates the part of one copy that is in the block of this rank. */
static PetscErrorCode GenerateCopy(AbutBlocks *m, const Input *input, const Cursor *cursor, PetscInt s, const PetscReal mean[3])
{
  const PetscInt  v0 = cursor->at[VERTICES], c0 = cursor->at[CELLS], w = m->cells.width;
  const AbutRange vertices = InBlock((AbutRange){v0, v0 + input->head[s][VERTICES]}, m->num_vertices, m->rank, m->size),
                  cells    = InBlock((AbutRange){c0, c0 + input->head[s][CELLS]}, m->total.cells, m->rank, m->size);
  AbutShape part           = {0};

  PetscFunctionBegin;
  PetscCall(AbutShapeGenerate(&input->specs[s], m->dim, (AbutRange){vertices.begin - v0, vertices.end - v0},
                              (AbutRange){cells.begin - c0, cells.end - c0}, &part));
  AbutShapePlace(&input->specs[s], m->dim, mean, &part);
  PetscCall(PetscArraycpy(&m->x[3 * (vertices.begin - m->first)], part.x, 3 * part.num_vertices));
  for (PetscInt i = 0; i < part.num_cells * w; i++) m->cells.vertex[(cells.begin - m->cells.first) * w + i] = part.cells[i] + v0;
  PetscCall(AbutShapeFree(&part));
  PetscFunctionReturn(0);
}

/* Moves the vertices of a copy and enlarges its bounding box. */
static void ShiftCopy(AbutBlocks *m, const PetscReal spacing[3], const PetscInt ijk[3], AbutBody *body)
{
  const AbutRange mine = InBlock((AbutRange){body->vertex_start, body->vertex_end}, m->num_vertices, m->rank, m->size);

  for (PetscInt d = 0; d < m->dim; d++) {
    body->box[0][d] = PETSC_MAX_REAL;
    body->box[1][d] = PETSC_MIN_REAL;
  }
  for (PetscInt v = mine.begin - m->first; v < mine.end - m->first; v++) {
    for (PetscInt d = 0; d < m->dim; d++) {
      PetscReal *x = &m->x[3 * v + d];
      *x += (PetscReal)ijk[d] * spacing[d];
      body->box[0][d] = PetscMin(body->box[0][d], *x);
      body->box[1][d] = PetscMax(body->box[1][d], *x);
    }
  }
}

/* Creates all copies of a shape. */
static PetscErrorCode AddShape(AbutBlocks *m, Input *input, PetscInt s, Cursor *cursor)
{
  const AbutBodySpec *spec    = &input->specs[s];
  const PetscInt     *copies  = spec->shape.copies;
  PetscReal           mean[3] = {0, 0, 0};

  PetscFunctionBegin;
  if (!input->head[s][READ] && spec->shape.center) PetscCall(AbutShapeGenerateMean(spec, m->dim, mean));
  for (PetscInt c = 0; c < AbutNumCopies(spec); c++) {
    const PetscInt ijk[3] = {c / copies[2] / copies[1], c / copies[2] % copies[1], c % copies[2]};
    AbutBody      *body   = &m->bodies[cursor->body];

    PetscCall(CreateBody(spec, input->head[s], m->dim, ijk, cursor, body));
    PetscCall(input->head[s][READ] ? ScatterCopy(m, input, cursor, s) : GenerateCopy(m, input, cursor, s, mean));
    ShiftCopy(m, spec->shape.spacing, ijk, body);
    cursor->body++;
    for (PetscInt k = 0; k < NUM_KINDS; k++) cursor->at[k] += input->head[s][k];
  }
  PetscCall(AbutShapeFree(&input->shapes[s])); /* after each shape, which bounds the memory */
  PetscFunctionReturn(0);
}

/* Diagonal of the bounding box of all deformable bodies. */
static PetscReal Diagonal(const AbutBlocks *m)
{
  PetscReal sum = 0;

  for (PetscInt d = 0; d < m->dim; d++) {
    PetscReal least = PETSC_MAX_REAL, most = PETSC_MIN_REAL;
    for (PetscInt b = 0; b < m->num_bodies; b++) {
      if (m->bodies[b].obstacle) continue;
      least = PetscMin(least, m->bodies[b].box[0][d]);
      most  = PetscMax(most, m->bodies[b].box[1][d]);
    }
    sum += most > least ? PetscSqr(most - least) : 0;
  }
  return PetscSqrtReal(sum);
}

PetscErrorCode AbutBlocksReduceBoxes(AbutBlocks *m)
{
  const PetscInt n = 3 * m->num_bodies;
  PetscReal     *low, *high;
  PetscMPIInt    count;

  PetscFunctionBegin;
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc2(n, &low, n, &high));
  for (PetscInt i = 0; i < n; i++) {
    low[i]  = m->bodies[i / 3].box[0][i % 3];
    high[i] = m->bodies[i / 3].box[1][i % 3];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, low, count, MPIU_REAL, MPIU_MIN, m->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, high, count, MPIU_REAL, MPIU_MAX, m->comm));
  for (PetscInt i = 0; i < n; i++) { /* + 0 turns a negative zero, whose reduction depends on the order, into 0 */
    m->bodies[i / 3].box[0][i % 3] = low[i] + 0.;
    m->bodies[i / 3].box[1][i % 3] = high[i] + 0.;
  }
  PetscCall(PetscFree2(low, high));
  m->diagonal = Diagonal(m);
  PetscFunctionReturn(0);
}

static PetscErrorCode AllocateSimplices(const AbutBlocks *m, PetscInt total, PetscInt width, AbutSimplices *simplices)
{
  PetscFunctionBegin;
  simplices->first = AbutBlockStart(total, m->rank, m->size);
  simplices->n     = AbutBlockStart(total, m->rank + 1, m->size) - simplices->first;
  simplices->width = width;
  PetscCall(PetscMalloc1(simplices->n * width, &simplices->vertex));
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(AbutBlocks *m, const Input *input)
{
  const PetscInt *total = input->total;

  PetscFunctionBegin;
  m->num_vertices = total[VERTICES];
  m->total.cells  = total[CELLS];
  m->first        = AbutBlockStart(m->num_vertices, m->rank, m->size);
  m->n            = AbutBlockStart(m->num_vertices, m->rank + 1, m->size) - m->first;
  for (PetscInt s = 0; s < input->num; s++) m->num_bodies += AbutNumCopies(&input->specs[s]);
  PetscCall(PetscCalloc1(m->num_bodies, &m->bodies));
  PetscCall(PetscMalloc1(3 * m->n, &m->x));
  PetscCall(PetscCalloc1(m->n, &m->on_surface));
  PetscCall(AllocateSimplices(m, total[CELLS], m->dim + 1, &m->cells));
  for (PetscInt s = 0; s < input->num; s++)
    if (!m->middles.width && (input->head[s][QUADRATIC] || input->specs[s].shape.order == 2))
      PetscCall(AllocateSimplices(m, total[CELLS], AbutNumCellEdges(m->dim), &m->middles));
  for (PetscInt i = 0; i < m->middles.n * m->middles.width; i++) m->middles.vertex[i] = -1;
  for (PetscInt s = 0; s < input->num; s++)
    if (!m->regions.width && input->specs[s].num_regions) PetscCall(AllocateSimplices(m, total[CELLS], 1, &m->regions));
  for (PetscInt i = 0; i < m->regions.n * m->regions.width; i++) m->regions.vertex[i] = -1;
  PetscCall(AllocateSimplices(m, total[m->dim == 3 ? FACES : EDGES], m->dim, &m->obstacle_sides));
  PetscCall(AllocateSimplices(m, m->dim == 3 ? total[EDGES] : 0, 2, &m->edges));
  PetscCall(AllocateSimplices(m, total[POINTS], 1, &m->points));
  PetscFunctionReturn(0);
}

/* Fills the blocks from the shapes. */
static PetscErrorCode Fill(AbutBlocks *m, Input *input)
{
  Cursor cursor = {0};

  PetscFunctionBegin;
  PetscCall(Allocate(m, input));
  for (PetscInt s = 0; s < input->num; s++) PetscCall(AddShape(m, input, s, &cursor));
  PetscCall(AbutBlocksReduceBoxes(m));
  PetscFunctionReturn(0);
}

static PetscErrorCode Begin(MPI_Comm comm, PetscInt dim, AbutBlocks *m)
{
  PetscFunctionBegin;
  *m = (AbutBlocks){.comm = comm, .dim = dim};
  PetscCallMPI(MPI_Comm_rank(comm, &m->rank));
  PetscCallMPI(MPI_Comm_size(comm, &m->size));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutBlocksCreate(MPI_Comm comm, PetscInt dim, PetscInt num_specs, const AbutBodySpec specs[], AbutBlocks *m)
{
  Input          input = {.num = num_specs, .specs = specs};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(Begin(comm, dim, m));
  PetscCall(PetscCalloc1(num_specs, &input.shapes));
  PetscCall(PetscMalloc(sizeof(*input.head) * (size_t)num_specs, &input.head));
  PetscCall(PetscMalloc(sizeof(*input.own) * (size_t)num_specs, &input.own));
  ierr = CreateShapes(m, &input);
  for (PetscInt s = 0; s < num_specs && !ierr; s++) m->from_files = (PetscBool)(m->from_files || input.head[s][QUADRATIC]);
  if (!ierr) PetscCall(Fill(m, &input));
  for (PetscInt s = 0; s < num_specs; s++) PetscCall(AbutShapeFree(&input.shapes[s]));
  PetscCall(PetscFree(input.shapes));
  PetscCall(PetscFree(input.head));
  PetscCall(PetscFree(input.own));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutBlocksCreateFromShape(MPI_Comm comm, PetscInt dim, const AbutBodySpec *spec, AbutShape *shape, AbutBlocks *m)
{
  PetscInt       head[1][NUM_HEAD] = {{0}};
  AbutRange      own[1][NUM_KINDS];
  Input          input = {.num = 1, .specs = spec, .shapes = shape, .head = head, .own = own};
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(Begin(comm, dim, m));
  head[0][READ] = 1;
  PetscCall(CountShape(m, shape, head[0], own[0]));
  ierr = CountAll(&input);
  if (!ierr) PetscCall(Fill(m, &input));
  PetscCall(AbutShapeFree(shape));
  PetscFunctionReturn(ierr);
}

PetscErrorCode AbutBlocksFree(AbutBlocks *m)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(m->bodies));
  PetscCall(PetscFree(m->x));
  PetscCall(PetscFree(m->on_surface));
  PetscCall(PetscFree(m->cells.vertex));
  PetscCall(PetscFree(m->middles.vertex));
  PetscCall(PetscFree(m->regions.vertex));
  PetscCall(PetscFree(m->sides.vertex));
  PetscCall(PetscFree(m->obstacle_sides.vertex));
  PetscCall(PetscFree(m->edges.vertex));
  PetscCall(PetscFree(m->points.vertex));
  PetscCall(AbutGroupsFree(&m->groups));
  PetscFunctionReturn(0);
}
