/* The one-ring topology: creation, copies of a search, the public view. */
#include "surfaceimpl.h"

PetscErrorCode AbutSurfaceListVertices(const AbutMeshLocal *m, PetscInt *num, PetscInt **vertices)
{
  PetscBool *mark;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->num_local, &mark));
  for (PetscInt i = 0; i < 3 * m->num_faces; i++) mark[m->faces[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < 2 * m->num_edges; i++) mark[m->edges[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < m->num_points; i++) mark[m->points[i]] = PETSC_TRUE;
  PetscCall(PetscMalloc1(m->num_local, vertices));
  *num = 0;
  for (PetscInt v = 0; v < m->num_local; v++)
    if (mark[v]) (*vertices)[(*num)++] = v;
  PetscCall(PetscFree(mark));
  PetscFunctionReturn(0);
}

/* Id and body of each vertex of the mesh and of each remote vertex. */
static PetscErrorCode NumberVertices(AbutSurface s, PetscInt id[], PetscInt body[])
{
  const PetscInt num_local = s->m->num_local;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(id, s->m->vertex_id, num_local));
  PetscCall(PetscArraycpy(id + num_local, s->remote.id, s->remote.num));
  PetscCall(PetscArraycpy(body, s->m->vertex_body, num_local));
  PetscCall(PetscArraycpy(body + num_local, s->remote.body, s->remote.num));
  PetscFunctionReturn(0);
}

