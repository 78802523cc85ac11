/* Parts of faces that the border of a region cuts. */
#include "zoneimpl.h"

PetscInt AbutBorderFind(PetscInt num, const AbutBorderPoint border[], PetscInt edge)
{
  PetscInt low = 0, high = num;

  while (low < high) {
    const PetscInt middle = low + (high - low) / 2;

    if (border[middle].edge < edge)
      low = middle + 1;
    else
      high = middle;
  }
  return low < num && border[low].edge == edge ? low : -1;
}

static PetscErrorCode BorderNode(AbutDeformSurface surface, PetscInt face, PetscInt k, PetscInt num_border, const AbutBorderPoint border[],
                                 PetscInt *node)
{
  const PetscInt edge = surface->face_edge[face][k], index = AbutBorderFind(num_border, border, edge);

  PetscFunctionBegin;
  PetscCheck(index >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "surface %s: a region ends on the edge %" PetscInt_FMT " of the vertices %" PetscInt_FMT " and %" PetscInt_FMT
             " without a border point",
             surface->name, edge, surface->edge[edge][0], surface->edge[edge][1]);
  *node = surface->num_vertices + index;
  PetscFunctionReturn(0);
}

static AbutClipTriangle Triangle(PetscInt a, PetscInt b, PetscInt c, PetscReal weight)
{
  return (AbutClipTriangle){{a, b, c}, weight};
}

PetscErrorCode AbutClipFace(AbutDeformSurface surface, PetscInt face, const PetscBool keep[3], PetscInt num_border,
                            const AbutBorderPoint border[], PetscInt *num, AbutClipTriangle triangles[4])
{
  const PetscInt *v = surface->face[face], count = keep[0] + keep[1] + keep[2];
  PetscInt        k = 0, next, last, out, in;

  PetscFunctionBegin;
  *num = 0;
  if (count == 0) PetscFunctionReturn(0);
  if (count == 3) {
    triangles[(*num)++] = Triangle(v[0], v[1], v[2], 1);
    PetscFunctionReturn(0);
  }
  /* k: the vertex that differs from the two others */
  while (keep[k] != (count == 1)) k++;
  next = (k + 1) % 3;
  last = (k + 2) % 3;
  PetscCall(BorderNode(surface, face, k, num_border, border, &out));
  PetscCall(BorderNode(surface, face, last, num_border, border, &in));
  if (count == 1) {
    triangles[(*num)++] = Triangle(v[k], out, in, 1);
  } else {
    triangles[(*num)++] = Triangle(v[next], v[last], in, 0.5);
    triangles[(*num)++] = Triangle(v[next], in, out, 0.5);
    triangles[(*num)++] = Triangle(v[next], v[last], out, 0.5);
    triangles[(*num)++] = Triangle(v[last], in, out, 0.5);
  }
  PetscFunctionReturn(0);
}
