/* Topology of a triangle surface: edges, faces at edges and vertices, components. Rejects surfaces that are not manifold at their edges. */
#include "deformimpl.h"

static PetscErrorCode CheckFaces(AbutDeformSurface surface)
{
  const PetscInt n = surface->num_vertices;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < surface->num_faces; f++) {
    const PetscInt *v = surface->face[f];

    for (PetscInt k = 0; k < 3; k++) {
      AbutCheck(v[k] >= 0 && v[k] < n, ABUT_ERR_INPUT,
                "surface %s: triangle %" PetscInt_FMT " has the vertex %" PetscInt_FMT ", must be in 0..%" PetscInt_FMT, surface->name, f,
                v[k], n - 1);
      AbutCheck(v[k] != v[(k + 1) % 3], ABUT_ERR_INPUT, "surface %s: triangle %" PetscInt_FMT " has the vertex %" PetscInt_FMT " twice",
                surface->name, f, v[k]);
    }
  }
  PetscFunctionReturn(0);
}

/* Sorts the half-edges of all faces by their vertices, lower one first. Half-edge 3 f + k goes from vertex k to vertex k + 1 of face f. */
static PetscErrorCode SortHalfEdges(AbutDeformSurface surface, PetscInt (*ends)[2], PetscInt order[])
{
  PetscFunctionBegin;
  for (PetscInt h = 0; h < 3 * surface->num_faces; h++) {
    const PetscInt a = surface->face[h / 3][h % 3], b = surface->face[h / 3][(h + 1) % 3];

    ends[h][0] = PetscMin(a, b);
    ends[h][1] = PetscMax(a, b);
  }
  PetscCall(AbutSortTuples(3 * surface->num_faces, 2, surface->num_vertices, &ends[0][0], order));
  PetscFunctionReturn(0);
}

static PetscErrorCode AddHalfEdge(AbutDeformSurface surface, PetscInt e, PetscInt h)
{
  const PetscInt face = h / 3, first = surface->face[face][h % 3], backward = first != surface->edge[e][0];

  PetscFunctionBegin;
  AbutCheck(surface->edge_face[e][backward] < 0, ABUT_ERR_INPUT,
            "surface %s: the edge of the vertices %" PetscInt_FMT " and %" PetscInt_FMT
            " has more than two triangles, or neighbours of opposite orientation: triangles %" PetscInt_FMT " and %" PetscInt_FMT,
            surface->name, surface->edge[e][0], surface->edge[e][1], surface->edge_face[e][backward], face);
  surface->edge_face[e][backward] = face;
  surface->face_edge[face][h % 3] = e;
  PetscFunctionReturn(0);
}

/* Half-edges with the same ends, neighbours in `order`, become one edge. */
static PetscErrorCode JoinHalfEdges(AbutDeformSurface surface, const PetscInt (*ends)[2], const PetscInt order[])
{
  PetscInt e = -1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < 3 * surface->num_faces; i++) {
    const PetscInt *now = ends[order[i]], *last = i ? ends[order[i - 1]] : NULL;

    if (!last || now[0] != last[0] || now[1] != last[1]) {
      e++;
      surface->edge[e][0]      = now[0];
      surface->edge[e][1]      = now[1];
      surface->edge_face[e][0] = surface->edge_face[e][1] = -1;
    }
    PetscCall(AddHalfEdge(surface, e, order[i]));
  }
  surface->num_edges = e + 1;
  PetscFunctionReturn(0);
}

static PetscErrorCode SetEdges(AbutDeformSurface surface)
{
  const PetscInt n = 3 * surface->num_faces;
  PetscInt(*ends)[2], *order;
  PetscErrorCode verdict;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &ends, n, &order));
  PetscCall(SortHalfEdges(surface, ends, order));
  verdict = JoinHalfEdges(surface, ends, order);
  PetscCall(PetscFree2(ends, order));
  PetscCall(verdict);
  surface->closed = PETSC_TRUE;
  for (PetscInt e = 0; e < surface->num_edges; e++)
    if (surface->edge_face[e][0] < 0 || surface->edge_face[e][1] < 0) surface->closed = PETSC_FALSE;
  PetscFunctionReturn(0);
}

