/*
  Refuses a scene whose surfaces intersect or touch at the start. Bodies touch if their surfaces are apart once the bodies are shrunk by a
  millionth of their size; else they intersect.
*/
#include "app.h"

#define SHRINKAGE 1e-6 /* of the diagonal of a body: far above round-off of positions, far below the edges of cells */

/* The intersections of lowest ids of all ranks, and whether the bodies of each one touch only. */
typedef struct {
  PetscInt         num, count; /* listed, of all */
  AbutIntersection first[LINES_MAX];
  PetscBool        touch[LINES_MAX];
} Listed;

/* The first intersections of all ranks, the same on all ranks. Collective. */
static PetscErrorCode GatherFirst(MPI_Comm comm, PetscInt local_count, const AbutIntersection local[], Listed *listed)
{
  const PetscMPIInt bytes = (PetscMPIInt)sizeof(listed->first);
  AbutIntersection *all;
  PetscMPIInt       size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc1(LINES_MAX * (size_t)size, &all));
  for (PetscInt k = 0; k < LINES_MAX; k++)
    listed->first[k] = k < local_count ? local[k] : (AbutIntersection){.edge = {PETSC_MAX_INT, PETSC_MAX_INT}};
  PetscCallMPI(MPI_Allgather(listed->first, bytes, MPI_BYTE, all, bytes, MPI_BYTE, comm));
  PetscCall(AbutSortRecords(LINES_MAX * size, sizeof(*all), ABUT_INTERSECTION_KEYS, all));
  PetscCall(PetscArraycpy(listed->first, all, LINES_MAX));
  PetscCall(PetscFree(all));
  for (listed->num = 0; listed->num < LINES_MAX && listed->first[listed->num].edge[0] != PETSC_MAX_INT;) listed->num++;
  PetscFunctionReturn(0);
}

/* Sums of the outward normals of the surface elements at the vertices [num_local * dim], ghosts current. Collective. */
static PetscErrorCode AddNormals(const Model *model, const PetscReal x[], PetscReal normal[])
{
  const AbutMeshLocal *m   = model->sim.local;
  const PetscInt       dim = m->dim, num = AbutNumFacets(m), *v = AbutFacets(m);

  PetscFunctionBegin;
  for (PetscInt f = 0; f < num; f++) {
    PetscReal n[3];

    AbutFacetNormal(dim, x, &v[dim * f], n);
    for (PetscInt k = 0; k < dim; k++)
      for (PetscInt i = 0; i < dim; i++) normal[dim * v[dim * f + k] + i] += n[i];
  }
  PetscCall(AbutMeshReduceAdd(model->sim.mesh, dim, normal));
  PetscCall(AbutMeshUpdateGhosts(model->sim.mesh, dim, normal));
  PetscFunctionReturn(0);
}

/* Moves the surfaces of all bodies inwards; obstacles stay. Collective. */
static PetscErrorCode Shrink(const Model *model, const PetscReal x[], PetscReal **shrunk)
{
  const AbutMeshLocal *m   = model->sim.local;
  const PetscInt       dim = m->dim;
  PetscReal           *normal;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(dim * m->num_local, shrunk));
  PetscCall(PetscArraycpy(*shrunk, x, dim * m->num_local));
  PetscCall(PetscCalloc1(dim * m->num_local, &normal));
  PetscCall(AddNormals(model, x, normal));
  for (PetscInt v = 0; v < m->num_local; v++) {
    const AbutBody *body = &m->bodies[m->vertex_body[v]];
    const PetscReal by   = SHRINKAGE * AbutBodyDiagonal(dim, body);

    if (body->obstacle || AbutNormalize(dim, &normal[dim * v]) <= 0) continue;
    for (PetscInt i = 0; i < dim; i++) (*shrunk)[dim * v + i] -= by * normal[dim * v + i];
  }
  PetscCall(PetscFree(normal));
  PetscFunctionReturn(0);
}

/* Whether two intersections are of the same bodies, or of the same body and plane. */
static PetscBool AreOfSameBodies(const AbutIntersection *a, const AbutIntersection *b)
{
  if (a->body[1] < 0 || b->body[1] < 0)
    return (PetscBool)(a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->face[0] == b->face[0]);
  return (PetscBool)(PetscMin(a->body[0], a->body[1]) == PetscMin(b->body[0], b->body[1]) &&
                     PetscMax(a->body[0], a->body[1]) == PetscMax(b->body[0], b->body[1]));
}

/* If all listed ones only touch, the first of the intersections that remain takes the first place, which the message names. Collective. */
static PetscErrorCode PutIntersectionFirst(MPI_Comm comm, PetscInt num, const AbutIntersection remaining[], Listed *listed)
{
  Listed others = {.count = 0};

  PetscFunctionBegin;
  PetscCall(GatherFirst(comm, num, remaining, &others));
  for (PetscInt k = 0; k < listed->num; k++)
    if (!listed->touch[k]) PetscFunctionReturn(0);
  if (others.num == 0) PetscFunctionReturn(0);
  listed->first[0] = others.first[0];
  listed->touch[0] = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Finds which of the listed intersections are of bodies that touch only. *left: intersections of the shrunk bodies. Collective. */
static PetscErrorCode FindTouches(Model *model, const PetscReal x[], Listed *listed, PetscInt *left)
{
  PetscReal        *shrunk;
  PetscInt          num, stored;
  AbutIntersection *crossings;
  PetscMPIInt       touch[LINES_MAX];

  PetscFunctionBegin;
  PetscCall(Shrink(model, x, &shrunk));
  PetscCall(ModelCheckCrossings(model, shrunk, left, &num, &crossings));
  PetscCallMPI(MPI_Allreduce(&num, &stored, 1, MPIU_INT, MPI_SUM, model->comm));
  for (PetscInt k = 0; k < LINES_MAX; k++) {
    touch[k] = stored == *left; /* a check reports a limited number */
    for (PetscInt i = 0; i < num && k < listed->num; i++)
      if (AreOfSameBodies(&listed->first[k], &crossings[i])) touch[k] = 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, touch, LINES_MAX, MPI_INT, MPI_MIN, model->comm));
  for (PetscInt k = 0; k < LINES_MAX; k++) listed->touch[k] = (PetscBool)touch[k];
  PetscCall(PutIntersectionFirst(model->comm, num, crossings, listed));
  PetscCall(PetscFree(crossings));
  PetscCall(PetscFree(shrunk));
  PetscFunctionReturn(0);
}

