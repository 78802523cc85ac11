/* The surface that a rank knows: rows of faces and edges, each once, and lists of what is at a vertex or an edge. */
#include "rings.h"

PetscErrorCode AbutRingsReserve(AbutRingStore *r, PetscInt num_faces, PetscInt num_edges)
{
  const size_t faces = (size_t)(num_faces + num_faces / 4 + 64), edges = (size_t)(num_edges + num_edges / 4 + 64);

  PetscFunctionBegin;
  PetscCheck(num_edges <= INT32_MAX / 4, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " edges of rings on one rank, at most %d are possible: use more ranks", num_edges, INT32_MAX / 4);
  if (num_faces > r->face_capacity || !r->faces) {
    PetscCall(PetscRealloc(faces * sizeof(*r->faces), &r->faces));
    PetscCall(PetscRealloc(faces * sizeof(*r->face_edge), &r->face_edge));
    PetscCall(PetscRealloc(faces * sizeof(*r->face_id), &r->face_id));
    PetscCall(PetscRealloc(faces * sizeof(*r->face_range), &r->face_range));
    r->face_capacity = (PetscInt)faces;
  }
  if (num_edges > r->edge_capacity || !r->edges) {
    PetscCall(PetscRealloc(edges * sizeof(*r->edges), &r->edges));
    PetscCall(PetscRealloc(edges * sizeof(*r->edge_range), &r->edge_range));
    r->edge_capacity = (PetscInt)edges;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsReserveVertices(AbutRingStore *r, PetscInt n)
{
  const size_t room = (size_t)(n + n / 4 + 16);

  PetscFunctionBegin;
  if (n <= r->vertex_capacity && r->complete) PetscFunctionReturn(0);
  PetscCall(PetscRealloc(room * sizeof(*r->complete), &r->complete));
  PetscCall(PetscRealloc(room * sizeof(*r->oriented), &r->oriented));
  PetscCall(PetscRealloc(room * sizeof(*r->vertex_range), &r->vertex_range));
  r->vertex_capacity = (PetscInt)room;
  PetscFunctionReturn(0);
}

/* What `key` stands for: place n if it is new. */
static int32_t Find(AbutVertexMap map[2], int which, int64_t key, PetscInt n)
{
  const int32_t row = AbutVertexMapGet(&map[FIXED], key);

  return row >= 0 ? row : AbutVertexMapAdd(&map[which], key, (int32_t)n);
}

static int32_t AppendEdge(AbutRingStore *r, const PetscInt v[2])
{
  for (int k = 0; k < 2; k++) r->edges[r->num_edges][k] = v[k];
  r->edge_range[r->num_edges] = PETSC_INFINITY;
  return (int32_t)r->num_edges++;
}

static inline int64_t EdgeKey(const PetscInt v[2])
{
  return (int64_t)v[0] << 32 | v[1];
}

void AbutRingsAppendEdge(AbutContact contact, const PetscInt v[2])
{
  AbutRingStore *r = &contact->rings;

  (void)AbutVertexMapAdd(&r->edge_map[FIXED], EdgeKey(v), (int32_t)r->num_edges);
  (void)AppendEdge(r, v);
}

int32_t AbutRingsAddEdge(AbutContact contact, int which, PetscInt a, PetscInt b)
{
  AbutRingStore  *r    = &contact->rings;
  const PetscInt *id   = contact->search.id;
  const PetscBool turn = (PetscBool)(contact->m->dim == 3 && id[a] > id[b]);
  const PetscInt  v[2] = {turn ? b : a, turn ? a : b};
  const int32_t   row  = Find(r->edge_map, which, EdgeKey(v), r->num_edges);

  return row >= 0 ? row : AppendEdge(r, v);
}

int32_t AbutRingsAddFace(AbutContact contact, int which, PetscInt id, const PetscInt v[3])
{
  AbutRingStore *r   = &contact->rings;
  const int32_t  row = Find(r->face_map, which, id, r->num_faces), added = (int32_t)r->num_faces;

  if (row >= 0) return row;
  r->num_faces++;
  r->face_id[added]    = id;
  r->face_range[added] = PETSC_INFINITY;
  for (int k = 0; k < 3; k++) {
    r->faces[added][k]     = v[k];
    r->face_edge[added][k] = AbutRingsAddEdge(contact, which, v[k], v[(k + 1) % 3]);
  }
  return added;
}

/* The inverse of items[n * width]: which items have entry i. */
static PetscErrorCode Invert(PetscInt lists, PetscInt n, int width, const PetscInt items[], AbutLists *to)
{
  PetscFunctionBegin;
  if (lists + 1 > to->start_capacity) {
    to->start_capacity = lists + 1 + lists / 4;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)to->start_capacity, &to->start));
  }
  if (n * width > to->capacity) {
    to->capacity = n * width + n * width / 4;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)to->capacity, &to->item));
  }
  PetscCall(PetscArrayzero(to->start, lists + 1));
  for (PetscInt i = 0; i < n * width; i++) to->start[items[i] + 1]++;
  for (PetscInt i = 0; i < lists; i++) to->start[i + 1] += to->start[i];
  for (PetscInt i = 0; i < n; i++) {
    for (int k = 0; k < width; k++) to->item[to->start[items[i * width + k]]++] = i;
  }
  for (PetscInt i = lists; i > 0; i--) to->start[i] = to->start[i - 1];
  to->start[0] = 0;
  PetscFunctionReturn(0);
}

/* Lists are short and nearly in order. */
static void SortFaces(const PetscInt id[], PetscInt lists, AbutLists *l)
{
  for (PetscInt v = 0; v < lists; v++) {
    PetscInt *item = l->item + l->start[v];

    for (PetscInt i = 1; i < l->start[v + 1] - l->start[v]; i++) {
      const PetscInt f = item[i];
      PetscInt       j = i;

      for (; j > 0 && id[item[j - 1]] > id[f]; j--) item[j] = item[j - 1];
      item[j] = f;
    }
  }
}

static void SortEdges(const PetscInt id[], PetscInt (*edges)[2], PetscInt lists, AbutLists *l)
{
  for (PetscInt v = 0; v < lists; v++) {
    PetscInt *item = l->item + l->start[v];

    for (PetscInt i = 1; i < l->start[v + 1] - l->start[v]; i++) {
      const PetscInt e = item[i], other = id[edges[e][0] + edges[e][1] - v];
      PetscInt       j = i;

      for (; j > 0 && id[edges[item[j - 1]][0] + edges[item[j - 1]][1] - v] > other; j--) item[j] = item[j - 1];
      item[j] = e;
    }
  }
}

PetscErrorCode AbutRingsBuildLists(AbutContact contact)
{
  AbutRingStore  *r  = &contact->rings;
  const PetscInt  n  = contact->search.num_vertices;
  const PetscInt *id = contact->search.id;

  PetscFunctionBegin;
  PetscCall(Invert(n, r->num_faces, 3, (const PetscInt *)r->faces, &r->vertex_face));
  PetscCall(Invert(n, r->num_edges, 2, (const PetscInt *)r->edges, &r->vertex_edge));
  PetscCall(Invert(r->num_edges, r->num_faces, 3, (const PetscInt *)r->face_edge, &r->edge_face));
  SortFaces(r->face_id, n, &r->vertex_face);
  SortFaces(r->face_id, r->num_edges, &r->edge_face);
  SortEdges(id, r->edges, n, &r->vertex_edge);
  PetscFunctionReturn(0);
}
