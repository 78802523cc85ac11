/* Distributed surface: complete one-rings; broadcast to and sums from remote vertices; activation distances as minima over ranks. */
#include "test.h"
#include <abut/surface.h>
#include <string.h>

/* A box of 4 x 4 x 4 cells (2D: 4 x 4). */
static AbutMesh CreateMesh(PetscInt dim)
{
  AbutBodySpec spec;
  AbutMesh     mesh;

  AbutTestCall(AbutBodySpecInit(&spec));
  snprintf(spec.name, sizeof(spec.name), "box");
  spec.shape.kind = ABUT_SHAPE_BOX;
  for (int k = 0; k < 3; k++) {
    spec.shape.size[k]  = 1;
    spec.shape.cells[k] = 4;
  }
  AbutTestCall(AbutMeshCreate(PETSC_COMM_WORLD, dim, 1, &spec, &mesh));
  return mesh;
}

/* On a closed surface of triangles as many edges as faces meet at a vertex, two faces at an edge; in 2D two edges at a vertex. */
static void OneRingsAreWhole(void **state)
{
  (void)state;
  for (PetscInt dim = 2; dim <= 3; dim++) {
    AbutMesh             mesh = CreateMesh(dim);
    const AbutMeshLocal *m;
    const AbutOneRing   *r;
    AbutSurface          surface;

    m = AbutMeshGetLocal(mesh);
    AbutTestCall(AbutSurfaceCreate(mesh, NULL, &surface));
    r = AbutSurfaceGetOneRing(surface);
    assert_int_equal(r->version, 1);
    for (PetscInt i = 0; i < m->num_points; i++) {
      const PetscInt v = m->points[i], edges = r->vertex_edge_start[v + 1] - r->vertex_edge_start[v];

      assert_true(r->complete[v] && r->oriented[v]);
      assert_true(dim == 2 ? edges == 2 : edges >= 3);
      assert_int_equal(r->vertex_face_start[v + 1] - r->vertex_face_start[v], dim == 2 ? 0 : edges);
      for (PetscInt j = r->vertex_face_start[v] + 1; j < r->vertex_face_start[v + 1]; j++)
        assert_true(r->face_id[r->vertex_face[j - 1]] < r->face_id[r->vertex_face[j]]);
      for (PetscInt j = r->vertex_edge_start[v]; j < r->vertex_edge_start[v + 1]; j++) {
        const PetscInt e = r->vertex_edge[j];

        assert_true(r->edges[e][0] == v || r->edges[e][1] == v);
        assert_int_equal(r->edge_face_start[e + 1] - r->edge_face_start[e], dim == 2 ? 0 : 2);
      }
    }
    for (PetscInt i = 0; i < m->num_edges; i++) /* edges of the mesh keep their numbers */
      assert_true(r->edges[i][0] == m->edges[2 * i] && r->edges[i][1] == m->edges[2 * i + 1]);
    AbutTestCall(AbutSurfaceDestroy(&surface));
    AbutTestCall(AbutMeshDestroy(&mesh));
  }
}

/* Broadcast brings the values of the owners; the sum of ones into the owners counts the ranks that have a vertex as remote vertex. */
static void RemoteVertices(void **state)
{
  AbutMesh             mesh = CreateMesh(3);
  const AbutMeshLocal *m;
  AbutSurface          surface;
  AbutRemoteVertices   remote;
  PetscReal           *value, sum = 0, num;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutSurfaceCreate(mesh, NULL, &surface));
  remote = AbutSurfaceGetRemoteVertices(surface);
  AbutTestCall(PetscCalloc1(3 * (m->num_local + remote.num), &value));
  for (PetscInt i = 0; i < 3 * m->num_local; i++) value[i] = m->rest[i];
  AbutTestCall(AbutSurfaceBroadcast(surface, 3, value));
  for (PetscInt i = 0; i < 3 * remote.num; i++) assert_true(value[3 * m->num_local + i] == remote.rest[i]);
  for (PetscInt i = 0; i < remote.num; i++) {
    PetscInt v;

    assert_true(i == 0 || remote.global[i] > remote.global[i - 1]);
    AbutTestCall(AbutSurfaceFindRemoteVertex(surface, remote.global[i], &v));
    assert_int_equal(v, m->num_local + i);
  }
  for (PetscInt i = 0; i < m->num_local + remote.num; i++) value[i] = i < m->num_local ? 0 : 1;
  AbutTestCall(AbutSurfaceReduceAdd(surface, 1, value));
  for (PetscInt i = 0; i < m->num_owned; i++) sum += value[i];
  num = (PetscReal)remote.num;
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &num, 1, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD);
  assert_true(sum == num);
  AbutTestCall(PetscFree(value));
  AbutTestCall(AbutSurfaceDestroy(&surface));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* Each rank proposes 1 + its rank for all; entities that rank 0 knows get 1, and all ranks agree. */
