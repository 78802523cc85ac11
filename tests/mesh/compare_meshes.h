/* Compares a distributed mesh with the mesh of one rank, bit for bit. */
#pragma once
#include "mesh_support.h"

/* Fails unless each simplex of the serial mesh is on exactly one rank, with the same id and vertices. */
static inline void CompareSimplices(const char what[], PetscInt n, PetscInt num, const PetscInt ids[], const PetscInt simplices[],
                                    const AbutMeshLocal *local, PetscInt num_global, const PetscInt reference[])
{
  PetscInt *seen = calloc((size_t)num_global + 1, sizeof(*seen));

  for (PetscInt i = 0; i < num; i++) {
    const PetscInt id = ids ? ids[i] : i;
    assert_in_range(id, 0, num_global - 1);
    seen[id]++;
    for (PetscInt k = 0; k < n; k++) assert_int_equal(local->vertex_id[simplices[i * n + k]], reference[id * n + k]);
    if (ids && i) assert_true(ids[i] > ids[i - 1]);
  }
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, seen, (PetscMPIInt)num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt id = 0; id < num_global; id++)
    if (seen[id] != 1) fail_msg("%s %ld is on %ld ranks", what, (long)id, (long)seen[id]);
  free(seen);
}

static inline void CompareVertices(const AbutMeshLocal *local, const AbutMeshLocal *serial)
{
  PetscInt *owners = calloc((size_t)serial->num_global, sizeof(*owners)), *surface = calloc((size_t)serial->num_global, sizeof(*surface)),
           end = 0;

  assert_int_equal(local->num_global, serial->num_global);
  for (PetscInt v = 0; v < local->num_local; v++) {
    const PetscInt id = local->vertex_id[v];
    if (v < local->num_owned) owners[id]++;
    assert_int_equal(local->vertex_body[v], serial->vertex_body[id]);
    assert_memory_equal(&local->rest[v * local->dim], &serial->rest[id * local->dim], sizeof(PetscReal) * (size_t)local->dim);
    if (v < local->num_owned) assert_int_equal(local->vertex_global[v], local->first + v);
    if (v && v < local->num_owned) assert_true(id > local->vertex_id[v - 1]);
  }
  for (PetscInt i = 0; i < local->num_points; i++) {
    assert_true(local->points[i] < local->num_owned);
    surface[local->vertex_id[local->points[i]]]++;
  }
  assert_int_equal(MPI_Exscan(&local->num_owned, &end, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_int_equal(local->first, Rank() ? end : 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, owners, (PetscMPIInt)serial->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, surface, (PetscMPIInt)serial->num_global, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD), 0);
  for (PetscInt v = 0; v < serial->num_global; v++) assert_int_equal(owners[v], 1);
  for (PetscInt i = 0; i < serial->num_points; i++) surface[serial->points[i]]--;
  for (PetscInt v = 0; v < serial->num_global; v++) assert_int_equal(surface[v], 0);
  free(owners);
  free(surface);
}

/* Every ghost belongs to an entity of its rank. */
static inline void CheckGhostsAreUsed(const AbutMeshLocal *local)
{
  PetscBool *used = calloc((size_t)local->num_local + 1, sizeof(*used));

  for (PetscInt i = 0; i < local->num_cells * (local->dim + 1); i++) used[local->cells[i]] = PETSC_TRUE;
  for (PetscInt i = 0; local->middles && i < local->num_cells * AbutNumCellEdges(local->dim); i++)
    if (local->middles[i] >= 0) used[local->middles[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < local->num_faces * 3; i++) used[local->faces[i]] = PETSC_TRUE;
  for (PetscInt i = 0; i < local->num_edges * 2; i++) used[local->edges[i]] = PETSC_TRUE;
  for (PetscInt v = local->num_owned; v < local->num_local; v++) assert_true(used[v]);
  free(used);
}

/* Nodes on the edges of quadratic cells. */
static inline void CompareMiddles(const AbutMeshLocal *local, const AbutMeshLocal *serial)
{
  const PetscInt edges = AbutNumCellEdges(local->dim);

  assert_int_equal(!local->middles, !serial->middles);
  for (PetscInt i = 0; local->middles && i < local->num_cells * edges; i++) {
    const PetscInt v = local->middles[i];

    assert_int_equal(v < 0 ? -1 : local->vertex_id[v], serial->middles[edges * local->cell_id[i / edges] + i % edges]);
  }
}

/* Fails unless every entity is on exactly one rank and equals the entity of the serial mesh with the same id. */
static inline void CompareMeshes(const AbutMeshLocal *local, const AbutMeshLocal *serial)
{
  assert_int_equal(local->num_bodies, serial->num_bodies);
  assert_memory_equal(local->bodies, serial->bodies, sizeof(AbutBody) * (size_t)serial->num_bodies);
  assert_true(local->global.diagonal == serial->global.diagonal);
  assert_int_equal(serial->num_local, serial->num_owned);
  CompareVertices(local, serial);
  CompareSimplices("cell", local->dim + 1, local->num_cells, local->cell_id, local->cells, local, serial->num_cells, serial->cells);
  CompareSimplices("face", 3, local->num_faces, local->face_id, local->faces, local, serial->num_faces, serial->faces);
  CompareSimplices("edge", 2, local->num_edges, local->edge_id, local->edges, local, serial->num_edges, serial->edges);
  for (PetscInt c = 0; c < local->num_cells; c++) assert_int_equal(local->cell_body[c], serial->cell_body[local->cell_id[c]]);
  CompareMiddles(local, serial);
  CheckGhostsAreUsed(local);
}
