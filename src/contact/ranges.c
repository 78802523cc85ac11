/* Numbers of primitives that travel with them: the smallest that any rank says. */
#include "rings.h"

/* A vertex, edge or face by numbers that all ranks know it by, at a rank that all agree on, and what is said about it. */
typedef struct {
  PetscInt  key[3];
  PetscReal value;
} Say;

static int CompareKeys(const PetscInt a[3], const PetscInt b[3])
{
  for (int i = 0; i < 3; i++) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

static int ComparePointers(const void *a, const void *b)
{
  return CompareKeys((*(const Say *const *)a)->key, (*(const Say *const *)b)->key);
}

/* Gives all that is said about one primitive its smallest value. */
static PetscErrorCode TakeSmallest(PetscInt n, Say say[])
{
  Say **sorted;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &sorted));
  for (PetscInt i = 0; i < n; i++) sorted[i] = &say[i];
  qsort(sorted, (size_t)n, sizeof(*sorted), ComparePointers);
  for (PetscInt i = 0, end; i < n; i = end) {
    PetscReal least = PETSC_INFINITY;

    for (end = i; end < n && CompareKeys(sorted[end]->key, sorted[i]->key) == 0; end++) least = PetscMin(least, sorted[end]->value);
    for (PetscInt j = i; j < end; j++) sorted[j]->value = least;
  }
  PetscCall(PetscFree(sorted));
  PetscFunctionReturn(0);
}

/* Owners decide, and tell everybody that said something. */
static PetscErrorCode Agree(AbutContact contact, PetscInt n, Say say[])
{
  PetscMPIInt *to, *back;
  PetscInt    *place;
  AbutMail     said, answers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &to, contact->size + 1, &place));
  PetscCall(PetscArrayzero(place, contact->size + 1));
  for (PetscInt i = 0; i < n; i++) place[(to[i] = AbutOwnerOf(contact, say[i].key[1])) + 1]++;
  for (PetscMPIInt r = 0; r < contact->size; r++) place[r + 1] += place[r];
  PetscCall(AbutDeliver(contact, sizeof(Say), n, to, say, &said));
  PetscCall(TakeSmallest(said.n, (Say *)said.records));
  PetscCall(PetscMalloc1(said.n, &back));
  for (PetscMPIInt r = 0; r < contact->size; r++) {
    for (PetscInt i = said.start[r]; i < said.start[r + 1]; i++) back[i] = r;
  }
  PetscCall(AbutDeliver(contact, sizeof(Say), said.n, back, said.records, &answers));
  for (PetscInt i = 0; i < n; i++) say[i] = ((const Say *)answers.records)[place[to[i]]++];
  PetscCall(PetscFree(back));
  PetscCall(PetscFree2(to, place));
  PetscCall(AbutMailFree(&said));
  PetscCall(AbutMailFree(&answers));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutContactSetRanges(AbutContact contact, const PetscReal vertex[], const PetscReal edge[], const PetscReal face[])
{
  AbutRingStore  *r        = &contact->rings;
  const PetscInt *global   = contact->search.global;
  const PetscInt  vertices = contact->search.num_vertices, n = vertices + r->num_edges + r->num_faces;
  Say            *say, *edges, *faces;

  PetscFunctionBegin;
  PetscCheck(r->view.version, contact->comm, PETSC_ERR_ORDER, "AbutContactSetRanges() before a search with rings");
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  PetscCall(PetscMalloc1(n, &say));
  edges = say + vertices;
  faces = edges + r->num_edges;
  for (PetscInt v = 0; v < vertices; v++) say[v] = (Say){{-1, global[v], -1}, vertex[v]};
  for (PetscInt e = 0; e < r->num_edges; e++) edges[e] = (Say){{-2, global[r->edges[e][0]], global[r->edges[e][1]]}, edge[e]};
  for (PetscInt f = 0; f < r->num_faces; f++) faces[f] = (Say){{r->face_id[f], global[r->faces[f][0]], -1}, face[f]};
  if (contact->size > 1) PetscCall(Agree(contact, n, say));
  for (PetscInt v = 0; v < vertices; v++) r->vertex_range[v] = say[v].value;
  for (PetscInt e = 0; e < r->num_edges; e++) r->edge_range[e] = edges[e].value;
  for (PetscInt f = 0; f < r->num_faces; f++) r->face_range[f] = faces[f].value;
  PetscCall(PetscFree(say));
  r->ranged            = PETSC_TRUE;
  r->view.vertex_range = r->vertex_range;
  r->view.edge_range   = r->edge_range;
  r->view.face_range   = r->face_range;
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscFunctionReturn(0);
}