/* The faces and edges of the fixed part, and their one-rings without copies. */
static PetscErrorCode CreateFixedPart(AbutSurface s)
{
  AbutSurfacePart *parts;
  PetscInt         n, num, *id, *body;

  PetscFunctionBegin;
  PetscCall(AbutSurfaceGather(s, &n, &parts));
  PetscCall(AbutRemoteCreate(s, n, parts));
  num = s->m->num_local + s->remote.num;
  PetscCall(PetscMalloc2(num, &id, num, &body));
  PetscCall(NumberVertices(s, id, body));
  PetscCall(AbutVertexTableReserve(&s->vertices, num));
  s->vertices.id = id;
  PetscCall(AbutTableCreate(s, n, parts));
  PetscCall(AbutTableBuildLists(s));
  PetscCall(AbutSurfaceFindCurves(s));
  PetscCall(AbutSurfaceBeginCopies(s, num, id, PETSC_FALSE, 0, 0));
  PetscCall(AbutSurfaceEndCopies(s, body));
  PetscCall(PetscFree2(id, body));
  PetscCall(PetscFree(parts));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceCreate(AbutMesh mesh, AbutTraffic *traffic, AbutSurface *surface)
{
  AbutSurface s;
  MPI_Comm    comm = AbutMeshGetComm(mesh);
  PetscMPIInt tag;

  PetscFunctionBegin;
  PetscCall(PetscNew(&s));
  *surface   = s;
  s->mesh    = mesh;
  s->traffic = traffic;
  s->m       = AbutMeshGetLocal(mesh);
  PetscCall(PetscCommDuplicate(comm, &s->comm, &tag));
  PetscCall(AbutSurfaceListVertices(s->m, &s->num_surface, &s->surface));
  PetscCall(PetscLayoutCreateFromSizes(s->comm, s->m->num_owned, PETSC_DECIDE, 1, &s->layout));
  PetscCall(PetscHMapICreate(&s->ghost));
  for (PetscInt v = s->m->num_owned; v < s->m->num_local; v++) PetscCall(PetscHMapISet(s->ghost, s->m->vertex_global[v], v));
  PetscCall(CreateFixedPart(s));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceDestroy(AbutSurface *surface)
{
  AbutSurface s = *surface;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(0);
  PetscCall(AbutRemoteDestroy(&s->remote));
  PetscCall(AbutTableDestroy(&s->table));
  PetscCall(PetscFree(s->vertices.complete));
  PetscCall(PetscFree(s->vertices.oriented));
  PetscCall(PetscFree(s->vertices.dhat));
  PetscCall(PetscFree(s->curve));
  PetscCall(PetscFree(s->surface));
  PetscCall(PetscHMapIDestroy(&s->ghost));
  PetscCall(PetscLayoutDestroy(&s->layout));
  PetscCall(PetscCommDestroy(&s->comm));
  PetscCall(PetscFree(*surface));
  PetscFunctionReturn(0);
}

const AbutOneRing *AbutSurfaceGetOneRing(AbutSurface s)
{
  return &s->one_ring;
}

static void SetView(AbutSurface s)
{
  const AbutTable *t    = &s->table;
  AbutOneRing     *view = &s->one_ring;

  view->num_faces         = t->num_faces;
  view->num_edges         = t->num_edges;
  view->faces             = (const PetscInt(*)[3])t->faces;
  view->edges             = (const PetscInt(*)[2])t->edges;
  view->face_edge         = (const PetscInt(*)[3])t->face_edge;
  view->face_id           = t->face_id;
  view->vertex_face_start = t->vertex_face.start;
  view->vertex_face       = t->vertex_face.item;
  view->vertex_edge_start = t->vertex_edge.start;
  view->vertex_edge       = t->vertex_edge.item;
  view->edge_face_start   = t->edge_face.start;
  view->edge_face         = t->edge_face.item;
  view->complete          = s->vertices.complete;
  view->oriented          = s->vertices.oriented;
  view->vertex_dhat       = s->has_dhat ? s->vertices.dhat : NULL;
  view->edge_dhat         = s->has_dhat ? t->edge_dhat : NULL;
  view->face_dhat         = s->has_dhat ? t->face_dhat : NULL;
}

static PetscErrorCode CheckNumber(PetscInt num_vertices, PetscInt least)
{
  PetscFunctionBegin;
  PetscCheck(num_vertices >= least, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " vertices, at least %" PetscInt_FMT " are needed", num_vertices, least);
  PetscFunctionReturn(0);
}

/* Makes room for more vertices, faces and edges. */
static PetscErrorCode Reserve(AbutSurface s, PetscInt num_vertices, const PetscInt vertex_id[], PetscInt more_faces, PetscInt more_edges)
{
  AbutTable *t = &s->table;

  PetscFunctionBegin;
  PetscCall(AbutTableReserve(t, t->num_faces + more_faces, t->num_edges + more_edges + 3 * more_faces));
  PetscCall(AbutVertexTableReserve(&s->vertices, num_vertices));
  s->vertices.id = vertex_id;
  SetView(s); /* the arrays may have moved */
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceBeginCopies(AbutSurface s, PetscInt num_vertices, const PetscInt vertex_id[], PetscBool any, PetscInt max_faces,
                                      PetscInt max_edges)
{
  AbutTable *t = &s->table;

  PetscFunctionBegin;
  PetscCall(CheckNumber(num_vertices, s->m->num_local + s->remote.num));
  s->current    = (PetscBool)(s->current && !any && !s->has_copies);
  s->has_copies = any;
  t->num_faces  = t->num_fixed_faces;
  t->num_edges  = t->num_fixed_edges;
  PetscCall(PetscHMapIClear(t->copied_face));
  PetscCall(PetscHMapIJClear(t->copied_edge));
  PetscCall(Reserve(s, num_vertices, vertex_id, max_faces, max_edges));
  if (s->current) PetscFunctionReturn(0);
  for (PetscInt v = 0; v < num_vertices; v++) s->vertices.complete[v] = PETSC_FALSE;
  for (PetscInt i = 0; i < s->num_surface; i++) s->vertices.complete[s->surface[i]] = PETSC_TRUE;
  PetscFunctionReturn(0);
}

PetscErrorCode AbutSurfaceExtendCopies(AbutSurface s, PetscInt num_vertices, const PetscInt vertex_id[], PetscInt max_faces,
                                       PetscInt max_edges)
{
  const PetscInt known = s->vertices.num;

  PetscFunctionBegin;
  PetscCall(CheckNumber(num_vertices, known));
  PetscCall(Reserve(s, num_vertices, vertex_id, max_faces, max_edges));
  for (PetscInt v = known; v < num_vertices; v++) s->vertices.complete[v] = PETSC_FALSE;
  s->has_copies = PETSC_TRUE;
  s->current    = PETSC_FALSE;
  PetscFunctionReturn(0);
}

void AbutSurfaceMarkComplete(AbutSurface s, PetscInt n, const int32_t v[])
{
  for (PetscInt i = 0; i < n; i++) s->vertices.complete[v[i]] = PETSC_TRUE;
}

PetscErrorCode AbutSurfaceEndCopies(AbutSurface s, const PetscInt vertex_body[])
{
  PetscFunctionBegin;
  if (!s->current) {
    PetscCall(AbutTableBuildLists(s));
    for (PetscInt v = 0; v < s->vertices.num; v++)
      s->vertices.oriented[v] = (PetscBool)(s->m->bodies[vertex_body[v]].oriented != ABUT_ORIENTED_NONE);
    s->current = PETSC_TRUE;
    s->one_ring.version++;
  }
  SetView(s);
  s->vertices.id = NULL;
  PetscFunctionReturn(0);
}