static void DhatIsTheMinimum(void **state)
{
  AbutMesh             mesh = CreateMesh(3);
  const AbutMeshLocal *m;
  const AbutOneRing   *r;
  AbutSurface          surface;
  AbutRemoteVertices   remote;
  PetscMPIInt          rank;
  PetscInt            *global, num;
  PetscReal           *dhat, *one;

  (void)state;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutSurfaceCreate(mesh, NULL, &surface));
  r      = AbutSurfaceGetOneRing(surface);
  remote = AbutSurfaceGetRemoteVertices(surface);
  assert_null(r->vertex_dhat);
  num = m->num_local + remote.num;
  AbutTestCall(PetscMalloc3(num, &global, num + r->num_edges + r->num_faces, &dhat, m->num_local + remote.num, &one));
  for (PetscInt i = 0; i < num; i++) global[i] = i < m->num_local ? m->vertex_global[i] : remote.global[i - m->num_local];
  for (PetscInt i = 0; i < num + r->num_edges + r->num_faces; i++) dhat[i] = 1 + rank;
  AbutTestCall(AbutSurfaceReduceDhat(surface, global, dhat, dhat + num, dhat + num + r->num_edges));
  assert_non_null(r->face_dhat);
  for (PetscInt i = 0; i < num; i++) one[i] = r->vertex_dhat[i];
  AbutTestCall(AbutSurfaceBroadcast(surface, 1, one)); /* the owner has the same distance as the ranks that ask for the vertex */
  for (PetscInt i = m->num_local; i < num; i++) assert_true(one[i] == r->vertex_dhat[i]);
  for (PetscInt i = 0; i < num; i++) assert_true(r->vertex_dhat[i] >= 1 && r->vertex_dhat[i] <= 1 + rank);
  for (PetscInt i = 0; i < r->num_edges; i++) assert_true(r->edge_dhat[i] >= 1 && r->edge_dhat[i] <= 1 + rank);
  for (PetscInt i = 0; i < r->num_faces; i++) assert_true(r->face_dhat[i] >= 1 && r->face_dhat[i] <= 1 + rank);
  AbutTestCall(PetscFree3(global, dhat, one));
  AbutTestCall(AbutSurfaceDestroy(&surface));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

/* A copied face is added once with its edges, and is gone with the next search. */
static void CopiesLastOneSearch(void **state)
{
  AbutMesh             mesh = CreateMesh(3);
  const AbutMeshLocal *m;
  const AbutOneRing   *r;
  AbutSurface          surface;
  AbutRemoteVertices   remote;
  PetscInt            *id, *body, num, faces, edges, face, again;

  (void)state;
  m = AbutMeshGetLocal(mesh);
  AbutTestCall(AbutSurfaceCreate(mesh, NULL, &surface));
  r      = AbutSurfaceGetOneRing(surface);
  remote = AbutSurfaceGetRemoteVertices(surface);
  faces  = r->num_faces;
  edges  = r->num_edges;
  num    = m->num_local + remote.num + 3;
  AbutTestCall(PetscCalloc2(num, &id, num, &body));
  for (PetscInt i = 0; i < num; i++) id[i] = i < m->num_local ? m->vertex_id[i] : 1000 + i;
  AbutTestCall(AbutSurfaceBeginCopies(surface, num, id, PETSC_TRUE, 2, 0));
  AbutTestCall(AbutSurfaceAddFace(surface, 100000, (const PetscInt[]){num - 3, num - 2, num - 1}, &face));
  AbutTestCall(AbutSurfaceAddFace(surface, 100000, (const PetscInt[]){num - 3, num - 2, num - 1}, &again));
  assert_true(face == faces && again == face);
  AbutSurfaceMarkComplete(surface, 1, (const int32_t[]){(int32_t)num - 1});
  AbutTestCall(AbutSurfaceEndCopies(surface, body));
  assert_int_equal(r->version, 2);
  assert_true(r->num_faces == faces + 1 && r->num_edges == edges + 3);
  assert_true(r->complete[num - 1] && !r->complete[num - 2]);
  assert_int_equal(r->vertex_face_start[num] - r->vertex_face_start[num - 1], 1);
  AbutTestCall(AbutSurfaceBeginCopies(surface, num - 3, id, PETSC_FALSE, 0, 0));
  AbutTestCall(AbutSurfaceEndCopies(surface, body));
  assert_true(r->version == 3 && r->num_faces == faces && r->num_edges == edges);
  AbutTestCall(AbutSurfaceBeginCopies(surface, num - 3, id, PETSC_FALSE, 0, 0)); /* nothing changes */
  AbutTestCall(AbutSurfaceEndCopies(surface, body));
  assert_int_equal(r->version, 3);
  AbutTestCall(PetscFree2(id, body));
  AbutTestCall(AbutSurfaceDestroy(&surface));
  AbutTestCall(AbutMeshDestroy(&mesh));
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(OneRingsAreWhole), cmocka_unit_test(RemoteVertices),
                                     cmocka_unit_test(DhatIsTheMinimum), cmocka_unit_test(CopiesLastOneSearch)};
  return AbutTestMain(argc, argv, tests);
}