/* Describes an intersection by vertex ids and names. */
static PetscErrorCode Describe(const Model *model, const AbutIntersection *c, PetscBool touch, char text[], size_t length)
{
  const AbutBody *bodies    = model->sim.local->bodies;
  const PetscBool triangle  = (PetscBool)(c->face[2] >= 0);
  char            third[32] = "";

  PetscFunctionBegin;
  if (c->edge[1] < 0) {
    PetscCall(PetscSNPrintf(text, length, "vertex %" PetscInt_FMT " of '%s' %s plane '%s'", c->edge[0], bodies[c->body[0]].name,
                            touch ? "touches" : "lies behind", model->scene->planes[c->face[0]].name));
    PetscFunctionReturn(0);
  }
  if (triangle) PetscCall(PetscSNPrintf(third, sizeof(third), ", %" PetscInt_FMT, c->face[2]));
  PetscCall(PetscSNPrintf(text, length,
                          "edge (%" PetscInt_FMT ", %" PetscInt_FMT ") of '%s' %s %s (%" PetscInt_FMT ", %" PetscInt_FMT "%s) of '%s'",
                          c->edge[0], c->edge[1], bodies[c->body[0]].name, touch ? "touches" : "crosses", triangle ? "triangle" : "edge",
                          c->face[0], c->face[1], third, bodies[c->body[1]].name));
  PetscFunctionReturn(0);
}

/* Prints a line for each listed intersection, and the number of all. */
static PetscErrorCode PrintListed(const Model *model, const Listed *listed)
{
  char text[512];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < listed->num; k++) {
    PetscCall(Describe(model, &listed->first[k], listed->touch[k], text, sizeof(text)));
    PetscCall(PetscPrintf(model->comm, "  %s\n", text));
  }
  if (listed->count > listed->num)
    PetscCall(
      PetscPrintf(model->comm, "  and %" PetscInt_FMT " more, %" PetscInt_FMT " in all\n", listed->count - listed->num, listed->count));
  PetscFunctionReturn(0);
}

/* Whether the surface of a body may lie outside of its curved boundary: vertices on edges of quadratic cells do. */
static PetscBool Protrudes(const Model *model, PetscInt body)
{
  return (PetscBool)(body >= 0 && model->sim.local->bodies[body].order == 2);
}

/* What to do about it. Nothing moves parts of one body apart. */
static PetscErrorCode Advise(const Model *model, const AbutIntersection *first, PetscBool touch, char text[], size_t length)
{
  const PetscBool apart                            = (PetscBool)(first->body[0] != first->body[1]);
  char            command[PETSC_MAX_PATH_LEN + 32] = "";
  char           *end;

  PetscFunctionBegin;
  text[0] = '\0';
  if (apart) CommandThatSeparates(model->scene->path, sizeof(command), command);
  if (touch)
    PetscCall(PetscSNPrintf(text, length, "; start them dhat apart (%g m)%s%s%s", (double)ModelGetActivationDistance(model),
                            command[0] ? ", or use " : "", command, command[0] ? " -o DIR" : ""));
  else if (command[0])
    PetscCall(PetscSNPrintf(text, length, "; to move the bodies apart: %s -o DIR", command));
  end = text + strlen(text);
  if (Protrudes(model, first->body[0]) || (apart && Protrudes(model, first->body[1])))
    PetscCall(PetscSNPrintf(end, length - strlen(text),
                            "; where a boundary is curved, the surface of quadratic cells lies outside of it by up to h^2/(24 R), with "
                            "edges of length h and radius R"));
  PetscFunctionReturn(0);
}

PetscErrorCode CrossingsRefuse(Model *model, const PetscReal x[], PetscInt count, PetscInt local_count, const AbutIntersection crossings[],
                               const char directory[], PetscBool list)
{
  Listed   listed = {.count = count};
  PetscInt left, named                             = 0;
  char     text[512], all[PETSC_MAX_PATH_LEN + 64] = "", advice[PETSC_MAX_PATH_LEN + 256];

  PetscFunctionBegin;
  PetscCall(GatherFirst(model->comm, local_count, crossings, &listed));
  PetscCall(FindTouches(model, x, &listed, &left));
  if (list) PetscCall(PrintListed(model, &listed));
  if (list) PetscCall(PrintDepths(model, x));
  while (left && listed.touch[named]) named++; /* one of them intersects */
  PetscCall(Describe(model, &listed.first[named], listed.touch[named], text, sizeof(text)));
  if (directory[0]) PetscCall(PetscSNPrintf(all, sizeof(all), " (all in %s/intersections.xdmf)", directory));
  PetscCall(Advise(model, &listed.first[named], (PetscBool)!left, advice, sizeof(advice)));
  PetscFunctionReturn(AbutErrorSet(ABUT_ERR_INTERSECTION, "%s: %s %" PetscInt_FMT " %s, none is allowed; one of them: %s%s%s",
                                   model->scene->path, left ? "the scene starts with" : "bodies touch at the start in", count,
                                   left ? "intersection(s)" : "place(s)", text, all, advice));
}
