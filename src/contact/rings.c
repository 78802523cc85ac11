/* Rings from search to search: positions before it, rows of its candidates, lists after it. */
#include "rings.h"

void AbutRingsPlaceExtra(AbutContact contact)
{
  const AbutRingStore *r     = &contact->rings;
  AbutSweep           *sweep = &contact->search;
  const PetscInt       first = contact->m->num_local, dim = contact->m->dim;

  for (PetscInt i = 0; i < r->num_extra; i++) {
    sweep->global[first + i] = r->extra_global[i];
    sweep->id[first + i]     = r->extra_id[i];
    sweep->body[first + i]   = r->extra_body[i];
    for (PetscInt k = 0; k < dim; k++) {
      sweep->rest[dim * (first + i) + k] = sweep->x[dim * (first + i) + k] = r->extra_rest[dim * i + k];
      sweep->p[dim * (first + i) + k]                                      = 0;
    }
  }
}

PetscErrorCode AbutContactSetOneRing(AbutContact contact, PetscBool rings)
{
  AbutSweep *sweep = &contact->search;

  PetscFunctionBegin;
  if (contact->rings.on == rings) PetscFunctionReturn(0);
  PetscCall(AbutPhaseBegin(ABUT_PHASE_CONTACT_SEARCH));
  sweep->partners.num = 0;
  AbutNearForget(contact);
  contact->candidates = (AbutCandidates){.dim = contact->m->dim};
  if (rings && !contact->rings.ready) PetscCall(AbutRingsSetUp(contact));
  contact->rings.on   = rings;
  sweep->rings        = rings;
  sweep->num_fixed    = contact->m->num_local + (rings ? contact->rings.num_extra : 0);
  sweep->num_vertices = sweep->num_fixed;
  AbutContactSetMeetings(contact);
  PetscCall(AbutPhaseEnd(ABUT_PHASE_CONTACT_SEARCH));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsDestroy(AbutContact contact)
{
  AbutRingStore *r        = &contact->rings;
  AbutLists     *lists[3] = {&r->vertex_face, &r->vertex_edge, &r->edge_face};
  AbutRows      *rows[4]  = {&r->fv, &r->ee, &r->ev, &r->free_ev};

  PetscFunctionBegin;
  PetscCall(PetscFree(r->first));
  PetscCall(PetscFree(r->extra_global));
  PetscCall(PetscFree3(r->extra_id, r->extra_body, r->extra_rest));
  PetscCall(AbutPartnersDestroy(&r->partners));
  PetscCall(AbutVertexMapDestroy(&r->extra));
  PetscCall(PetscFree(r->faces));
  PetscCall(PetscFree(r->face_edge));
  PetscCall(PetscFree(r->face_id));
  PetscCall(PetscFree(r->face_range));
  PetscCall(PetscFree(r->edges));
  PetscCall(PetscFree(r->edge_range));
  for (int i = 0; i < 2; i++) {
    PetscCall(AbutVertexMapDestroy(&r->face_map[i]));
    PetscCall(AbutVertexMapDestroy(&r->edge_map[i]));
  }
  for (int kind = 0; kind < NUM_KINDS; kind++) PetscCall(PetscFree(r->import[kind]));
  for (int i = 0; i < 3; i++) {
    PetscCall(PetscFree(lists[i]->start));
    PetscCall(PetscFree(lists[i]->item));
  }
  for (int i = 0; i < 4; i++) PetscCall(PetscFree(rows[i]->row));
  PetscCall(PetscFree(r->curve));
  PetscCall(PetscFree(r->closed));
  PetscCall(PetscFree(r->complete));
  PetscCall(PetscFree(r->oriented));
  PetscCall(PetscFree(r->vertex_range));
  PetscCall(PetscFree4(r->face_mark, r->edge_mark, r->star_face, r->star_edge));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsSetPositions(AbutContact contact, PetscBool moving)
{
  const AbutRingStore *r     = &contact->rings;
  const AbutPartners  *p     = &r->partners;
  AbutSweep           *sweep = &contact->search;
  const PetscInt       dim = contact->m->dim, width = moving ? 2 * dim : dim, first = contact->m->num_local;
  PetscReal           *send, *recv;

  PetscFunctionBegin;
  AbutRingsPlaceExtra(contact);
  if (!p->num) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(width * p->send_start[p->num], &send, width * r->num_extra, &recv));
  for (PetscInt i = 0; i < p->send_start[p->num]; i++) {
    for (PetscInt k = 0; k < width; k++)
      send[width * i + k] = k < dim ? sweep->x[dim * p->send_vertex[i] + k] : sweep->p[dim * p->send_vertex[i] + k - dim];
  }
  PetscCall(AbutPartnersForward(contact, p, width, send, recv));
  for (PetscInt i = 0; i < r->num_extra; i++) {
    for (PetscInt k = 0; k < dim; k++) {
      sweep->x[dim * (first + i) + k] = recv[width * i + k];
      sweep->p[dim * (first + i) + k] = moving ? recv[width * i + dim + k] : 0;
    }
  }
  PetscCall(PetscFree2(send, recv));
  PetscFunctionReturn(0);
}

void AbutRingsBegin(AbutContact contact)
{
  AbutRingStore *r = &contact->rings;

  r->fv.n = r->ee.n = r->ev.n = r->free_ev.n = 0;
}

/* Row of an entity: those of this rank are in the order of the mesh. */
static inline PetscInt RowOf(AbutContact contact, int kind, const AbutEntities *set, int32_t i)
{
  if (set != &contact->local[kind]) return contact->rings.import[kind][i];
  return kind == CURVE ? contact->rings.curve[i] : i;
}

static PetscErrorCode ReserveRows(AbutRows *rows, PetscInt more)
{
  PetscFunctionBegin;
  if (rows->n + more > rows->capacity) {
    rows->capacity = rows->n + more + (rows->n + more) / 4 + 256;
    PetscCall(PetscRealloc(sizeof(PetscInt) * (size_t)rows->capacity, &rows->row));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode AbutRingsCollect(AbutContact contact, int kind, const AbutEntities *A, const AbutEntities *B, PetscInt n,
                                const AbutPair pairs[])
{
  AbutRingStore  *r      = &contact->rings;
  const PetscBool points = (PetscBool)(B->nv == 1);
  AbutRows       *rows   = kind == FACE ? &r->fv : kind == CURVE ? &r->free_ev : points ? &r->ev : &r->ee;

  PetscFunctionBegin;
  PetscCall(ReserveRows(rows, 2 * n));
  for (PetscInt i = 0; i < n; i++) {
    const PetscInt a = RowOf(contact, kind, A, pairs[i][0]);

    if (kind == CURVE) rows->row[rows->n++] = B->v[pairs[i][1]];
    if (points) {
      rows->row[rows->n++] = a;
    } else {
      const PetscInt  b        = RowOf(contact, kind, B, pairs[i][1]);
      const PetscBool in_order = (PetscBool)(A->id[pairs[i][0]] < B->id[pairs[i][1]]);

      rows->row[rows->n++] = in_order ? a : b;
      rows->row[rows->n++] = in_order ? b : a;
    }
  }
  PetscFunctionReturn(0);
}

/* What holds vertex by vertex. */
static PetscErrorCode MarkVertices(AbutContact contact)
{
  AbutRingStore   *r     = &contact->rings;
  const AbutSweep *sweep = &contact->search;
  const PetscInt   n     = sweep->num_vertices;

  PetscFunctionBegin;
  PetscCall(AbutRingsReserveVertices(r, n));
  for (PetscInt v = 0; v < n; v++) {
    r->complete[v] = PETSC_FALSE;
    r->oriented[v] = r->closed[sweep->body[v]];
  }
  for (int32_t i = 0; i < contact->num_surface; i++) r->complete[contact->surface[i]] = PETSC_TRUE;
  for (int kind = 0; kind < NUM_KINDS; kind++) {
    const AbutEntities *e = &sweep->import[kind];

    for (size_t i = 0; i < (size_t)e->n * (size_t)e->nv; i++) r->complete[e->v[i]] = PETSC_TRUE;
  }
  PetscFunctionReturn(0);
}

static void ShowRows(AbutRingStore *r)
{
  r->view.fv_face     = r->fv.row;
  r->view.ee_edge     = (const PetscInt(*)[2])r->ee.row;
  r->view.ev_edge     = r->ev.row;
  r->view.num_free_ev = r->free_ev.n / 2;
  r->view.free_ev     = (const PetscInt(*)[2])r->free_ev.row;
}

static void ShowTable(AbutRingStore *r)
{
  AbutOneRing *view = &r->view;

  view->num_faces         = r->num_faces;
  view->num_edges         = r->num_edges;
  view->faces             = (const PetscInt(*)[3])r->faces;
  view->edges             = (const PetscInt(*)[2])r->edges;
  view->face_edge         = (const PetscInt(*)[3])r->face_edge;
  view->face_id           = r->face_id;
  view->vertex_face_start = r->vertex_face.start;
  view->vertex_face       = r->vertex_face.item;
  view->vertex_edge_start = r->vertex_edge.start;
  view->vertex_edge       = r->vertex_edge.item;
  view->edge_face_start   = r->edge_face.start;
  view->edge_face         = r->edge_face.item;
  view->complete          = r->complete;
  view->oriented          = r->oriented;
  view->vertex_range      = r->ranged ? r->vertex_range : NULL;
  view->edge_range        = r->ranged ? r->edge_range : NULL;
  view->face_range        = r->ranged ? r->face_range : NULL;
}

PetscErrorCode AbutRingsPublish(AbutContact contact)
{
  AbutRingStore *r = &contact->rings;

  PetscFunctionBegin;
  ShowRows(r);
  if (r->current) PetscFunctionReturn(0);
  PetscCall(AbutRingsBuildLists(contact));
  PetscCall(MarkVertices(contact));
  r->current = PETSC_TRUE;
  r->view.version++;
  ShowTable(r);
  PetscFunctionReturn(0);
}
