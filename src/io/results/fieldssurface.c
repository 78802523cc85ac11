/*
  The contact surface in fields.h5: facets of bodies and obstacles over a numbering of the surface vertices alone, so that its fields have
  no values inside of bodies. It is the surface of contact, piecewise linear on all vertices, also where cells are quadratic.
*/
#include "fieldsimpl.h"

/* Numbers the marked owned vertices in the order of their ids: number[num_local], -1 for others; *total of all ranks. Collective. */
static PetscErrorCode Number(AbutFields f, const PetscReal marked[], PetscReal number[], PetscInt *total)
{
  PetscInt   next = 0, own = 0;
  PetscReal *slice;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(f->vertices.size, &slice));
  PetscCall(AbutSFReduceRows(f->vertices.sf, MPIU_REAL, 1, marked, slice));
  for (PetscInt i = 0; i < f->vertices.size; i++) own += slice[i] > 0;
  PetscCallMPI(MPI_Exscan(&own, &next, 1, MPIU_INT, MPI_SUM, f->comm));
  PetscCallMPI(MPI_Allreduce(&own, total, 1, MPIU_INT, MPI_SUM, f->comm));
  for (PetscInt i = 0; i < f->vertices.size; i++) slice[i] = slice[i] > 0 ? (PetscReal)next++ : -1;
  PetscCall(AbutSFBcastRows(f->vertices.sf, MPIU_REAL, 1, slice, number));
  PetscCall(AbutMeshUpdateGhosts(f->mesh, 1, number));
  PetscCall(PetscFree(slice));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsSurfaceCreate(AbutFields f)
{
  const AbutMeshLocal *m        = AbutMeshGetLocal(f->mesh);
  const PetscInt      *vertices = AbutFacets(m), num = AbutNumFacets(m), width = m->dim;
  AbutFieldsSurface   *surface = &f->surface;
  PetscInt            *ids;
  PetscReal           *marked, *number;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(m->num_local, &marked, m->num_local, &number));
  for (PetscInt i = 0; i < num * width; i++) marked[vertices[i]] = 1;
  PetscCall(AbutMeshReduceAdd(f->mesh, 1, marked));
  PetscCall(Number(f, marked, number, &f->index.num_surface[0]));
  PetscCall(PetscMalloc2(m->num_owned, &surface->vertices, num * width, &surface->facets));
  PetscCall(PetscMalloc1(m->num_owned, &ids));
  surface->count      = 0;
  surface->num_facets = num;
  for (PetscInt v = 0; v < m->num_owned; v++) {
    if (number[v] < 0) continue;
    ids[surface->count]                 = (PetscInt)number[v];
    surface->vertices[surface->count++] = v;
  }
  for (PetscInt i = 0; i < num * width; i++) surface->facets[i] = (PetscInt)number[vertices[i]];
  f->index.num_surface[1] = m->dim == 3 ? m->global.faces : m->global.edges;
  PetscCall(AbutSlicesCreate(f->comm, f->index.num_surface[0], surface->count, ids, &surface->slices));
  PetscCall(PetscFree(ids));
  PetscCall(PetscFree2(marked, number));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsSurfaceDestroy(AbutFields f)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(f->surface.vertices, f->surface.facets));
  PetscCall(PetscSFDestroy(&f->surface.slices.sf));
  PetscFunctionReturn(0);
}

PetscInt64 AbutFieldsSurfaceBytes(AbutFields f)
{
  return ((PetscInt64)f->index.num_surface[0] + (PetscInt64)f->index.num_surface[1] * (f->index.dim + 1)) * (PetscInt64)sizeof(PetscInt);
}

/* Copies rows of facets to slices of their ids and writes them. Collective. */
static PetscErrorCode WriteFacets(const AbutH5 *h5, AbutFields f, hid_t group, const char name[], PetscInt width, const PetscInt rows[])
{
  const AbutMeshLocal *m = AbutMeshGetLocal(f->mesh);
  AbutSlices           slices;
  PetscInt            *slice;

  PetscFunctionBegin;
  PetscCall(AbutSlicesCreate(f->comm, f->index.num_surface[1], f->surface.num_facets, m->dim == 3 ? m->face_id : m->edge_id, &slices));
  PetscCall(PetscMalloc1(slices.size * width, &slice));
  PetscCall(AbutSFReduceRows(slices.sf, MPIU_INT, width, rows, slice));
  PetscCall(AbutH5WriteRows(h5, group, name, AbutH5TypeInt(), slices.size, width, slice));
  PetscCall(PetscFree(slice));
  PetscCall(PetscSFDestroy(&slices.sf));
  PetscFunctionReturn(0);
}

static PetscErrorCode WriteVertices(const AbutH5 *h5, AbutFields f, hid_t group)
{
  const AbutMeshLocal     *m       = AbutMeshGetLocal(f->mesh);
  const AbutFieldsSurface *surface = &f->surface;
  PetscInt                *ids, *slice;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(surface->count, &ids, surface->slices.size, &slice));
  for (PetscInt i = 0; i < surface->count; i++) ids[i] = m->vertex_id[surface->vertices[i]];
  PetscCall(AbutSFReduceRows(surface->slices.sf, MPIU_INT, 1, ids, slice));
  PetscCall(AbutH5WriteRows(h5, group, "contact_vertices", AbutH5TypeInt(), surface->slices.size, 1, slice));
  PetscCall(PetscFree2(ids, slice));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutFieldsSurfaceAdd(const AbutH5 *h5, AbutFields f)
{
  const AbutMeshLocal *m = AbutMeshGetLocal(f->mesh);
  PetscInt            *body;
  hid_t                group;

  PetscFunctionBegin;
  PetscCall(AbutH5OpenGroup(h5, h5->file, "mesh", &group));
  if (H5Lexists(group, "contact_surface", H5P_DEFAULT) <= 0) {
    PetscCall(PetscMalloc1(f->surface.num_facets, &body));
    for (PetscInt i = 0; i < f->surface.num_facets; i++) body[i] = m->vertex_body[AbutFacets(m)[m->dim * i]];
    PetscCall(WriteVertices(h5, f, group));
    PetscCall(WriteFacets(h5, f, group, "contact_surface_body", 1, body));
    PetscCall(WriteFacets(h5, f, group, "contact_surface", m->dim, f->surface.facets));
    PetscCall(PetscFree(body));
  }
  PetscCall(AbutH5CloseGroup(h5, group));
  PetscFunctionReturn(0);
}