/* Numbers the connected parts in the order of their lowest vertices. */
static PetscErrorCode SetComponents(AbutDeformSurface surface)
{
  PetscInt *stack;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(surface->num_vertices, &stack));
  for (PetscInt v = 0; v < surface->num_vertices; v++) surface->component[v] = -1;
  for (PetscInt v = 0; v < surface->num_vertices; v++) {
    PetscInt top = 0;

    if (surface->component[v] >= 0) continue;
    surface->component[v] = surface->num_components;
    stack[top++]          = v;
    while (top) {
      const PetscInt at = stack[--top];

      for (PetscInt k = surface->vertex_edge.start[at]; k < surface->vertex_edge.start[at + 1]; k++) {
        const PetscInt next = AbutDeformOtherEnd(surface, surface->vertex_edge.item[k], at);

        if (surface->component[next] >= 0) continue;
        surface->component[next] = surface->num_components;
        stack[top++]             = next;
      }
    }
    surface->num_components++;
  }
  PetscCall(PetscFree(stack));
  PetscFunctionReturn(0);
}

static PetscErrorCode Allocate(AbutDeformSurface surface)
{
  const PetscInt nv = surface->num_vertices, nf = surface->num_faces;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(nf, &surface->face, nf, &surface->face_edge, 3 * nf, &surface->edge, 3 * nf, &surface->edge_face));
  PetscCall(
    PetscMalloc5(nv, &surface->component, 3 * nv, &surface->x, 3 * nv, &surface->normal, 3 * nf, &surface->length, nf, &surface->area));
  PetscCall(PetscMalloc2(3 * nf, &surface->tree_input.face, nv, &surface->tree_input.box));
  PetscFunctionReturn(0);
}

static PetscErrorCode SetTopology(AbutDeformSurface surface)
{
  PetscFunctionBegin;
  PetscCall(CheckFaces(surface));
  PetscCall(SetEdges(surface));
  PetscCall(AbutCSRSetPairs(surface->num_vertices, surface->num_edges, 2, &surface->edge[0][0], NULL, &surface->vertex_edge));
  PetscCall(AbutCSRSetPairs(surface->num_vertices, surface->num_faces, 3, &surface->face[0][0], NULL, &surface->vertex_face));
  for (PetscInt v = 0; v < surface->num_vertices; v++)
    AbutCheck(surface->vertex_face.start[v] < surface->vertex_face.start[v + 1], ABUT_ERR_INPUT,
              "surface %s: the vertex %" PetscInt_FMT " has no triangle", surface->name, v);
  PetscCall(SetComponents(surface));
  PetscCall(AbutBVHSetSize(&surface->tree, (int32_t)surface->num_faces));
  PetscFunctionReturn(0);
}

PetscErrorCode AbutDeformSurfaceCreate(const char name[], PetscInt num_vertices, PetscInt num_faces, const PetscInt faces[],
                                       AbutDeformSurface *surface)
{
  PetscErrorCode code;

  PetscFunctionBegin;
  *surface = NULL;
  AbutCheck(num_vertices >= 3 && num_faces >= 1 && num_faces <= PETSC_MAX_INT / 3 && num_faces <= INT32_MAX / 3, ABUT_ERR_INPUT,
            "surface %s has %" PetscInt_FMT " vertices and %" PetscInt_FMT " triangles, must have at least 3 and 1, at most %d triangles",
            name, num_vertices, num_faces, INT32_MAX / 3);
  PetscCall(PetscNew(surface));
  PetscCall(PetscStrncpy((*surface)->name, name, sizeof((*surface)->name)));
  (*surface)->num_vertices = num_vertices;
  (*surface)->num_faces    = num_faces;
  PetscCall(Allocate(*surface));
  PetscCall(PetscArraycpy(&(*surface)->face[0][0], faces, 3 * num_faces));
  for (PetscInt i = 0; i < 3 * num_faces; i++) (*surface)->tree_input.face[i] = (int32_t)faces[i];
  code = SetTopology(*surface);
  if (code) PetscCall(AbutDeformSurfaceDestroy(surface));
  PetscFunctionReturn(code);
}

PetscErrorCode AbutDeformSurfaceDestroy(AbutDeformSurface *surface)
{
  PetscFunctionBegin;
  if (!*surface) PetscFunctionReturn(0);
  PetscCall(PetscFree4((*surface)->face, (*surface)->face_edge, (*surface)->edge, (*surface)->edge_face));
  PetscCall(PetscFree5((*surface)->component, (*surface)->x, (*surface)->normal, (*surface)->length, (*surface)->area));
  PetscCall(PetscFree2((*surface)->tree_input.face, (*surface)->tree_input.box));
  PetscCall(AbutCSRDestroy(&(*surface)->vertex_edge));
  PetscCall(AbutCSRDestroy(&(*surface)->vertex_face));
  PetscCall(AbutBVHDestroy(&(*surface)->tree));
  PetscCall(AbutSurfaceRegionsDestroy(&(*surface)->regions));
  PetscCall(PetscFree(*surface));
  PetscFunctionReturn(0);
}
